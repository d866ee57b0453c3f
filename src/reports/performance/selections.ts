import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import type { Reading } from '../../accounts/key-metrics/readings.ts';
import type { Period } from '../../lib/days.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type CellScope, onFrozenDays, readCostTable } from '../asking/cells.ts';
import { dimensionsOfBasis, readCostBasis } from '../asking/cost-basis.ts';
import { valueOfGroup } from '../asking/group.ts';
import { periodOfCall } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readUsed, whereUsed } from '../asking/used-features.ts';
import { all, ofTagged, oneOf, type ValuesFilter } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { Facts } from '../facts/facts.ts';
import type { CostSelection } from './costs-sql.ts';
import { periodOfEvent, resolvePeriodTimes, whereEvents } from './event-scope.ts';
import type { ReadingsSelection } from './events-sql.ts';
import type { PerformanceQuestion, UserFilters } from './parse.ts';

/** The sources of rows: calls for their costs, and events for their key metrics. */
export interface Selections {
  readonly costs: CostSelection;
  readonly readings: ReadingsSelection;
}

export interface SelectionContext {
  /** The days that the answer can need. */
  readonly days: Period;
  readonly metrics: readonly KeyMetric[];
  readonly readings: readonly Reading[];
}

/** Selects the calls and events from which the rows of given periods are made. User filters restrict both (D9.3). */
export async function planSelections(
  sources: AnswerSources,
  { project, generations, facts }: AsOf,
  { filters, groupBy, isGrouped, applyCredits }: PerformanceQuestion,
  { days, metrics, readings }: SelectionContext,
): Promise<(periods: readonly Period[]) => Selections> {
  const [ofUsers, basis, value] = await Promise.all([
    whereUsers(facts, filters),
    readCostBasis(sources, { generations, facts, period: days, applyCredits }),
    valueOfGroup(facts, groupBy),
  ]);
  const eventTypes = [...new Set(readings.map(({ eventType }) => eventType))];
  const features = [...new Set(metrics.flatMap((metric) => metric.features ?? []))];
  return (periods) => {
    const scope = { projectId: project.id, period: joinPeriods(periods) ?? days, generations };
    const table = readCostTable(scope, {
      dimensions: [
        ...(isGrouped || filters.users || filters.userTags || filters.features ? (['user'] as const) : []),
        ...(features.length > 0 ? (['feature'] as const) : []),
        ...dimensionsOfBasis(basis),
      ],
      filters: ofUsers,
    });
    const events = whereEvents(project.id, eventTypes, resolvePeriodTimes(generations, periods));
    const used = filters.features ? [readUsed(scope, 'user', filters.features)] : [];
    const call = periodOfCall(periods);
    const kept = (period: string) => used.map((cells) => whereUsed(cells, 'user', call, period));
    const where = all(kept(call.sql));
    return {
      costs: { table, where, cells: [table, ...used], basis, periods, features, value },
      readings: {
        where: all([events, ...ofUsers, ...kept(periodOfEvent)]),
        readings,
        value,
        frozen: whereFrozen(scope, call, [...ofUsers, ...kept(call.sql)]),
      },
    };
  };
}

/** The stored readings of deleted events in the periods; undefined when no day is frozen. */
function whereFrozen(scope: CellScope, period: Clause, filters: readonly Clause[]): ReadingsSelection['frozen'] {
  const frozen = onFrozenDays(scope);
  return frozen && { where: all([frozen, ...filters]), period };
}

/** Only calls or events of these users, and of users with these tags. */
export async function whereUsers(facts: Facts, { users, userTags }: UserFilters): Promise<ValuesFilter[]> {
  const filters: ValuesFilter[] = users ? [oneOf('user', users)] : [];
  if (userTags) filters.push(...(await ofTagged(facts, 'user', userTags)));
  return filters;
}
