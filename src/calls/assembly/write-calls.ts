import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import { callColumns } from '../../clickhouse/schema.ts';
import type { ProjectDay } from '../rollups/days.ts';
import { noteCrossings, noteRuns, type RunSighting, type SightedRuns } from '../rollups/note-runs.ts';
import type { TouchedDays } from '../rollups/touched-days.ts';
import type { CallRow } from './cost-calls.ts';

export interface CallWriting {
  readonly store: AnalyticStore;
  readonly touchedDays: TouchedDays;
}

/**
 * Writes rows of calls. What answers add up by is told first: which runs now have several days or customers, and which
 * days change. Whatever stops it, writing the same rows again leaves the same.
 */
export async function writeCalls({ store, touchedDays }: CallWriting, rows: readonly CallRow[]): Promise<void> {
  if (rows.length === 0) return;
  const runs = listRuns(rows);
  const crossed = await Promise.all(
    runs.map(async (ofProject) =>
      (await noteCrossings(store, ofProject)).map((day): ProjectDay => ({ projectId: ofProject.projectId, day })),
    ),
  );
  const days = rows.flatMap(({ projectId, day, isInForce }) => (isInForce ? [{ projectId, day }] : []));
  await touchedDays.touch([...days, ...crossed.flat()]);
  await Promise.all([insertCalls(store, rows), ...runs.map((ofProject) => noteRuns(store, ofProject))]);
}

/** One INSERT a month: an INSERT into one partition is all or nothing. */
async function insertCalls(store: AnalyticStore, rows: readonly CallRow[]): Promise<void> {
  for (const ofMonth of Map.groupBy(rows, ({ day }) => day.slice(0, 7)).values()) {
    await store.insertLines('calls', callColumns, ofMonth.map((row) => row.line).join('\n'));
  }
}

/** The runs of the calls, by project and generation, each day and customer of one once. */
function listRuns(rows: readonly CallRow[]): SightedRuns[] {
  const runs = new Map<string, SightedRuns & { readonly sightings: RunSighting[] }>();
  const seen = new Set<string>();
  for (const { projectId, day, sighting } of rows) {
    if (!sighting) continue;
    const { baseGeneration, run, customer } = sighting;
    const key = `${projectId} ${baseGeneration}`;
    const name = `${key} ${day} ${run.length} ${run} ${customer}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const known = runs.get(key) ?? { projectId, baseGeneration, sightings: [] };
    runs.set(key, known);
    known.sightings.push({ run, day, customer });
  }
  return [...runs.values()];
}
