// Nothing numeric in a provider's usage object is read over (D26.3): a change of any number changes what is read, or the
// number's path is unread.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { knownPaths } from '../../src/usage/readers/usage-paths.ts';
import { type FoundUsage, readUsage } from '../../src/usage/usage.ts';
import { usualOrLong } from '../support/effort.ts';

type Json = Record<string, unknown>;
type Step = string | number;

const fixtures = new URL('../fixtures/provider-usage/', import.meta.url);
const fixture = z.object({ event: z.record(z.string(), z.unknown()) });
const events = readdirSync(fixtures).map(
  (name) => [name, fixture.parse(JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))).event] as const,
);

/** Every event in the cases, whatever their files are like. */
const ofCases = readdirSync(new URL('../fixtures/cases/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => [
    ...eventsIn(JSON.parse(readFileSync(new URL(`../fixtures/cases/${name}`, import.meta.url), 'utf8'))),
  ]);

function* eventsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if ('timestamp' in value) yield { ...value };
  else for (const inner of Object.values(value)) yield* eventsIn(inner);
}

const usageNames = [
  ...['usage', 'usageMetadata', 'usage_metadata', 'usage_info', 'usageInfo', 'meta', 'totalUsage', 'providerMetadata'],
  // What answers name beside a usage object (D27.5).
  ...['tool_usage', 'svg_usage', 'metrics', 'trace', 'video', 'durationInSeconds', 'audioDurationSecs'],
  ...['trained_tokens', 'usage_breakdown', 'x_groq'],
];
const isWithoutPrice = new Set(knownPaths.filter((path) => path.isWithoutPrice).map((path) => path.text));

/** The paths to the numbers in a value. */
function* numbersIn(value: unknown, steps: readonly Step[] = []): Generator<readonly Step[]> {
  if (typeof value === 'number') yield steps;
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* numbersIn(item, [...steps, index]);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* numbersIn(inner, [...steps, name]);
  }
}

/** The paths to the numbers in an event's usage objects. */
function numbersOfUsage(event: Json): (readonly Step[])[] {
  const levels: [Json, Step[]][] = [[event, []]];
  if (typeof event.response === 'object' && event.response !== null)
    levels.push([event.response as Json, ['response']]);
  return levels.flatMap(([level, steps]) =>
    usageNames
      // The AI SDK's `usage` beside `totalUsage` is that of the last step, which the total includes.
      .filter((name) => name in level && !(name === 'usage' && 'totalUsage' in level))
      .flatMap((name) => [...numbersIn(level[name], [...steps, name])]),
  );
}

function valueAt(event: unknown, steps: readonly Step[]): unknown {
  return steps.reduce((value, step) => (value as Record<Step, unknown>)[step], event);
}

function withValue(event: Json, steps: readonly Step[], value: number): Json {
  const copy = structuredClone(event);
  const parent = valueAt(copy, steps.slice(0, -1)) as Record<Step, unknown>;
  parent[steps.at(-1) ?? ''] = value;
  return copy;
}

