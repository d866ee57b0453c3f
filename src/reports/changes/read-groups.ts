import type { Project } from '../../accounts/projects.ts';
import type { Day, Period } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import type { Grain } from '../../rollups/rollups/grains.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type CallFilters, onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import { type CellSource, cellsOfCalls, readCells, resolveGrain } from '../asking/cells.ts';
import { readCostBasis } from '../asking/cost-basis.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import { type AsOf, readNow } from '../facts/as-of.ts';
import type { ChangesQuestion } from './parse.ts';
import { type GroupRecord, groupMeasures, type Owner, selectGroups } from './sql.ts';

export type RangeRecords = Readonly<Record<Owner, readonly GroupRecord[]>>;

type Sources = Pick<AnalyticsSources, 'answerCache' | 'control'>;

/** With more dimensions there would be nearly as many cells as calls (docs/decisions/0009). */
const grainsOfGroups = { customer: 'customer_price', feature: 'feature_price' } as const satisfies Record<Owner, Grain>;

/** Reads both ranges. @throws Problem `beyond_retention` when calls that it needs are deleted */
export async function readGroups(
  project: Project,
  { ranges, filters, applyCredits, hours }: ChangesQuestion,
  sources: Sources,
): Promise<Readonly<Record<keyof ChangesQuestion['ranges'], RangeRecords>>> {
  const asOf = await readNow(sources.control, project);
  const readRange = async (period: Period): Promise<RangeRecords> => {
    const basis = await readCostBasis(sources, { ...asOf, period, applyCredits });
    const scope = { ...asOf, period, filters, hours };
    const [customer, feature] = [await findCells('customer', scope), await findCells('feature', scope)];
    const statement = selectGroups({ cells: { customer, feature }, basis });
    const records = await sources.answerCache.select<GroupRecord>(statement, [customer, feature]);
    const recordsOf = (owner: Owner) => records.filter(({ owner_kind: kind }) => kind === owner);
    return { customer: recordsOf('customer'), feature: recordsOf('feature') };
  };
  const [before, now] = await Promise.all([readRange(ranges.before), readRange(ranges.now)]);
  return { before, now };
}

interface RangeScope extends Pick<AsOf, 'generations' | 'facts'> {
  readonly period: Period;
  readonly filters: CallFilters;
  readonly hours: ChangesQuestion['hours'];
}

/** Cells of the owner's grain; of calls if the grain lacks a filter's dimension, or for a part of a day. */
async function findCells(
  owner: Owner,
  { generations, facts, period, filters, hours }: RangeScope,
): Promise<CellSource> {
  const grain = grainsOfGroups[owner];
  const scope = { projectId: facts.projectId, period, generations };
  if (
    hours === undefined &&
    !filters.runTags &&
    resolveGrain(dimensionsNeeded(owner, filters), { withRuns: false }) === grain
  ) {
    const cellFilters = await readCellFilters(facts, filters);
    return readCells(scope, { grain, measures: groupMeasures, filters: cellFilters });
  }
  const calls = await whereCalls(facts, { range: period, generations, filters });
  const inTime = hours === undefined ? [] : [inFirstHours(hours, period.dateTo, generations.timezone)];
  return cellsOfCalls(scope, { grain, measures: groupMeasures, where: all([calls, onPageDays([period]), ...inTime]) });
}

const inFirstHours = (hours: number, lastDay: Day, timezone: string): Clause => ({
  sql: '(day < {cut_day:Date} OR toHour(time, {cut_timezone:String}) < {cut_hours:UInt8})',
  parameters: { cut_day: lastDay, cut_timezone: timezone, cut_hours: hours },
});

const dimensionsNeeded = (owner: Owner, { values, customerTags }: CallFilters): Set<Dimension> =>
  new Set<Dimension>([owner, 'provider', 'model', ...values.keys(), ...(customerTags ? ['customer' as const] : [])]);
