import { compareCodePoints } from '../../../lib/code-points.ts';
import { type Period, toDayNumber } from '../../../lib/days.ts';
import { divideToNumber, type Money, toJsonNumber } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { compareRecords, type PagePlan, type PeriodRecord } from '../../../reports/asking/page.ts';
import { type Contribution, describePart, describePrice } from './hints.ts';
import type { DayRange, Line, LineDay } from './line.ts';
import type { ReconciledBy } from './parse.ts';
import type { OtherPrice, PartCause, PartOfDay, SplitLine } from './split.ts';
import { type PartKind, type PartWire, partKinds } from './wire.ts';

/** A row: the computed and the invoiced amount of a period, and the parts of the difference. */
export interface ReconciledRecord extends PeriodRecord {
  readonly computed: Money;
  readonly invoiced: Money;
  readonly parts: readonly ReconciledPart[];
}

export interface ReconciledPart {
  readonly kind: PartKind;
  readonly amount: Money;
  /** The number of affected calls; undefined if it can't be determined. */
  readonly calls: bigint | undefined;
  readonly contributions: readonly Contribution[];
  /** Only for a part of the kind `price`. */
  readonly price: { readonly line: Line; readonly other: OtherPrice } | undefined;
}

type Placed = Pick<PagePlan, 'periods' | 'range' | 'afterValue' | 'limit'>;

/**
 * Sums the days of lines to rows. Returns the rows of the page's first periods after its cursor, in order: all rows of
 * these, and more than a page has if there are more.
 */
export function* toRecords(
  split: readonly SplitLine[],
  { periods: all, range, afterValue, limit }: Placed,
  groupBy: ReconciledBy | undefined,
): Slices<ReconciledRecord[]> {
  const firstDay = toDayNumber(range.dateFrom);
  const valueOfLine = (line: Line) => (groupBy === undefined ? '' : line[groupBy]);
  const periods = yield* findFirstPeriods(split, { periods: all, range, afterValue, limit }, valueOfLine);
  const periodOfPlace = indexPeriods(periods, firstDay);
  const drafts = new Map<string, RowDraft>();
  const draftOf = (place: number, line: Line): RowDraft | undefined => {
    const index = periodOfPlace.get(place);
    const first = index === undefined ? undefined : periods[index];
    if (first === undefined) return undefined;
    const period = toDayNumber(first.dateFrom);
    const value = valueOfLine(line);
    const key = `${period} ${value}`;
    const found = drafts.get(key) ?? new RowDraft(period, value);
    drafts.set(key, found);
    return found;
  };
  for (const { line, price, parts } of split) {
    line.days.forEach((day, place) => {
      if (isEmpty(day)) return;
      const { computed, charged, others } = day;
      draftOf(place, line)?.add(
        computed,
        [charged, ...others.values()].reduce((sum, amount) => sum + amount, 0n),
      );
    });
    for (const part of parts) draftOf(part.place, line)?.addPart(line, part, price);
    yield;
  }
  const first = periods[0];
  const isAfter = ({ period, value }: PeriodRecord) =>
    afterValue === undefined ||
    first === undefined ||
    period > toDayNumber(first.dateFrom) ||
    compareCodePoints(value, afterValue) > 0;
  const records: ReconciledRecord[] = [];
  for (const draft of drafts.values()) {
    const record = draft.toRecord();
    if (isAfter(record)) records.push(record);
    yield;
  }
  return records.sort(compareRecords);
}

const isEmpty = ({ computed, charged, used, others }: LineDay): boolean =>
  computed === 0n && charged === 0n && used.calls === 0n && others.size === 0;

/** The index of the period of each day, by the day's offset. */
function indexPeriods(periods: readonly Period[], firstDay: number): Map<number, number> {
  const ofPlace = new Map<number, number>();
  for (const [index, { dateFrom, dateTo }] of periods.entries()) {
    for (let day = toDayNumber(dateFrom); day <= toDayNumber(dateTo); day += 1) ofPlace.set(day - firstDay, index);
  }
  return ofPlace;
}

