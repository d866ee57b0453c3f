// The values that random histories and questions are made of.
import fc from 'fast-check';
import { usualOrLong } from '../effort.ts';
import type { TagFilter } from '../model.ts';

// Names that are hard to quote, to order or to escape. "" is the absent value.
export const customers = ['', 'acme', "o'brien", 'back\\slash', '日本', '😀', 'Ａ'];
export const features = ['', 'chat', 'Ａ sea"rch', '😀'];
export const models = ['', 'm1', '模型 2', '😀 3', "Ａ'4"];
export const providers = ['', 'p1', 'P1', 'p\\2', 'Ü', 'ü'];
export const users = ['', 'ann', 'Ann', "o'hara", '日本', '😀', 'Ａ'];
export const runs = ['', 'r1', 'r2', 'r3', '😀'];
export const environments = ['prod', 'test', "te'st"];

export const timezones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Pacific/Apia',
];

// The range has a year's end, a week of two years, a leap day and the spring changes of the clock.
export const firstDay = '2023-12-20';
export const days = 105;
/** A range with the end of a week, short enough that several calls fall on one day. */
export const denseDays = usualOrLong(6, 9);

export const some = (values: string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...values, 'nobody'), { minLength: 1, maxLength: 3 });
const oneOrSome = (values: string[]) => fc.oneof(fc.constantFrom(...values), some(values));
export const tagFilter = (keys: Record<string, string[]>): fc.Arbitrary<TagFilter> =>
  fc
    .subarray(Object.entries(keys), { minLength: 1 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map(([key, values]): [string, fc.Arbitrary<string | string[]>] => [key, oneOrSome(values)]),
        ),
      ),
    );

/** Tags of some of these names. */
export function tagsOfSome(names: string[]): fc.Arbitrary<[string, Record<string, string>][]> {
  return fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(...names.filter((name) => name !== '')),
      fc.record(
        { plan: fc.constantFrom('pro', 'free'), 're"gion': fc.constantFrom('eu', '日本') },
        { requiredKeys: [] },
      ),
    ),
    { selector: ([name]) => name, maxLength: 6, size: 'max' },
  );
}

/** Present with a probability of one in four. */
export function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutUndefined<T extends object>(record: T): Defined<T> {
  const present: Defined<T> = { ...record } as Defined<T>;
  for (const key of Object.keys(record) as (keyof T)[]) if (record[key] === undefined) delete present[key];
  return present;
}
