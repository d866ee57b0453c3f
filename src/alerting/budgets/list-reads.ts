import type { Generations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import { addDays, type Day, type Period, toDayNumber } from '../../lib/days.ts';
import {
  type CellScope,
  type CellSource,
  readAllCalls,
  readCostTable,
  readOpenCalls,
  splitDays,
} from '../../reports/asking/cells.ts';
import { all } from '../../reports/asking/where.ts';
import { type Clause, setOf } from '../../storage/analytic/clause.ts';
import type { BudgetSpan } from './budget.ts';
import { type BudgetGroup, grainOf, groupBudgets, isOfRuns, type PlannedBudget } from './plan.ts';
import { filtersOfAll, type RowsWanted } from './sums-sql.ts';

export interface ReadsWanted {
  readonly projectId: string;
  readonly planned: readonly PlannedBudget[];
  readonly generations: Generations;
  readonly rows: RowsWanted;
}

/** A statement to run: its budgets, its days, and the shares of credits that it needs. */
export interface Read {
  readonly group: BudgetGroup;
  readonly table: () => CellSource;
  readonly needsShareOf: (day: Day) => boolean;
  /** Whether it reads only calls of open days. */
  readonly isOfOpen?: boolean;
  /** Reads by slot of this length, in milliseconds. */
  readonly slotMs?: number | undefined;
}

/**
 * The statements to run. Cells of sealed days and calls of open days are read apart, because only the latter change.
 * One statement reads both in two cases: no cells have the dimensions of a budget, or the sums of all days decide which
 * values are wanted.
 */
export function listReads({ projectId, planned, generations, rows }: ReadsWanted): Read[] {
  const scopeOf = ({ period }: BudgetGroup, part: Partial<Generations>): CellScope => ({
    projectId,
    period,
    generations: { ...generations, ...part },
  });
  const open = new Set(generations.openDays);
  const { edges, split, whole } = splitReads(planned, rows);
  const ofAll = groupBudgets(whole, 'cells').map(
    (group): Read => ({
      group,
      table: () =>
        group.planned.some(needsCalls)
          ? readAllCalls(scopeOf(group, {}), filtersOfAll(group))
          : readCostTable(scopeOf(group, {}), { dimensions: group.dimensions, filters: filtersOfAll(group) }),
      needsShareOf: () => true,
    }),
  );
  const hasSealed = ({ period }: BudgetGroup) => [...generations.seals.keys()].some((day) => isWithin(period, day));
  const ofSealed = groupBudgets(split, 'cells')
    .filter(hasSealed)
    .map(
      (group): Read => ({
        group,
        table: () =>
          group.planned.some(isOfRuns)
            ? readSealedCalls(scopeOf(group, {}), filtersOfAll(group))
            : readCostTable(scopeOf(group, { openDays: [] }), {
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
  return [...ofAll, ...ofSealed, ...ofOpen, ...edges.flatMap((one) => listEdgeReads(one))];

  /** Of sealed days all slots are read, and kept: their statement stays the same while a window leaves them. */
  function listEdgeReads(ofSlot: readonly PlannedBudget[]): Read[] {
    const slotMs = ofSlot[0]?.span.times?.window?.slotMs;
    const inHours = slotMs === undefined;
    const sealed = ofSlot.map((one) => (inHours ? one : { ...one, span: withoutTimes(one.span) }));
    return [
      ...groupBudgets(sealed, 'calls')
        .filter(hasSealed)
        .map(
          (group): Read => ({
            group,
            table: () => readSealedCalls(scopeOf(group, {}), filtersOfAll(group)),
            needsShareOf: (day) => !open.has(day),
            slotMs,
          }),
        ),
      ...groupBudgets(ofSlot, 'calls')
        .filter(({ period }) => generations.openDays.some((day) => isWithin(period, day)))
        .map(
          (group): Read => ({
            group,
            table: () => readOpenCalls(scopeOf(group, {}), filtersOfAll(group)),
            needsShareOf: (day) => open.has(day),
            slotMs,
          }),
        ),
    ];
  }
}

const withoutTimes = ({ times: _, ...span }: BudgetSpan): BudgetSpan => span;

/** Whether only calls can tell which count: they have times and runs. */
const needsCalls = (one: PlannedBudget): boolean => isOfRuns(one) || one.span.times !== undefined;

/**
 * What is read how. `edges`, by the length of their slots: the hours, and the first days of windows, whose calls count by
 * their times. `split`: whole days, of which sealed and open ones are read apart. `whole`: all others.
 */
function splitReads(planned: readonly PlannedBudget[], { which }: RowsWanted) {
  const [split, whole] = partition(
    planned,
    (one) =>
      (grainOf(one) !== undefined || needsCalls(one)) &&
      // The sums of all days together decide which values are wanted. Of windows, all are wanted first.
      (!one.each || which === 'all' || (which === 'passed' && one.span.times !== undefined)),
  );
  const [timed, ofDays] = partition(split, ({ span }) => span.times !== undefined);
  const edges = Map.groupBy(
    timed.map((one) => (one.span.times?.window ? { ...one, span: { ...one.span, dateTo: one.span.dateFrom } } : one)),
    ({ span }) => span.times?.window?.slotMs,
  );
  const afterEdge = timed
    .filter(({ span }) => span.times?.window)
    .map((one) => ({ ...one, span: { ...withoutTimes(one.span), dateFrom: addDays(one.span.dateFrom, 1) } }));
  return { edges: [...edges.values()], split: [...ofDays, ...afterEdge], whole };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * The calls of the sealed days of a scope. The statement names the seals, because a day gets another one when its calls
 * change. @throws Problem `beyond_retention` when they are deleted
 */
function readSealedCalls(scope: CellScope, filters: readonly Clause[]): CellSource {
  const { projectId, period, generations } = scope;
  requireCalls(generations, period);
  const { sealed } = splitDays(scope);
  const days = [...generations.seals.keys()].filter((day) => isWithin(period, day)).map(toDayNumber);
  const ofSealed: Clause = {
    sql: `toUInt16(day) IN ${setOf('sealed_days', 'UInt16', days)} AND notEmpty({seals:Array(UInt64)})`,
    parameters: { sealed_days: days, seals: sealed },
  };
  return {
    from: 'calls AS cells FINAL',
    where: all([callsOf(projectId, period, generations), ofSealed, ...filters]),
    rows: sealed.length > 0 ? 'settled' : 'none',
  };
}

export const isWithin = ({ dateFrom, dateTo }: Period, day: Day): boolean => day >= dateFrom && day <= dateTo;
