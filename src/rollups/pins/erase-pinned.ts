import { type CopyChanges, copyPinned, type DayOfGeneration, noteMoves, ofDays } from '../../calls/pins/copies.ts';
import { askForCleanUp, readPinnedDays } from '../../calls/pins/pinned-calls.ts';
import type { Day } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type ControlStore, changeRows } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { copyReadings, type ErasedName } from '../retention/copy-days.ts';
import { sealOf } from '../rollups/seal-numbers.ts';

export interface ErasePinnedSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly lease: Lease;
}

/** An erasure whose event ids are in `erased_ids`. */
export interface NotedErasure extends ErasedName {
  readonly id: string;
}

/** The most days of one step, because assembly waits for the step. */
const maxDaysAtOnce = 7;

/**
 * Removes an erased name from some days that closes pin, all in one month; false when no day has it any more (D19.2).
 * The figures stay under the empty name: the calls are copied without the name and tags, with other event ids and runs.
 * A call that got the erased name only after a close keeps the name that it had in the close.
 * @throws LeaseLost
 */
export async function eraseFromPinnedDays(
  sources: ErasePinnedSources,
  projectId: string,
  erasure: NotedErasure,
): Promise<boolean> {
  const { store, control } = sources;
  const pins = await readPinnedDays(control, projectId);
  if (pins.length === 0) return false;
  if (erasure.dimension === 'user' && (await eraseFromReadings(sources, projectId, erasure))) return true;
  const where = ofDays(pins);
  const found = await store.select<{ day: Day; generation: string }>(
    `SELECT DISTINCT day, toString(generation) AS generation FROM calls
      WHERE project = {project:String} AND ${where.sql} AND ${isErased(erasure)}
      ORDER BY day LIMIT {most:UInt32}`,
    { ...where.parameters, ...parametersOf(erasure), project: projectId, most: maxDaysAtOnce },
  );
  const [first] = found;
  if (!first) return false;
  const days = found
    .filter(({ day }) => day.slice(0, 7) === first.day.slice(0, 7))
    .map(({ day, generation }) => ({ projectId, day, generation: Number(generation) }));
  await noteCrossings(store, days, erasure);
  await copyPinned(sources, days, changesOf(erasure));
  await askForCleanUp(control, projectId);
  return true;
}

const isErased = ({ dimension }: NotedErasure): string =>
  `(${dimension} = {erased:String} OR event_id IN (
        SELECT event_id FROM erased_ids WHERE project = {project:String} AND erasure = {erasure:String}
      ))`;

const parametersOf = ({ id, name }: NotedErasure) => ({ erasure: id, erased: name });

/** A run's new name, the same in all of its erased calls. */
const otherRun = "lower(hex(sipHash128('erased', {erasure:String}, run)))";

function changesOf(erasure: NotedErasure): CopyChanges {
  const { dimension } = erasure;
  const erased = isErased(erasure);
  return {
    sql: '',
    parameters: parametersOf(erasure),
    columns: new Map([
      [dimension, `if(${dimension} = {erased:String}, '', ${dimension})`],
      // SHA-256, so that the old ids can't be found by trying candidates.
      [
        'event_id',
        `if(${erased}, reinterpret(substring(SHA256(concat({erasure:String}, toString(event_id))), 1, 16), 'UUID'), event_id)`,
      ],
      ['run', `if(${erased}, ${otherRun}, run)`],
      ['tags', `if(${erased}, CAST(map(), 'Map(LowCardinality(String), String)'), tags)`],
    ]),
  };
}

/** Records the new runs of erased calls as crossing if the old ones are. */
async function noteCrossings(
  store: AnalyticStore,
  days: readonly DayOfGeneration[],
  erasure: NotedErasure,
): Promise<void> {
  const where = ofDays(days);
  await store.command(
    `INSERT INTO crossing_runs (project, base_generation, run_hash)
      SELECT {project:String}, known.base_generation, sipHash128(${otherRun})
      FROM (
        SELECT DISTINCT run FROM calls FINAL WHERE project = {project:String} AND ${where.sql} AND ${isErased(erasure)}
      ) AS erased
      INNER JOIN (
        SELECT DISTINCT base_generation, run_hash FROM crossing_runs WHERE project = {project:String}
      ) AS known ON known.run_hash = sipHash128(erased.run)`,
    { ...where.parameters, ...parametersOf(erasure), project: days[0]?.projectId },
  );
}

/** Removes the name of a user from the readings of some days; false when no day has it. */
async function eraseFromReadings(
  { store, control, lease }: ErasePinnedSources,
  projectId: string,
  erasure: NotedErasure,
): Promise<boolean> {
  const pins = await control
    .selectFrom('close_days')
    .select(['day', 'readings'])
    .distinct()
    .where('project_id', '=', projectId)
    .where('readings', '>', 0)
    .execute();
  const found = await store.select<{ day: Day; seal: string }>(
    `SELECT DISTINCT day, toString(seal) AS seal FROM frozen_readings
      WHERE project = {project:String} AND user = {erased:String} AND seal IN (SELECT arrayJoin({seals:Array(UInt64)}))
      ORDER BY day LIMIT 31`,
    { project: projectId, erased: erasure.name, seals: pins.map(({ readings }) => readings) },
  );
  // Several closes can have readings of one day, but a new seal holds those of one close.
  const days = new Map(found.toReversed().map(({ day, seal }) => [day, Number(seal)]));
  const month = found[0]?.day.slice(0, 7);
  if (month === undefined) return false;
  const copied = [...days].filter(([day]) => day.startsWith(month)).map(([day, seal]) => ({ day, seal }));
  const version = await lease.nextVersion();
  await copyReadings(store, { projectId, days: copied, version }, erasure);
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { day, seal } of copied) {
      await changeRows(
        transaction,
        'close_days',
        { project_id: projectId, day, readings: seal },
        { readings: sealOf(version, day) },
      );
    }
    await noteMoves(transaction, projectId);
  });
  return true;
}
