import { hash } from 'node:crypto';
import type { Generations } from '../../calls/generations.ts';
import type { Day, Period } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { AnswerTooLarge, Problem } from '../../lib/problem.ts';
import { type CellScope, type CellSource, readCostTable, readOpenCalls } from '../../reports/asking/cells.ts';
import { type CostBasis, netOf, readCoveredCosts } from '../../reports/asking/cost-basis.ts';
import type { AnalyticsSources } from '../../reports/asking/sources.ts';
import type { CoveredCosts } from '../../reports/facts/burn-down.ts';
import { currentFacts } from '../../reports/facts/facts.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Budget, BudgetSpan } from './budget.ts';
import { type ChangingSums, readChangingSums, renewChangingSums } from './changing-sums.ts';
import { type BudgetGroup, grainOf, groupBudgets, type PlannedBudget, spanOf } from './plan.ts';
import { filtersOfAll, type RowsWanted, type SumsRecord, type SumsSelection, selectSums } from './sums-sql.ts';

/** What was spent, by the value of `each`; a budget without `each` has one sum, under `''`. */
export type Sums = ReadonlyMap<string, WideMoney>;

/** What was spent on a budget in the period of an instant. */
export interface Spending {
  readonly budget: Budget;
  readonly span: BudgetSpan;
  /** Sums to add up: those of sealed days, and those of open days. */
  readonly parts: readonly Sums[];
  /** Why the sums are not known: there are `too_many` values, or reading was refused. */
  readonly failure: 'too_many' | Problem | undefined;
}

export const spentOf = ({ parts }: Pick<Spending, 'parts'>, of = ''): WideMoney =>
  parts.reduce((sum, part) => sum + (part.get(of) ?? 0n), 0n);

/** Sums by value, added up over the parts. */
export function totalOf({ parts }: Pick<Spending, 'parts'>): Map<string, WideMoney> {
  const total = new Map<string, WideMoney>();
  for (const part of parts) for (const [of, sum] of part) total.set(of, (total.get(of) ?? 0n) + sum);
  return total;
}

export type SpentSources = Pick<AnalyticsSources, 'store' | 'answerCache' | 'control'>;

/** Sums that were read before, by the statement that reads them. */
export interface KnownSums {
  /** Of sealed days: they never change. */
  readonly sealed: Map<string, readonly Sums[]>;
  /** Of open days, by value. */
  readonly changing: Map<string, ChangingSums>;
}

export const noKnownSums = (): KnownSums => ({ sealed: new Map(), changing: new Map() });

export interface SpentWanted {
  readonly projectId: string;
  readonly planned: readonly PlannedBudget[];
  readonly generations: Generations;
  readonly rows: RowsWanted;
  /** Sums from the last read. The result has the sums that this read needed; sums of open days are updated in place. */
  readonly known?: KnownSums;
  /** From this many values on, only values with new calls are read again; default: `manyValues`. */
  readonly manyValues?: number | undefined;
}

/** With fewer values, all are read again: that scans calls once, reading only the changed ones three times. */
const manyValues = 5_000;

export interface SpentRead {
  /** In the order in which the budgets were planned. */
  readonly spendings: readonly Spending[];
  readonly known: KnownSums;
}

/**
 * Reads what was spent on budgets, from the rows that `POST /api/costs/` answers from: cells of sealed days, and calls
 * of open days. Both use the same generations, so all sums describe one state.
 * @throws Problem as the store's `select` does
 */
export async function readSpent(sources: SpentSources, wanted: SpentWanted): Promise<SpentRead> {
  const { planned } = wanted;
  const needed = noKnownSums();
  const covered = await readCovered(sources, wanted);
  const parts = new Map<PlannedBudget, Sums[]>(planned.map((one) => [one, []]));
  const failures = new Map<PlannedBudget, Spending['failure']>();
  await Promise.all(
    listReads(wanted).map(async (read) => {
      const found = await readGroup(sources, { ...wanted, ...read, covered, needed }).catch(tooManyIfTooLarge);
      read.group.planned.forEach((one, index) => {
        if ('failure' in found) failures.set(one, found.failure);
        else parts.get(one)?.push(found.sums[index] ?? new Map());
      });
    }),
  );
  return {
    spendings: planned.map((one) => {
      const failure = failures.get(one);
      return { budget: one.budget, span: one.span, parts: failure ? [] : (parts.get(one) ?? []), failure };
    }),
    known: needed,
  };
}

/** As `readSpent`, for one budget. @throws Problem when reading it was refused */
export async function readSpentOnOne(sources: SpentSources, wanted: SpentWanted): Promise<Spending> {
  const [spending] = (await readSpent(sources, wanted)).spendings;
  if (!spending) throw new Error('One budget was planned');
  if (spending.failure instanceof Error) throw spending.failure;
  return spending;
}

/** A statement to run: its budgets, its days, and the shares of credits that it needs. */
interface Read {
  readonly group: BudgetGroup;
  readonly table: () => CellSource;
  readonly needsShareOf: (day: Day) => boolean;
  /** Whether it reads only calls of open days. */
  readonly isOfOpen?: boolean;
}

/**
 * The statements to run. Cells of sealed days and calls of open days are read apart, because only the latter change.
 * One statement reads both in two cases: no cells have the dimensions of a budget, or the sums of all days decide which
 * values are wanted.
 */
