import { readKeyMetrics } from '../../accounts/key-metrics/key-metrics.ts';
import { resolveReadings } from '../../accounts/key-metrics/readings.ts';
import type { Project } from '../../accounts/projects.ts';
import { readGenerations } from '../../calls/generations.ts';
import type { Period } from '../../lib/days.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { resolvePeriodTimes, whereEvents } from './event-scope.ts';
import { fillRows, readReadings } from './read-rows.ts';

/** The events of a range that each key metric skips, of its type without a value it can use (D9.1), by name. */
export async function countSkippedEvents(
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
  project: Pick<Project, 'id'>,
  range: Period,
): Promise<Map<string, number>> {
  const [metrics, generations] = await Promise.all([
    readKeyMetrics(control, project.id),
    readGenerations(control, project.id),
  ]);
  const { list: readings, byMetric } = resolveReadings(metrics);
  const eventTypes = [...new Set(readings.map(({ eventType }) => eventType))];
  const where = whereEvents(project.id, eventTypes, resolvePeriodTimes(generations, [range]));
  const selection = { where, readings, value: undefined };
  const events = await readReadings(store, selection, { after: undefined, limit: 1 });
  const set = await fillRows(store, selection, { costs: [], events, after: undefined, upTo: undefined });
  const totals = set.totals();
  return new Map([...byMetric].map(([name, number]) => [name, totals.get(number)?.skipped ?? 0]));
}