/** The first periods that fill a page. Rows take far more memory than days, so those of later pages are not made. */
function* findFirstPeriods(
  split: readonly SplitLine[],
  { periods, range, afterValue, limit }: Placed,
  valueOfLine: (line: Line) => string,
): Slices<readonly Period[]> {
  const periodOfPlace = indexPeriods(periods, toDayNumber(range.dateFrom));
  const rows = new Array<number>(periods.length).fill(0);
  for (const [value, ofValue] of Map.groupBy(split, ({ line }) => valueOfLine(line))) {
    const seen = new Set<number>();
    const note = (place: number) => {
      const index = periodOfPlace.get(place);
      const isBefore = index === 0 && afterValue !== undefined && compareCodePoints(value, afterValue) <= 0;
      if (index !== undefined && !isBefore) seen.add(index);
    };
    for (const { line, parts } of ofValue) {
      line.days.forEach((day, place) => {
        if (!isEmpty(day)) note(place);
      });
      for (const { place } of parts) note(place);
      yield;
    }
    for (const index of seen) rows[index] = (rows[index] ?? 0) + 1;
  }
  let found = 0;
  const last = rows.findIndex((count) => {
    found += count;
    return found > limit;
  });
  return last === -1 ? periods : periods.slice(0, last + 1);
}

interface Sum {
  readonly line: Line;
  readonly cause: PartCause;
  readonly kind: PartKind;
  readonly price: OtherPrice | undefined;
  amount: Money;
  calls: bigint | undefined;
}

/** Collects the days of a row's lines. */
class RowDraft {
  readonly #period: number;
  readonly #value: string;
  #computed = 0n;
  #invoiced = 0n;
  readonly #sums = new Map<Line, Map<PartCause, Sum>>();

  constructor(period: number, value: string) {
    this.#period = period;
    this.#value = value;
  }

  add(computed: Money, invoiced: Money): void {
    this.#computed += computed;
    this.#invoiced += invoiced;
  }

  addPart(line: Line, { kind, cause, amount, calls }: PartOfDay, price: OtherPrice | undefined): void {
    const ofLine = this.#sums.get(line) ?? new Map<PartCause, Sum>();
    this.#sums.set(line, ofLine);
    const sum = ofLine.get(cause) ?? {
      line,
      cause,
      kind,
      price,
      amount: 0n,
      calls: undefined,
    };
    ofLine.set(cause, sum);
    sum.amount += amount;
    if (calls !== undefined) sum.calls = (sum.calls ?? 0n) + calls;
  }

  toRecord(): ReconciledRecord {
    const sums = [...this.#sums.values()].flatMap((ofLine) => [...ofLine.values()]);
    return {
      period: this.#period,
      value: this.#value,
      computed: this.#computed,
      invoiced: this.#invoiced,
      parts: partKinds.flatMap((kind) =>
        toParts(
          kind,
          sums.filter((sum) => sum.kind === kind),
        ),
      ),
    };
  }
}

/** The parts of one kind: a single one, or for `price` one for each line, the largest first. */
function toParts(kind: PartKind, sums: readonly Sum[]): ReconciledPart[] {
  const groups = kind === 'price' ? sums.toSorted(largestFirst).map((sum) => [sum]) : [sums];
  return groups.flatMap((group) => {
    const amount = group.reduce((total, sum) => total + sum.amount, 0n);
    const known = group.flatMap(({ calls }) => (calls === undefined ? [] : [calls]));
    const calls = known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0n);
    if (amount === 0n && (calls ?? 0n) === 0n) return [];
    const [first] = group;
    return [
      {
        kind,
        amount,
        calls,
        contributions: group.map((sum) => ({ ...sum, calls: sum.calls ?? 0n })),
        price: kind === 'price' && first?.price ? { line: first.line, other: first.price } : undefined,
      },
    ];
  });
}

const sizeOf = ({ amount }: Sum): Money => (amount < 0n ? -amount : amount);
const largestFirst = (a: Sum, b: Sum): number =>
  sizeOf(a) === sizeOf(b) ? compareCodePoints(a.line.model, b.line.model) : sizeOf(a) > sizeOf(b) ? -1 : 1;

export const toPartWire = (
  { kind, amount, calls, contributions, price }: ReconciledPart,
  period: DayRange,
): PartWire => ({
  kind,
  amount: toJsonNumber(amount),
  ...(calls !== undefined && calls > 0n && { calls: Number(calls) }),
  hint: price ? describePrice(price.line, price.other) : describePart(contributions, period),
  ...(price?.other.override && { override: price.other.override }),
});

/** The difference in percent of the computed cost; null when that cost is 0. */
export const calcDifferencePct = ({ computed, invoiced }: Pick<ReconciledRecord, 'computed' | 'invoiced'>) =>
  computed === 0n ? null : divideToNumber(100n * (invoiced - computed), computed);