function listReads({ projectId, planned, generations, rows }: SpentWanted): Read[] {
  const scopeOf = ({ period }: BudgetGroup, part: Partial<Generations>): CellScope => ({
    projectId,
    period,
    generations: { ...generations, ...part },
  });
  const [split, whole] = partition(planned, (one) => grainOf(one) !== undefined && (!one.each || rows.which === 'all'));
  const open = new Set(generations.openDays);
  const ofAll = groupBudgets(whole, 'cells').map(
    (group): Read => ({
      group,
      table: () => readCostTable(scopeOf(group, {}), { dimensions: group.dimensions, filters: filtersOfAll(group) }),
      needsShareOf: () => true,
    }),
  );
  const ofSealed = groupBudgets(split, 'cells')
    .filter(({ period }) => [...generations.seals.keys()].some((day) => isWithin(period, day)))
    .map(
      (group): Read => ({
        group,
        table: () =>
          readCostTable(scopeOf(group, { openDays: [] }), {
            dimensions: group.dimensions,
            filters: filtersOfAll(group),
          }),
        needsShareOf: (day) => !open.has(day),
      }),
    );
  const ofOpen = groupBudgets(split, 'calls')
    .filter(({ period }) => generations.openDays.some((day) => isWithin(period, day)))
    .map(
      (group): Read => ({
        group,
        table: () => readOpenCalls(scopeOf(group, {}), filtersOfAll(group)),
        needsShareOf: (day) => open.has(day),
        isOfOpen: true,
      }),
    );
  return [...ofAll, ...ofSealed, ...ofOpen];
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** The shares of costs that credits cover, once for all budgets that need them. */
async function readCovered(
  sources: SpentSources,
  { projectId, planned, generations }: SpentWanted,
): Promise<CoveredCosts> {
  const period = spanOf(planned.filter(({ budget }) => budget.applyCredits).map(({ span }) => span));
  if (!period) return { models: [], shares: [] };
  return await readCoveredCosts(sources, { generations, facts: currentFacts(sources.control, projectId), period });
}

interface GroupWanted extends SpentWanted, Read {
  readonly covered: CoveredCosts;
  /** Collects the sums that the next read can reuse. */
  readonly needed: KnownSums;
}

/** Values of long names can be too many before they are as many as are held. */
const tooManyIfTooLarge = (error: unknown): GroupRead => {
  if (error instanceof AnswerTooLarge) return { failure: 'too_many' };
  throw error;
};

type GroupRead = { readonly sums: readonly Sums[] } | Required<Pick<Spending, 'failure'>>;

/** Reads the sums of a group, unless they are of sealed days and known. */
async function readGroup({ store }: SpentSources, wanted: GroupWanted): Promise<GroupRead> {
  const { group, rows, known, needed } = wanted;
  let table: CellSource;
  try {
    table = wanted.table();
  } catch (error) {
    // One budget that needs deleted calls must not hide the others.
    if (error instanceof Problem && error.code === 'beyond_retention') return { failure: error };
    throw error;
  }
  const selection = { group, table, basis: basisOf(wanted), rows };
  if (wanted.isOfOpen && group.each) return await readValues(store, wanted, { ...selection, withVersion: true });
  const statement = selectSums(selection);
  const key = table.rows === 'settled' ? identify(statement) : undefined;
  const before = key && known?.sealed.get(key);
  if (key && before) {
    needed.sealed.set(key, before);
    return { sums: before };
  }
  const { sql, parameters } = statement;
  const records = table.rows === 'none' ? [] : await store.select<SumsRecord>(sql, parameters);
  if (group.each && records.length > rows.most) return { failure: 'too_many' };
  const sums = await toSums(group, records);
  if (key) needed.sealed.set(key, sums);
  return { sums };
}

/** Reads the sums of open days by value: only the changed ones if the others are known, otherwise all. */
async function readValues(
  store: SpentSources['store'],
  { known, needed, manyValues: many = manyValues }: GroupWanted,
  selection: SumsSelection,
): Promise<GroupRead> {
  const key = identify(selectSums(selection));
  const before = known?.changing.get(key);
  const isMany = before?.ofBudgets.some(({ sums }) => sums.size >= many);
  const isRenewed = before && isMany && (await renewChangingSums(store, selection, before));
  const sums = isRenewed ? before : await readChangingSums(store, selection);
  if (!sums) return { failure: 'too_many' };
  needed.changing.set(key, sums);
  return { sums: sums.ofBudgets.map((ofBudget) => ofBudget.sums) };
}

const isWithin = ({ dateFrom, dateTo }: Period, day: Day): boolean => day >= dateFrom && day <= dateTo;

/** Binds the shares of the statement's own days: a share of an open day leaves that of sealed days as it is. */
function basisOf({ group, covered, needsShareOf }: GroupWanted): CostBasis {
  const shares = group.isNet
    ? covered.shares.filter(({ day }) => isWithin(group.period, day) && needsShareOf(day))
    : [];
  return netOf({ models: covered.models, shares });
}

async function toSums({ planned }: BudgetGroup, rows: readonly SumsRecord[]): Promise<Sums[]> {
  const sums = planned.map(() => new Map<string, WideMoney>());
  await inTurns(rows, (row) => {
    for (const [index, ofBudget] of sums.entries()) {
      const sum = parseWideMoney(row[`sum_${index}`] ?? '0');
      if (sum !== 0n) ofBudget.set(row.value ?? '', sum);
    }
  });
  return sums;
}

/** Shares of credits are bigints, which JSON cannot hold. */
const identify = ({ sql, parameters }: Clause): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
