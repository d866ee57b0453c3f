import {
  findTagged,
  findTaggedOtherwise,
  readTags,
  readTagValues,
  type TaggedRows,
  taggedNow,
} from '../../accounts/customers/tag-store.ts';
import { type KeyMetric, readKeyMetrics, toKeyMetrics } from '../../accounts/key-metrics/key-metrics.ts';
import type { Project } from '../../accounts/projects.ts';
import type { Day } from '../../lib/days.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { type ControlQueries, findRow } from '../../storage/control/control-store.ts';
import type { KeptReadingRow } from '../../storage/control/schema/schema.ts';
import {
  type AllocationsQuery,
  type CustomerAllocation,
  type EntryDaysQuery,
  readAllocations,
  readNextDay,
} from './allocations.ts';
import { countedAtClose, countedNow } from './counted.ts';
import { type CreditGrant, readGrants, toGrant } from './grants.ts';
import { readSharedCosts, type SharedCost, type SharedCostDays } from './shared-costs.ts';

/** The frozen days for which a reading of key metrics is stored. */
export type KeptReading = Pick<KeptReadingRow, 'reading' | 'kept_from' | 'kept_before'>;

/** What answers read of the control store besides generations, as it is now or was at a close (D19.1). */
export interface Facts {
  readonly projectId: string;
  /** The customers or users that carry these tags: AND across keys, OR within the values of one. */
  findTagged(dimension: TaggedDimension, tags: ReadonlyMap<string, readonly string[]>): Promise<string[]>;
  /** The customers or users that carry one of the keys with another value. */
  findTaggedOtherwise(dimension: TaggedDimension, tags: ReadonlyMap<string, readonly string[]>): Promise<string[]>;
  /** The tags of these customers or users; names without tags are left out. */
  readTags(dimension: TaggedDimension, names: readonly string[]): Promise<Map<string, Record<string, string>>>;
  /** The customers or users that carry a tag, with its values. */
  readTagValues(dimension: TaggedDimension, key: string): Promise<Map<string, string>>;
  /** The grants of free credits, in the order of their creation. */
  readGrants(): Promise<CreditGrant[]>;
  /** By name in code-point order. */
  readKeyMetrics(): Promise<KeyMetric[]>;
  readKeptReadings(): Promise<KeptReading[]>;
  /** The entries of counted revenue that the query selects, in no particular order. */
  readAllocations(query: AllocationsQuery): Promise<CustomerAllocation[]>;
  /** The first day on or after `dateFrom` that an entry covers; undefined when there is none. */
  readNextDay(query: EntryDaysQuery): Promise<Day | undefined>;
  /** By external id in code-point order. */
  readSharedCosts(days: SharedCostDays): Promise<SharedCost[]>;
}

export const currentFacts = (control: ControlQueries, projectId: string): Facts => ({
  projectId,
  findTagged: (dimension, tags) => findTagged(taggedNow(control, projectId), dimension, tags),
  findTaggedOtherwise: (dimension, tags) => findTaggedOtherwise(taggedNow(control, projectId), dimension, tags),
  readTags: (dimension, names) => readTags(taggedNow(control, projectId), dimension, names),
  readTagValues: (dimension, key) => readTagValues(taggedNow(control, projectId), dimension, key),
  readGrants: () => readGrants(control, projectId),
  readKeyMetrics: () => readKeyMetrics(control, projectId),
  readKeptReadings: () => control.selectFrom('kept_readings').selectAll().where('project_id', '=', projectId).execute(),
  readAllocations: (query) => readAllocations(countedNow(control, projectId), query),
  readNextDay: (query) => readNextDay(countedNow(control, projectId), query),
  readSharedCosts: (days) => readSharedCosts(control, 'shared_costs', { project_id: projectId }, days),
});

/** A close, as far as its facts need it. */
export interface CloseOfFacts {
  readonly closeId: string;
  readonly projectId: string;
}

export const pinnedFacts = (control: ControlQueries, { closeId, projectId }: CloseOfFacts): Facts => ({
  projectId,
  findTagged: (dimension, tags) => findTagged(taggedAtClose(control, closeId), dimension, tags),
  findTaggedOtherwise: (dimension, tags) => findTaggedOtherwise(taggedAtClose(control, closeId), dimension, tags),
  readTags: (dimension, names) => readTags(taggedAtClose(control, closeId), dimension, names),
  readTagValues: (dimension, key) => readTagValues(taggedAtClose(control, closeId), dimension, key),
  readGrants: async () => {
    const rows = control.selectFrom('pinned_grants').selectAll().where('close_id', '=', closeId).orderBy('id');
    return (await rows.execute()).map(toGrant);
  },
  readKeyMetrics: async () =>
    toKeyMetrics(await control.selectFrom('pinned_key_metrics').selectAll().where('close_id', '=', closeId).execute()),
  readKeptReadings: () => control.selectFrom('pinned_readings').selectAll().where('close_id', '=', closeId).execute(),
  readAllocations: (query) => readAllocations(countedAtClose(control, closeId), query),
  readNextDay: (query) => readNextDay(countedAtClose(control, closeId), query),
  readSharedCosts: (days) => readSharedCosts(control, 'pinned_shared_costs', { close_id: closeId }, days),
});

/** The tags of the customers and users of a project as they were at a close. */
const taggedAtClose = (control: ControlQueries, closeId: string): TaggedRows =>
  control.selectFrom((from) =>
    from
      .selectFrom('pinned_tags')
      .where('close_id', '=', closeId)
      .select(['dimension', 'name', 'key', 'value'])
      .as('tagged'),
  );

/** The project with the settings that it had at a close; undefined when there is no such close. */
export async function readPinnedProject(
  control: ControlQueries,
  closeId: string,
  project: Project,
): Promise<Project | undefined> {
  const settings = await findRow(control, 'pinned_settings', { close_id: closeId, project_id: project.id });
  return settings && { ...project, type: settings.type, atRiskBelowPct: settings.at_risk_below_pct };
}