/** A path as coverage names it: `usage.iterations[].input_tokens`. */
const nameOf = (steps: readonly Step[]): string =>
  steps.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[]` : name === '' ? step : `${name}.${step}`),
    '',
  );

/** A path below its usage object: the names in the readers' tables. */
const belowUsage = (steps: readonly Step[]): string => {
  if (steps.includes('models')) return nameOf(steps.slice(steps.lastIndexOf('usage') + 1));
  const names = steps[0] === 'response' ? steps.slice(2) : steps.slice(1);
  return nameOf(names[0] === 'raw' ? names.slice(1) : names);
};

const whatIsRead = ({ usage, units, others, terms, cost, unread }: FoundUsage) => ({
  ...{ usage, units, others, terms, cost, unread },
});

/** Whether another number at a path changes what is read, or is told to be unread. */
function isMinded(event: Json, steps: readonly Step[], other: number): boolean {
  const before = readUsage(event);
  const after = readUsage(withValue(event, steps, other));
  return before.unread.includes(nameOf(steps)) || !isSame(whatIsRead(before), whatIsRead(after));
}

const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));

/** Latencies, and the units of a guardrail that are free. */
const isFree = (path: string): boolean => /latency(?:ms)?$|freeunits$/i.test(path);

/** What Cohere's model counted, beside what is billed. */
const isCountedByCohere = (event: Json, path: string): boolean =>
  /^tokens\.(input|output)_tokens$/.test(path) && textOf(event).includes('billed_units');

/** The numbers that must be minded: all but those without a price. */
const mindedIn = (event: Json): (readonly Step[])[] =>
  numbersOfUsage(event).filter((steps) => {
    const path = belowUsage(steps);
    return !isWithoutPrice.has(path) && !isFree(path) && !isCountedByCohere(event, path);
  });

/** The numbers that another one may replace without a trace. */
const readOver = (event: Json): string[] =>
  mindedIn(event).flatMap((steps) => {
    const value = Number(valueAt(event, steps));
    // A total or a part of 0 beside others says nothing, so a change to 0 may be read over.
    const others = [value + 1, value + 977, Math.floor(value / 3)].filter((other) => other !== 0 && other !== value);
    return others.filter((other) => !isMinded(event, steps, other)).map((other) => `${nameOf(steps)}: ${other}`);
  });

describe('no number of a usage object is read over (D26.3)', () => {
  it.each(events)('in %s', (_, event) => {
    expect(readOver(event)).toEqual([]);
  });

  it('in the answers of the cases, one of each provider and set of numbers, or in every one', () => {
    expect(ofCases.length).toBeGreaterThan(600);
    const kindOf = (event: Json) => [event.provider, ...new Set(numbersOfUsage(event).map(nameOf))].join();
    const some = [...new Map(ofCases.map((event) => [kindOf(event), event])).values()];
    const missed = usualOrLong(some, ofCases).flatMap((event) =>
      readOver(event).map((one) => `${event.provider} ${event.model} ${one}`),
    );
    expect(missed).toEqual([]);
  });

  it('in objects of the same shapes with any numbers, which seldom agree', () => {
    const shapes = events.map(([, event]) => event).filter((event) => mindedIn(event).length > 0);
    const shape = fc.constantFrom(...shapes);
    const numbers = fc.array(fc.nat({ max: 400 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(shape, numbers, fc.nat(), fc.integer({ min: 1_001, max: 2_000 }), (event, values, which, more) => {
        const all = numbersOfUsage(event);
        const mixed = all.reduce((copy, steps, index) => withValue(copy, steps, values[index % 40] ?? 0), event);
        const minded = mindedIn(mixed);
        const steps = minded[which % minded.length] ?? [];
        expect([nameOf(steps), isMinded(mixed, steps, Number(valueAt(mixed, steps)) + more)]).toEqual([
          nameOf(steps),
          true,
        ]);
      }),
      { numRuns: usualOrLong(600, 2_000) },
    );
  });
});

describe('usage of which nothing is understood (D26.3)', () => {
  const unknownName = fc.string({ minLength: 1, maxLength: 8 }).map((name) => `x_${name}`);
  const { node } = fc.letrec<{ node: Json; leaf: unknown }>((tie) => ({
    node: fc.dictionary(unknownName, tie('leaf'), { minKeys: 1, maxKeys: 3 }),
    leaf: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.integer({ min: 1 }),
      fc.double({ min: 0.1, noNaN: true }),
      tie('node'),
    ),
  }));

  it('is unknown, with the paths of its numbers', () => {
    fc.assert(
      fc.property(node, fc.constantFrom('usage', 'usageMetadata', 'usage_info'), (usage, name) => {
        const reading = readUsage({ [name]: usage });
        const names = [
          ...new Set([...numbersIn(usage, [name])].map((steps) => nameOf(steps).slice(0, 128).toWellFormed())),
        ];
        expect(reading).toMatchObject({ usage: null, units: {}, terms: {}, cost: null, isUnknown: names.length > 0 });
        expect(reading.unread.toSorted()).toEqual(names.slice(0, 20).toSorted());
      }),
    );
  });

  it('is not unknown beside counts, units or a cost that are understood', () => {
    for (const known of [{ prompt_tokens: 1 }, { web_searches: 1 }, { usage: { x: 5, cost: 1 } }]) {
      expect(readUsage({ usage: { x: 5 }, ...known })).toMatchObject({ isUnknown: false, unread: ['usage.x'] });
    }
  });

  it('is unknown where no count can be used, and not where there is no number', () => {
    expect(readUsage({ usage: { input_tokens: -3 } })).toMatchObject({
      isUnknown: true,
      unread: ['usage.input_tokens'],
    });
    expect(readUsage({ usage: { input_tokens: 'many' } })).toMatchObject({ isUnknown: true, unread: [] });
    for (const usage of [{}, { x: 0 }, { x: null }, { x: 'text' }, { x: [[], {}] }]) {
      expect(readUsage({ usage })).toMatchObject({ isUnknown: false, unread: [] });
    }
  });

  it('names at most 20 paths of at most 128 characters, however deep and long the object is', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as Json;
    expect(readUsage({ usage: deep }).unread).toEqual([`usage${'.a'.repeat(9)}`]);
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${'n'.repeat(200)}${index}`, 1]));
    expect(readUsage({ usage: wide }).unread).toEqual([`usage.${'n'.repeat(122)}`]);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, 1]));
    expect(readUsage({ usage: many }).unread).toHaveLength(20);
    const iterations = Array.from({ length: 5_000 }, () => ({ type: 'message', input_tokens: 1 }));
    expect(readUsage({ usage: { input_tokens: 5_000, iterations } }).unread).toEqual([
      'usage.iterations[].input_tokens',
    ]);
  });
});

it('every path of the tables names a page that documents it, or leads to one that does', () => {
  for (const { text, sources } of knownPaths) {
    const isDocumented = sources.length > 0 || knownPaths.some((path) => path.text.startsWith(`${text}.`));
    expect([text, isDocumented]).toEqual([text, true]);
    for (const source of sources) expect(() => new URL(source)).not.toThrow();
  }
});
