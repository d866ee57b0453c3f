import { type LoggedEvent, phases } from '../merging/merge.ts';

/** Of how many months the calls of a project in a batch may be. Each is a part of a table, and takes milliseconds. */
const mostMonths = 24;
/** What the events of a project that must make way may weigh in a batch, if it has more than all others together. */
const mostWeight = 500;
/** How many characters of tags and fields take about as long as an event does by itself. */
const charactersOfOne = 1_000;

/** The projects whose events take so long that others must not wait: imports of decades, floods, ill will. */
export function findSlowProjects(
  events: readonly LoggedEvent[],
  mustMakeWay: (projectId: string) => boolean,
): ReadonlySet<string> {
  const [first] = events;
  if (first === undefined || events.every(({ projectId }) => projectId === first.projectId)) return new Set();
  const ofProjects = [...Map.groupBy(events, ({ projectId }) => projectId)];
  const isFlood = (projectId: string, own: readonly LoggedEvent[]) => {
    if (!mustMakeWay(projectId)) return false;
    const weight = weigh(own);
    return weight > mostWeight && 2 * weight > weigh(events);
  };
  const slow = ofProjects.filter(([projectId, own]) => isFlood(projectId, own) || isOfManyMonths(own));
  return new Set(slow.map(([projectId]) => projectId));
}

/** About how long events take, in those that have little text. */
function weigh(events: readonly LoggedEvent[]): number {
  let characters = 0;
  for (const { tags, fields } of events) {
    for (const name in tags) characters += tags[name]?.length ?? 0;
    for (const name in fields) characters += fields[name]?.length ?? 0;
  }
  return events.length + characters / charactersOfOne;
}

function isOfManyMonths(events: readonly LoggedEvent[]): boolean {
  const months = new Set<string>();
  for (const { phase, timeMs } of events) {
    if (phase !== phases.custom) months.add(new Date(timeMs).toISOString().slice(0, 7));
    if (months.size > mostMonths) return true;
  }
  return false;
}
