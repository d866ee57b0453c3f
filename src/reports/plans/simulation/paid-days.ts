import { type Period, toDayNumber } from '../../../lib/days.ts';
import { type DaySpan, isWithin } from '../../facts/allocation.ts';

/** The days of a calendar month that are in the range. */
export interface Month {
  /** The day number of the first of these days. */
  readonly period: number;
  readonly span: DaySpan;
  /** The whole month. */
  readonly whole: DaySpan;
}

/** A period of a range by months: a whole month, or what the range has of it. */
export function toMonth({ dateFrom, dateTo }: Period): Month {
  const first = new Date(`${dateFrom.slice(0, 7)}-01T00:00:00Z`);
  const from = toDayNumber(dateFrom) - Number(dateFrom.slice(8)) + 1;
  first.setUTCMonth(first.getUTCMonth() + 1, 0);
  return {
    period: toDayNumber(dateFrom),
    span: { from: toDayNumber(dateFrom), to: toDayNumber(dateTo) },
    whole: { from, to: from + first.getUTCDate() - 1 },
  };
}

/** Days of a period over which the base of so many months is earned. */
export interface PaidPart {
  readonly period: DaySpan;
  readonly months: bigint;
  /** The days of it that count. */
  readonly span: DaySpan;
}

/** What a customer pays of a calendar month. Equal ones are the same object. */
export interface Paid {
  readonly parts: readonly PaidPart[];
  /** How many months of the plan the parts are. */
  readonly share: { readonly numerator: bigint; readonly denominator: bigint };
}

const daysOf = ({ from, to }: DaySpan): number => to - from + 1;

const daysOfMonth = 365.25 / 12;
/** How far a billing period of whole months is from as many average months: February and four weeks are 2.4 days shorter. */
const toleranceDays = 3;

/** The months that a billing period is; undefined when it is no whole number of them. */
function monthsOf(period: DaySpan): bigint | undefined {
  const months = Math.round(daysOf(period) / daysOfMonth);
  const isWhole = months > 0 && Math.abs(daysOf(period) - months * daysOfMonth) <= toleranceDays;
  return isWhole ? BigInt(months) : undefined;
}

/** Whole months before others, then the shortest and the earliest. */
const byPrecedence = (a: DaySpan, b: DaySpan): number =>
  Number(monthsOf(a) === undefined) - Number(monthsOf(b) === undefined) || daysOf(a) - daysOf(b) || a.from - b.from;

/**
 * The days of a month that customers pay for. Where revenue covers several days at once, these are the days: a plan that is
 * billed from the 16th to the 15th is paid once. Revenue of whole months is a billing period, over which as many bases are
 * earned; of any other, a day is its share of the calendar month. Without such revenue in the whole month, all of it is
 * paid for. A day is paid once, even if several entries cover it.
 */
export class PaidDays {
  readonly #month: Month;
  readonly #known = new Map<string, Paid>();

  constructor(month: Month) {
    this.#month = month;
  }

  /** By the spans of a customer's revenue of more than 0, in any order. */
  of(spans: readonly DaySpan[]): Paid {
    const { whole } = this.#month;
    const lasting = spans.filter((span) => span.from < span.to && isWithin(span, whole)).sort(byPrecedence);
    const key = lasting.map(({ from, to }) => `${from}-${to}`).join();
    const paid = this.#known.get(key) ?? toPaid(this.#partsOf(lasting.length > 0 ? lasting : [whole]));
    this.#known.set(key, paid);
    return paid;
  }

  /** Days of the range, each in the first of the spans that has it. */
  #partsOf(spans: readonly DaySpan[]): PaidPart[] {
    const { span: asked, whole } = this.#month;
    const parts: PaidPart[] = [];
    let last: { period: DaySpan; months: bigint; span: { from: number; to: number } } | undefined;
    for (let day = asked.from; day <= asked.to; day += 1) {
      const found = spans.find(({ from, to }) => from <= day && day <= to);
      if (!found) continue;
      const months = monthsOf(found);
      const period = months === undefined ? whole : found;
      if (last?.period === period && last.span.to === day - 1) last.span.to = day;
      else {
        last = { period, months: months ?? 1n, span: { from: day, to: day } };
        parts.push(last);
      }
    }
    return parts;
  }
}

function toPaid(parts: readonly PaidPart[]): Paid {
  const share = parts.reduce(
    ({ numerator, denominator }, { period, months, span }) => {
      const days = BigInt(daysOf(period));
      const common = leastCommonMultiple(denominator, days);
      return {
        numerator: numerator * (common / denominator) + months * BigInt(daysOf(span)) * (common / days),
        denominator: common,
      };
    },
    { numerator: 0n, denominator: 1n },
  );
  return { parts, share };
}

export function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [one, other] = [a, b];
  while (other !== 0n) [one, other] = [other, one % other];
  return (a / one) * b;
}
