import { hash } from 'node:crypto';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  requireRow,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { NotificationDeliveryRow } from '../../storage/control/schema/schema.ts';
import type { Content, Notification } from './notification.ts';

/**
 * Stores a delivery of the notification for each enabled endpoint of its project that takes its kind of alert. Run it
 * in the transaction that stores the cause, so that neither is stored without the other. Repeating it changes nothing.
 */
export async function enqueue(transaction: ControlQueries, notification: Notification): Promise<void> {
  const endpoints = await transaction
    .selectFrom('notification_endpoints')
    .innerJoin('projects', 'projects.id', 'project_id')
    .select(['notification_endpoints.id', 'alerts', 'projects.name'])
    .where('project_id', '=', notification.projectId)
    .where('enabled', '=', 1)
    .execute();
  const rows = endpoints
    .filter(({ alerts }) => alerts === null || (parseJson(alerts) as string[]).includes(notification.kind))
    .map(({ id, name }) => toDelivery(id, { ...notification, projectName: name }));
  if (rows.length === 0) return;
  await transaction
    .insertInto('notification_deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface DigestOf {
  readonly endpointId: string;
  /** The last day of the digest before it, and of this one. */
  readonly until: string;
  readonly lastDay: string;
}

/**
 * Stores the digest of an endpoint, unless another instance has, or the endpoint no longer wants it. Without content,
 * its days go by without a digest.
 */
export async function enqueueDigest(
  transaction: ControlQueries,
  { endpointId, until, lastDay }: DigestOf,
  content: Content | undefined,
): Promise<void> {
  const wanting = { id: endpointId, enabled: 1, digest_until: until };
  const isNext = await changeRows(transaction, 'notification_endpoints', wanting, { digest_until: lastDay });
  if (!isNext || content === undefined) return;
  await transaction
    .insertInto('notification_deliveries')
    .values(toDelivery(endpointId, content))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A delivery that is due at once. */
const toDelivery = (endpointId: string, content: Content): NotificationDeliveryRow => ({
  id: identifyDelivery(endpointId, content.id),
  project_id: content.projectId,
  endpoint_id: endpointId,
  notification_id: content.id,
  kind: content.kind,
  event: content.event,
  content: JSON.stringify(content),
  created_at: content.at,
  state: 'waiting',
  failures: 0,
  next_attempt_at: content.at,
  claimed_by: null,
  claimed_until: null,
  finished_at: null,
});

/** The id of a delivery, which receivers see. Derived, so that a repeated notification has the same id. */
const identifyDelivery = (endpointId: string, notificationId: string): string =>
  `msg_${hash('sha256', JSON.stringify([endpointId, notificationId])).slice(0, 32)}`;

/** The most tests of a project in a minute. A limit, because an endpoint may belong to somebody else. */
export const maxTestsAMinute = 10;

/** Stores a delivery that tests an endpoint, also a disabled one. Undefined when the project has tested too often. */
export async function storeTest(
  control: ControlStore,
  { projectId, endpointId, now }: { readonly projectId: string; readonly endpointId: string; readonly now: number },
): Promise<{ readonly notificationId: string; readonly webhookId: string } | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const { tests } = await transaction
      .selectFrom('notification_deliveries')
      .select((build) => build.fn.countAll<number | string | bigint>().as('tests'))
      .where('project_id', '=', projectId)
      .where('kind', '=', 'test')
      .where('created_at', '>', now - 60_000)
      .executeTakeFirstOrThrow();
    if (Number(tests) >= maxTestsAMinute) return undefined;
    const { name } = await requireRow(transaction, 'projects', { id: projectId });
    const delivery = toDelivery(endpointId, {
      id: newId('nts'),
      projectId,
      projectName: name,
      kind: 'test',
      event: 'test',
      at: now,
      title: 'This is a test',
      text: 'Farthing can reach this endpoint. Alerts of the project will come here.',
      path: '/alerts',
      data: {},
    });
    await transaction.insertInto('notification_deliveries').values(delivery).execute();
    return { notificationId: delivery.notification_id, webhookId: delivery.id };
  });
}
