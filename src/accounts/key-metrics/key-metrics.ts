import { compareCodePoints } from '../../lib/code-points.ts';
import { parseJson } from '../../lib/json.ts';
import {
  type ControlQueries,
  type ControlSources,
  findRow,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { KeyMetricRow } from '../../storage/control/schema/schema.ts';

/** A measure of a project's output, read from its custom events (D9.1). */
export interface KeyMetric {
  readonly name: string;
  readonly eventType: string;
  readonly aggregation: 'count' | 'sum' | 'unique';
  /** JSON Pointer (RFC 6901) into the event; null for `count`. */
  readonly field: string | null;
  /** The features whose cost counts, `''` for calls without one; null for all. */
  readonly features: readonly string[] | null;
  readonly unit: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type KeyMetricDefinition = Omit<KeyMetric, 'name' | 'createdAt' | 'updatedAt'>;

/** The most key metrics of a project: every answer reads all of them. */
export const maxKeyMetrics = 100;

/** The key metrics of a project, by name in code-point order. */
export async function readKeyMetrics(control: ControlQueries, projectId: string): Promise<KeyMetric[]> {
  return toKeyMetrics(
    await control.selectFrom('key_metrics').selectAll().where('project_id', '=', projectId).execute(),
  );
}

/** By name in code-point order. */
export const toKeyMetrics = (rows: readonly KeyMetricRow[]): KeyMetric[] =>
  rows.map(toKeyMetric).sort((a, b) => compareCodePoints(a.name, b.name));

export async function readKeyMetric(
  control: ControlQueries,
  projectId: string,
  name: string,
): Promise<KeyMetric | undefined> {
  const row = await findRow(control, 'key_metrics', { project_id: projectId, name });
  return row && toKeyMetric(row);
}

/** Creates a key metric, or replaces it as a whole. Undefined when the project would have more than `maxKeyMetrics`. */
export async function putKeyMetric(
  { control, clock }: ControlSources,
  projectId: string,
  name: string,
  definition: KeyMetricDefinition,
): Promise<{ readonly metric: KeyMetric; readonly isNew: boolean } | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const metrics = await readKeyMetrics(transaction, projectId);
    const known = metrics.find((metric) => metric.name === name);
    if (!known && metrics.length >= maxKeyMetrics) return undefined;
    const now = clock();
    const row = toRow(projectId, { ...definition, name, createdAt: known?.createdAt ?? now, updatedAt: now });
    await putRows(transaction, 'key_metrics', ['project_id', 'name'], [row]);
    return { metric: toKeyMetric(row), isNew: !known };
  });
}

const toRow = (projectId: string, metric: KeyMetric): KeyMetricRow => ({
  project_id: projectId,
  name: metric.name,
  event_type: metric.eventType,
  aggregation: metric.aggregation,
  field: metric.field,
  features: metric.features && JSON.stringify(metric.features),
  unit: metric.unit,
  created_at: metric.createdAt,
  updated_at: metric.updatedAt,
});

const toKeyMetric = (row: KeyMetricRow): KeyMetric => ({
  name: row.name,
  eventType: row.event_type,
  aggregation: row.aggregation,
  field: row.field,
  features: row.features === null ? null : (parseJson(row.features) as string[]),
  unit: row.unit,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
