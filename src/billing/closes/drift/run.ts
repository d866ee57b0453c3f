import { type Generations, isFrozen } from '../../../calls/generations.ts';
import { addDays, type Day, earlierOf, listDays, type Period, toDayNumber } from '../../../lib/days.ts';
import { stepsInTurns } from '../../../lib/in-turns.ts';
import { parseWideMoney, type WideMoney, widen } from '../../../lib/money.ts';
import { readCoveredCosts } from '../../../reports/asking/cost-basis.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import { sumEarned } from '../../../reports/facts/allocation.ts';
import type { AsOf } from '../../../reports/facts/as-of.ts';
import type { Close } from '../../../reports/facts/closes.ts';
import { attributeCalls, type CallPairs } from './attribute-calls.ts';
import { attributeCells, attributeCredits } from './attribute-cells.ts';
import { attributeRevenue, type ChangedEntries, findChangedEntries } from './attribute-revenue.ts';
import { readSharedOfSides, readShareParts, type SharedOfSides } from './attribute-shares.ts';
import { listChangedDays, listCoveredDays, type Sides } from './changed-days.ts';
import {
  compareRows,
  type DriftAmount,
  type DriftGroup,
  type DriftPart,
  type DriftPlace,
  type DriftRow,
  DriftSums,
} from './drift-part.ts';
import { type PairRecord, selectPairs } from './pairs-sql.ts';
import { type DriftSide, readSums, readTotal } from './read-sums.ts';

export interface DriftPlan {
  /** Days up to the last one of the close. */
  readonly period: Period;
  readonly limit: number;
  /** Subtotals of this; undefined for a row for each day, customer and cause. */
  readonly groupBy: DriftGroup | undefined;
  readonly includeShared: boolean;
  /** The last row of the previous page. */
  readonly after: DriftPlace | undefined;
}

export interface Drift {
  /** In order; one more than the limit if there are more. */
  readonly rows: readonly DriftRow[];
  /** The total over all rows, including those of other pages. */
  readonly totals: Readonly<Record<DriftAmount, WideMoney>>;
}

type DriftSources = Pick<AnswerSources, 'store' | 'answerCache' | 'control'>;

/** How many days the first statement reads. Few, so that a page of a long range reads little more than its own days. */
const firstDays = 4;
/** A call that moves by more days counts as gone on one day and as new on the other. */
const pairDays = 2;

/** Reads the changes since a close, as planned. */
export async function runDrift(
  asOf: Sides<AsOf>,
  close: Close,
  { period, limit, groupBy, includeShared, after }: DriftPlan,
  sources: DriftSources,
): Promise<Drift> {
  const sides = {
    pinned: await addCovered(asOf.pinned, period, sources),
    current: await addCovered(asOf.current, period, sources),
  };
  const generations = { pinned: asOf.pinned.generations, current: asOf.current.generations };
  const changed = listChangedDays(generations, period);
  const covered = listCoveredDays({ pinned: sides.pinned.covered, current: sides.current.covered });
  const creditDays = new Set([...covered.changed, ...changed.filter((day) => covered.all.has(day))]);
  const entries = findChangedEntries(
    await asOf.pinned.facts.readAllocations(period),
    await asOf.current.facts.readAllocations(period),
  );
  const shared = includeShared ? await readSharedOfSides(asOf, period, changed) : { days: new Set<Day>(), total: 0n };
  const comparison: Comparison = {
    sides,
    generations,
    close,
    changed: new Set(changed),
    paired: listChangedDays(generations, {
      dateFrom: addDays(period.dateFrom, -pairDays),
      dateTo: earlierOf(addDays(period.dateTo, pairDays), close.through),
    }),
    creditDays,
    entries,
    shared,
    rereads: await readRereads(sources, close),
    hasErasures: await hasErasures(sources, close),
  };
  const days = [...new Set([...changed, ...creditDays, ...daysOf(entries, period), ...shared.days])].sort();
  const rows: DriftRow[] = [];
  const isNext = (row: DriftRow) => !after || compareRows(row, after) > 0;
  const subtotals = groupBy && new DriftSums(groupBy);
  const from = after?.day;
  const left = from === undefined ? days : days.filter((day) => day >= from);
  for (let first = 0, count = firstDays; first < left.length && rows.length <= limit; first += count, count *= 2) {
    const parts = await readParts(comparison, left.slice(first, first + count), sources);
    if (subtotals) subtotals.add(parts);
    else rows.push(...new DriftSums().add(parts).rows().filter(isNext));
  }
  if (subtotals) rows.push(...subtotals.rows().filter(isNext));
  return { rows: rows.slice(0, limit + 1), totals: await readTotals(comparison, days, sources) };
}

interface Comparison {
  readonly sides: Sides<DriftSide>;
  readonly generations: Sides<Generations>;
  readonly close: Close;
  readonly changed: ReadonlySet<Day>;
  /** The changed days of the period, and those around it where calls of the period may have been or may be now. */
  readonly paired: readonly Day[];
  readonly creditDays: ReadonlySet<Day>;
  readonly entries: ChangedEntries;
  readonly shared: SharedOfSides;
  readonly rereads: readonly number[];
  readonly hasErasures: boolean;
}

async function addCovered(side: AsOf, period: Period, sources: DriftSources): Promise<DriftSide> {
  const { generations, facts } = side;
  return { ...side, covered: await readCoveredCosts(sources, { generations, facts, period }) };
}

