import { dayOf, startOfDay } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { column, text, timeMs, uint64 } from '../../storage/analytic/native-block.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { isFrozen } from '../generations.ts';
import { keyOf, type LoggedEvent, type MergedCall, phases } from '../merging/merge.ts';

export interface LateEventsSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
}

const lateColumns = [
  column('project', text, ({ projectId }: LoggedEvent) => projectId),
  column('received_at', timeMs, ({ receivedAtMs }: LoggedEvent) => receivedAtMs),
  column('writer', text, ({ writer }: LoggedEvent) => writer),
  column('seq', uint64, ({ seq }: LoggedEvent) => seq),
];

/** Notes events for frozen days: they stay in the log, in no total, and coverage counts them. Can be repeated. */
export async function noteLateEvents(
  { store, control }: LateEventsSources,
  slice: readonly LoggedEvent[],
  calls: readonly MergedCall[],
): Promise<void> {
  const projects = await control
    .selectFrom('projects')
    .select(['id', 'timezone', 'frozen_before'])
    .where('frozen_before', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();
  const frozen = new Map(
    projects.flatMap(({ id, timezone, frozen_before: day }) =>
      day === null ? [] : [[id, { timezone, frozenBefore: day, startMs: startOfDay(timezone, day) }]],
    ),
  );
  if (frozen.size === 0) return;
  // `late`: ids with a call on a frozen day. `kept`: ids with a call on another day.
  const late = new Set<string>();
  const kept = new Set<string>();
  for (const call of calls) {
    const project = frozen.get(call.projectId);
    if (!project) continue;
    (isFrozen(project, dayOf(project.timezone, call.timeMs)) ? late : kept).add(keyOf(call));
  }
  const isLate = (event: LoggedEvent): boolean =>
    event.phase === phases.custom
      ? event.timeMs < (frozen.get(event.projectId)?.startMs ?? Number.NEGATIVE_INFINITY)
      : late.has(keyOf(event)) && !kept.has(keyOf(event));
  const events = slice.filter(isLate);
  if (events.length > 0) await store.insertRows('late_events', lateColumns, events);
}
