import { type LoggedEvent, phases } from './merge.ts';

/** Of how many months the calls of a project in a batch may be. Each is a part of a table, and takes milliseconds. */
const mostMonths = 24;
/** How many events a project that has more than all others together may have in a batch for which others wait. */
const mostEvents = 500;

/**
 * The projects whose events would take so long that other projects of the batch must not wait for them: an import of
 * decades by turns, or a flood while answers about others wait, or ill will.
 */
export function findSlowProjects(
  events: readonly LoggedEvent[],
  isAwaitedByOthers: (projectId: string) => boolean,
): ReadonlySet<string> {
  const [first] = events;
  if (first === undefined || events.every(({ projectId }) => projectId === first.projectId)) return new Set();
  const ofProjects = Map.groupBy(events, ({ projectId }) => projectId);
  const slow = [...ofProjects].filter(([projectId, own]) => {
    const isFlood = own.length > mostEvents && 2 * own.length > events.length;
    return (isFlood && isAwaitedByOthers(projectId)) || isOfManyMonths(own);
  });
  return new Set(slow.map(([projectId]) => projectId));
}

function isOfManyMonths(events: readonly LoggedEvent[]): boolean {
  const months = new Set<string>();
  for (const { phase, timeMs } of events) {
    if (phase !== phases.custom) months.add(new Date(timeMs).toISOString().slice(0, 7));
    if (months.size > mostMonths) return true;
  }
  return false;
}
