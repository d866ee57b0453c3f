import { hash } from 'node:crypto';
import { parseJson } from '../../lib/json.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { NotificationDeliveryRow } from '../../storage/control/schema.ts';
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

/** A delivery that is due at once. */
export const toDelivery = (endpointId: string, content: Content): NotificationDeliveryRow => ({
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
