import type { Firing } from '../api/types.ts';
import { toCount, toDayRange, toDollars, toDollarsBeside, toPercent, toTime, toWords } from '../lib/format.ts';
import { isDay } from '../lib/is-day.ts';
import type { Search } from '../state/search.ts';
import { kinds } from './kinds.ts';

export interface NumberWords {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  /** What its calls are selected by, where that is known. */
  readonly calls?: Partial<Search>;
}

type Numbers = Readonly<Record<string, unknown>>;

/** The numbers of a firing that are USD. */
const amounts = new Set(Object.values(kinds).flatMap((kind) => kind.amounts ?? []));
/** Endings of names that tell the unit. */
const unit = /_(?:pct|minutes|at|from)$/;

/** What names alone do not say. */
const labels: Readonly<Record<string, string>> = {
  spread: 'usual deviation',
  hours: 'hours so far',
  days: 'days looked at',
  margin_below_pct: 'limit',
};

/** The numbers of a firing in words, without those that are not there, and lists. */
export function toNumberWords(numbers: Numbers, timezone: string): NumberWords[] {
  return Object.entries(numbers).flatMap(([name, value]) => {
    if ((typeof value !== 'number' && typeof value !== 'string') || isSaidBefore(name, numbers)) return [];
    const text =
      typeof value === 'number'
        ? toNumber(name, value, numbers.cost)
        : toText(name, value, lastDayOf(name, numbers), timezone);
    const more = typeof value === 'number' ? shareOf(name, numbers) : '';
    return [{ name, label: labels[name] ?? toWords(name.replace(unit, '')), text: `${text}${more}` }];
  });
}

/** Whether the title says it, or another number shows it: an amount its percentage, a first day the last day and the kind of period. */
const isSaidBefore = (name: string, numbers: Numbers): boolean =>
  name === 'kind' ||
  name === 'reason' ||
  (name.endsWith('_pct') && name.slice(0, -4) in numbers) ||
  (name.endsWith('_to') && `${name.slice(0, -3)}_from` in numbers) ||
  (name === 'from' && numbers.from === numbers.day) ||
  `${name}_from` in numbers;

function shareOf(name: string, numbers: Numbers): string {
  const share = numbers[`${name}_pct`];
  // There is no share of no revenue.
  return typeof share === 'number' && numbers.revenue !== 0 ? ` (${toPercent(share)})` : '';
}

const lastDayOf = (name: string, numbers: Numbers): unknown =>
  name.endsWith('_from') ? numbers[`${name.slice(0, -5)}_to`] : undefined;

function toNumber(name: string, value: number, cost: unknown): string {
  if (name.endsWith('_pct')) return toPercent(value);
  if (name.endsWith('_minutes')) return `${toCount(value)} min`;
  if (!amounts.has(name)) return toCount(value);
  return name === 'expected' || name === 'spread' ? toDollarsBeside(value, Number(cost)) : toDollars(value);
}

function toText(name: string, value: string, last: unknown, timezone: string): string {
  if (isDay(value)) return toDayRange({ from: value, to: isDay(last) ? last : value });
  return name.endsWith('_at') && !Number.isNaN(Date.parse(value)) ? toTime(value, timezone) : toWords(value);
}

/** What of a subject is a time, and no name. */
const times: readonly string[] = ['from', 'since', 'period_from'];

/** The names in a firing's texts. */
export const toNames = ({ subject }: Pick<Firing, 'subject'>): string[] =>
  Object.entries(subject).flatMap(([key, name]) => (typeof name === 'string' && !times.includes(key) ? [name] : []));
