import { linkPath } from '../../lib/link-path.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { FiringRow } from '../../storage/control/schema/alert-rows.ts';
import { enqueue } from '../notifications/enqueue.ts';
import type { Notification } from '../notifications/notification.ts';
import { toFiring } from './firings.ts';

/** The most firings whose texts a message has; it counts the others. */
const mostTold = 5;

/** Stores one notification of all firings of a kind that begin, or end, at one look. Without firings, none. */
export async function notify(
  transaction: ControlQueries,
  rows: readonly FiringRow[],
  { event, at }: Pick<Notification, 'event' | 'at'>,
): Promise<void> {
  const [first, ...others] = rows.map(toFiring);
  const projectId = rows[0]?.project_id;
  if (first === undefined || projectId === undefined) return;
  const { id, kind, subject, started_at, ended_at, numbers } = first;
  const { title, text, path } = tell([first, ...others]);
  await enqueue(transaction, {
    // The same on every instance.
    id: `${id}.${event}`,
    projectId,
    kind,
    event,
    at,
    title,
    text,
    path,
    data: {
      ...{ id, kind, subject, numbers, started_at, ended_at },
      others: others.map((other) => ({ id: other.id, subject: other.subject })),
    },
  });
}

type Firing = ReturnType<typeof toFiring>;

function tell(firings: readonly [Firing, ...Firing[]]): Pick<Notification, 'title' | 'text' | 'path'> {
  const [first, ...others] = highestThresholds(firings);
  if (first === undefined || others.length === 0) return first ?? firings[0];
  const texts = [first, ...others].slice(0, mostTold).map(({ title, text }) => `${title}: ${text}`);
  const left = others.length + 1 - texts.length;
  return {
    title: `${first.title}, and ${others.length} more`,
    text: `${texts.join(' ')}${left > 0 ? ` And ${left} more.` : ''}`,
    path: others.every(({ path }) => path === first.path) ? first.path : linkPath(['alerts']),
  };
}

/** Of the thresholds that a budget has passed at once, the highest says it all. */
function highestThresholds(firings: readonly Firing[]): Firing[] {
  const highest = new Map<string, number>();
  const keyOf = ({ subject: { threshold, ...rest } }: Firing) => JSON.stringify(rest);
  for (const firing of firings) {
    const { threshold } = firing.subject;
    const key = keyOf(firing);
    if (typeof threshold === 'number') highest.set(key, Math.max(threshold, highest.get(key) ?? threshold));
  }
  return firings.filter((firing) => {
    const { threshold } = firing.subject;
    return typeof threshold !== 'number' || threshold === highest.get(keyOf(firing));
  });
}