async function readRereads({ control }: DriftSources, close: Close): Promise<number[]> {
  const rows = await control
    .selectFrom('rebuilds')
    .select('generation')
    .where('project_id', '=', close.project_id)
    .where('reread', '=', 1)
    .where('dry_run', '=', 0)
    .where('finished_at', '>=', close.closed_at)
    .execute();
  return rows.map(({ generation }) => generation);
}

async function hasErasures({ control }: DriftSources, close: Close): Promise<boolean> {
  const found = await control
    .selectFrom('erasures')
    .select('id')
    .where('project_id', '=', close.project_id)
    .where((erasure) => erasure.or([erasure('finished_at', 'is', null), erasure('finished_at', '>=', close.closed_at)]))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function daysOf({ gone, come }: ChangedEntries, { dateFrom, dateTo }: Period): Set<Day> {
  const [first, last] = [toDayNumber(dateFrom), toDayNumber(dateTo)];
  // How many entries begin on a day, less those that ended the day before.
  const changes = new Map<number, number>();
  const change = (day: number, by: number) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const { allocation } of [...gone, ...come]) {
    if (allocation.from > last || allocation.to < first) continue;
    change(Math.max(allocation.from, first), 1);
    change(Math.min(allocation.to, last) + 1, -1);
  }
  let entries = 0;
  const days = listDays(dateFrom, dateTo).filter((day) => {
    entries += changes.get(toDayNumber(day)) ?? 0;
    return entries > 0;
  });
  return new Set(days);
}

/** The parts of some days. The days are in order. */
async function readParts(comparison: Comparison, days: readonly Day[], sources: DriftSources): Promise<DriftPart[]> {
  const { sides, changed, creditDays, entries, shared } = comparison;
  const { pinned, current } = sides;
  const isWithoutCalls = (day: Day) => isFrozen(pinned.generations, day) || isFrozen(current.generations, day);
  const ofCells = days.filter((day) => changed.has(day) && isWithoutCalls(day));
  const ofCalls = days.filter((day) => changed.has(day) && !isWithoutCalls(day));
  const summed = days.filter((day) => creditDays.has(day) || (changed.has(day) && isWithoutCalls(day)));
  const [before, now] = await Promise.all([readSums(sources, pinned, summed), readSums(sources, current, summed)]);
  const onCells = new Set(ofCells);
  return [
    ...(await readPairs(comparison, ofCalls, sources)),
    ...attributeCells(
      before.filter(({ day }) => onCells.has(day)),
      now.filter(({ day }) => onCells.has(day)),
    ),
    ...attributeCredits(before, now),
    ...(await stepsInTurns(attributeRevenue(entries, days))),
    ...(await readShareParts(
      sources,
      sides,
      days.filter((day) => shared.days.has(day)),
    )),
  ];
}

/** The parts of these days, computed from their calls. Calls are paired with calls of nearby days. */
async function readPairs(comparison: Comparison, days: readonly Day[], { store }: DriftSources): Promise<DriftPart[]> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { generations, close, paired, hasErasures, rereads } = comparison;
  const [from, to] = [addDays(first, -pairDays), addDays(last, pairDays)];
  const nearby = paired.filter(
    (day) => day >= from && day <= to && !isFrozen(generations.pinned, day) && !isFrozen(generations.current, day),
  );
  const { sql, parameters } = selectPairs({
    projectId: close.project_id,
    days: nearby,
    generations,
    through: close.through,
    closedAt: close.closed_at,
    hasErasures,
    rereads,
  });
  const pairs = (await store.select<PairRecord>(sql, parameters)).map(toPairs);
  const asked = new Set(days);
  return attributeCalls(pairs).filter(({ day }) => asked.has(day));
}

function toPairs(record: PairRecord): CallPairs {
  return {
    pinned:
      Number(record.has_pinned) === 1
        ? { day: record.pinned_day, customer: record.pinned_customer, cost: parseWideMoney(record.pinned_cost) }
        : undefined,
    current:
      Number(record.has_current) === 1
        ? { day: record.current_day, customer: record.current_customer, cost: parseWideMoney(record.current_cost) }
        : undefined,
    isErased: Number(record.is_erased) === 1,
    isOverEdge: Number(record.over_edge) === 1,
    hasSameTime: Number(record.same_time) === 1,
    hasSameUsage: Number(record.same_usage) === 1,
    hasSameBook: Number(record.same_book) === 1,
    isReread: Number(record.is_reread) === 1,
  };
}

async function readTotals(
  { sides, changed, creditDays, entries, shared }: Comparison,
  days: readonly Day[],
  sources: DriftSources,
): Promise<Drift['totals']> {
  const summed = days.filter((day) => changed.has(day) || creditDays.has(day));
  const [before, now] = await Promise.all([
    readTotal(sources, sides.pinned, summed),
    readTotal(sources, sides.current, summed),
  ]);
  return {
    cost: now.cost - before.cost,
    credits: now.covered - before.covered,
    shared_cost: shared.total,
    revenue: widen((await calcEarnedOn(entries.come, days)) - (await calcEarnedOn(entries.gone, days))),
  };
}

async function calcEarnedOn(entries: ChangedEntries['come'], days: readonly Day[]): Promise<bigint> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return 0n;
  const span = { from: toDayNumber(first), to: toDayNumber(last) };
  const [sum = 0n] = await stepsInTurns(
    sumEarned(
      entries.map(({ allocation }) => allocation),
      [span],
    ),
  );
  return sum;
}
