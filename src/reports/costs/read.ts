import { requireCalls } from '../../calls/require-calls.ts';
import type { Period } from '../../lib/days.ts';
import { dimensionsOf } from '../../rollups/rollups/grains.ts';
import { onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import {
  type CellScope,
  type CellSource,
  isReadAtOnce,
  readCells,
  readCostCells,
  readsDay,
  resolveRowsOfCalls,
  splitDays,
  splitScope,
  splitScopeOf,
} from '../asking/cells.ts';
import { type CostBasis, isGross, readCostBasis } from '../asking/cost-basis.ts';
import { limitValues } from '../asking/first-values.ts';
import { isTagGroup, tagOfCalls, valueOfCells, valueOfGroup } from '../asking/group.ts';
import { type PagePlan, readRecords } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import { readCostsOfRuns, readRunCells } from '../asking/run-cells.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type CostsQuestion, countMost } from './parse.ts';
import { type CostsRecord, joinRows, sumCells } from './records.ts';
import type { OfCells, OfRuns } from './source.ts';
import { type CellCosts, type CostsRow, isListed, selectCosts, selectCostsOfCells } from './sql.ts';

interface PageWanted {
  readonly asOf: AsOf;
  readonly question: CostsQuestion;
  readonly plan: PagePlan;
  readonly sources: AnswerSources;
}

/** A part of the page: its days, and the cost basis of its calls. */
interface Part {
  readonly plan: PagePlan;
  readonly scope: CellScope;
  readonly basis: CostBasis;
}

/** Reads the records of a page, at once where `isAtOnce` or its rows are not grouped. */
async function readParts(
  { asOf, question, plan, sources }: PageWanted,
  isAtOnce: boolean,
  read: (part: Part) => Promise<readonly CostsRecord[]>,
): Promise<readonly CostsRecord[]> {
  const { applyCredits, isGrouped } = question;
  const how = { isAtOnce: isAtOnce || !isGrouped, most: countMost(question) };
  return await readRecords(plan, how, async (part, period) => {
    const basis = await readCostBasis(sources, { ...asOf, period, applyCredits });
    return await read({ plan: part, scope: scopeOf(asOf, period), basis });
  });
}

const scopeOf = ({ project, generations }: AsOf, period: Period): CellScope => ({
  projectId: project.id,
  period,
  generations,
});

export async function readCalls(wanted: PageWanted): Promise<readonly CostsRecord[]> {
  const { asOf, question, plan, sources } = wanted;
  const { filters, groupBy } = question;
  const value = await valueOfGroup(asOf.facts, groupBy);
  const where = await whereCalls(asOf.facts, { range: plan.range, generations: asOf.generations, filters });
  return await readParts(wanted, false, async ({ plan: part, scope, basis }) => {
    const statement = selectCosts({ where: all([where, onPageDays(part.periods)]), basis, plan: part, value });
    return joinRows(part, await sources.answerCache.select<CostsRow>(statement, [{ rows: resolveRowsOfCalls(scope) }]));
  });
}

/** Reads the records of a page from the runs of sealed days and the calls of open days. */
export async function readRuns(wanted: PageWanted, { grain, isCrossing }: OfRuns): Promise<readonly CostsRecord[]> {
  const { asOf, question, plan } = wanted;
  requireCalls(asOf.generations, plan.range);
  const filters = await readCellFilters(asOf.facts, question.filters);
  const tag = tagOfCalls(question.groupBy);
  const value = tag ? valueOfCells : await valueOfGroup(asOf.facts, question.groupBy);
  // A day can have any number of customers, but only a few values of other dimensions.
  return await readParts(wanted, grain !== 'customer', async (part) => {
    const select = (of: CellScope) => ({
      cells: readRunCells(of, { grain, runs: isCrossing ? 'crossing' : 'plain', filters, tag }),
      net: netCellsOf(part.basis, of, () => readCostsOfRuns(of, { filters, tag })),
    });
    return await readRows(wanted, part, { scopes: splitScope(part.scope), select, value, isCrossing });
  });
}

/** Reads the records of a page from cells of a grain: from memory where they are there and costs are gross. */
export async function readGrainCells(
  wanted: PageWanted,
  { grain, netGrain, isCrossing }: OfCells,
): Promise<readonly CostsRecord[]> {
  const { asOf, question, plan: whole, sources } = wanted;
  const filters = await readCellFilters(asOf.facts, question.filters);
  const tag = tagOfCalls(question.groupBy);
  const value = tag ? valueOfCells : await valueOfGroup(asOf.facts, question.groupBy);
  const runs = isCrossing ? 'crossing' : 'plain';
  return await readParts(wanted, isReadAtOnce(grain, scopeOf(asOf, whole.range)), async (part) => {
    const { scope, basis } = part;
    if (isGross(basis) && (tag || !isTagGroup(question.groupBy))) {
      const held = await readCostCells(scope, { grain, runs, filters, tag }, sources);
      const [dimension] = dimensionsOf(grain);
      const values = dimension && dimension !== 'tag' ? question.filters.values.get(dimension) : undefined;
      if (held) return sumCells(held, { plan: part.plan, isGrouped: question.isGrouped, values });
    }
    const select = (of: CellScope) => ({
      cells: readCells(of, { grain, measures: ['cost'], runs, filters, tag }),
      net:
        netGrain && netCellsOf(basis, of, () => readCells(of, { grain: netGrain, measures: ['cost'], filters, tag })),
    });
    const page = tag && value && { plan: part.plan, scope, cells: { grain, filters, tag }, value };
    const plan = page ? await limitValues(page, sources.answerCache) : part.plan;
    return await readRows(wanted, { ...part, plan }, { scopes: splitScopeOf(grain, scope), select, value, isCrossing });
  });
}

/** The net costs of a scope; undefined where no credits cover any. */
function netCellsOf(basis: CostBasis, scope: CellScope, readNetCells: () => CellSource): CellCosts['net'] {
  const ofScope = basis.onDays(readsDay(scope));
  return isGross(ofScope) ? undefined : { cells: readNetCells(), basis: ofScope };
}

interface RowsWanted {
  /** Parts of the scope, each read by a statement of its own. */
  readonly scopes: readonly CellScope[];
  readonly select: (scope: CellScope) => Pick<CellCosts, 'cells' | 'net'>;
  readonly value: CellCosts['value'];
  /** Whether a row can have several cells of one run. */
  readonly isCrossing: boolean;
}

/** Reads rows from cells. Of several statements the store counts crossing runs only if there are too many to list. */
async function readRows(
  { sources: { answerCache } }: PageWanted,
  { plan, scope }: Part,
  { scopes, select, value, isCrossing }: RowsWanted,
): Promise<CostsRecord[]> {
  const read = async (of: CellScope, crossing: CellCosts['crossing'], part: PagePlan) => {
    const { cells, net } = select(of);
    const { sealed, open } = splitDays(of);
    const mostRows = value ? part.limit + 1 : Math.max(1, Math.min(part.periods.length, sealed.length + open.length));
    const statement = selectCostsOfCells({ cells, crossing, net, plan: part, value, mostRows });
    return await answerCache.select<CostsRow>(statement, net ? [cells, net.cells] : [cells]);
  };
  // To count the runs of a statement again in another, since a row has too many to list, would take its time twice.
  const crossing = scopes.length === 1 ? 'counted' : 'listed';
  const rows = (await Promise.all(scopes.map((of) => read(of, isCrossing ? crossing : 'none', plan)))).flat();
  if (isListed(rows)) return joinRows(plan, rows);
  const counted = splitAtOpenDay(plan, scope).map(async (part) => {
    const period = joinPeriods(part.periods) ?? scope.period;
    return await read({ ...scope, period }, 'counted', part);
  });
  return joinRows(plan, (await Promise.all(counted)).flat());
}

/** Parts that share no day: the periods before the first with an open day, whose rows can be cached, and the rest. */
function splitAtOpenDay(plan: PagePlan, scope: CellScope): PagePlan[] {
  const { open } = splitDays(scope);
  const first = plan.periods.findIndex(({ dateFrom, dateTo }) => open.some((day) => day >= dateFrom && day <= dateTo));
  if (first <= 0) return [plan];
  return [
    { ...plan, periods: plan.periods.slice(0, first) },
    { ...plan, periods: plan.periods.slice(first), afterValue: undefined },
  ];
}
