import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import { dayOf, startOfDay } from '../../lib/days.ts';
import type { ReadBatch } from '../assembly/batch.ts';
import { inSlice } from '../assembly/sql.ts';
import { isFrozen } from '../generations.ts';

export interface LateEventsSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
}

/**
 * Notes the events of a batch that came for frozen days: custom events of these days, and events of ids that have no call on
 * any other. They stay in the log and are in no total; coverage counts them. It can be repeated.
 */
export async function noteLateEvents(
  { store, control }: LateEventsSources,
  { parts, moves, firstEventMs }: ReadBatch,
): Promise<void> {
  const projects = await control
    .selectFrom('projects')
    .select(['id', 'timezone', 'frozen_before'])
    .where('frozen_before', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();
  const frozen = projects.flatMap(({ id, timezone, frozen_before: day }) =>
    day === null ? [] : [{ id, timezone, frozenBefore: day, startMs: startOfDay(timezone, day) }],
  );
  if (frozen.length === 0) return;
  const byProject = new Map(frozen.map((project) => [project.id, project]));
  const ids = new Map<string, { readonly id: readonly [project: string, eventId: string]; isLate: boolean }>();
  for (const { project: projectId, event_id: eventId, time } of parts.flat()) {
    const project = byProject.get(projectId);
    if (!project) continue;
    const key = `${projectId} ${eventId}`;
    const isLate = isFrozen(project, dayOf(project.timezone, Number(time))) && (ids.get(key)?.isLate ?? true);
    ids.set(key, { id: [projectId, eventId], isLate });
  }
  const late = [...ids.values()].flatMap(({ id, isLate }) => (isLate ? [id] : []));
  if (late.length === 0 && !frozen.some(({ startMs }) => firstEventMs < startMs)) return;
  const slice = inSlice(moves.map(({ from, to }) => ({ from, toSeq: to.seq })));
  await store.command(
    `INSERT INTO late_events (project, received_at, writer, seq)
      SELECT project, received_at, writer, seq FROM events
      WHERE ${slice.sql} AND project IN (SELECT arrayJoin({projects:Array(String)})) AND if(
        phase = 'custom',
        event_time < fromUnixTimestamp64Milli(transform(toString(project), {projects:Array(String)}, {starts:Array(Int64)}, toInt64(0)), 'UTC'),
        (toString(project), event_id) IN (SELECT arrayJoin(JSONExtract({late_ids:String}, 'Array(Tuple(String, UUID))')))
      )`,
    {
      ...slice.parameters,
      projects: frozen.map(({ id }) => id),
      starts: frozen.map(({ startMs }) => startMs),
      late_ids: JSON.stringify(late),
    },
  );
}
