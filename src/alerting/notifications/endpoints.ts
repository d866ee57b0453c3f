import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import {
  type ControlQueries,
  type ControlSources,
  type ControlStore,
  lockProject,
} from '../../storage/control/control-store.ts';
import type { NotificationEndpointRow } from '../../storage/control/schema.ts';
import type { AlertKind } from '../alerts/kinds/kinds.ts';
import { giveUpAll } from './deliveries.ts';

/** A target of a project's notifications (D20.5), without its secret. */
export interface Endpoint {
  readonly id: string;
  /** The URL, or the address for e-mail. Of a Slack URL only the part that is no secret. */
  readonly target: string;
  readonly kind: NotificationEndpointRow['kind'];
  /** Null for all. */
  readonly alerts: readonly AlertKind[] | null;
  readonly isEnabled: boolean;
  readonly disabledReason: 'gone' | null;
  /** Until when the secret before the last rotation signs too, in milliseconds since 1970. */
  readonly oldSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The most endpoints of a project: each notification is sent to all of them. */
export const maxEndpoints = 20;

/** How long the secret before a rotation signs too, in milliseconds. */
const oldSecretMs = 24 * 3_600_000;

/** The endpoints of a project, the oldest first. */
export async function readEndpoints(control: ControlQueries, projectId: string): Promise<Endpoint[]> {
  const rows = await control
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map(toEndpoint);
}

/** One endpoint of a project, or undefined. */
export async function readEndpoint(
  control: ControlQueries,
  projectId: string,
  id: string,
): Promise<Endpoint | undefined> {
  const row = await readRow(control, projectId, id);
  return row && toEndpoint(row);
}

const readRow = async (control: ControlQueries, projectId: string, id: string) =>
  await control
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();

export type EndpointFields =
  | (CommonFields & { readonly kind: 'webhook' | 'slack'; readonly target: string; readonly box: SecretBox })
  | (CommonFields & { readonly kind: 'email'; readonly target: string });
interface CommonFields {
  readonly alerts: readonly AlertKind[] | null;
  readonly isEnabled: boolean;
}

/** Makes an endpoint. The secret of a webhook is returned only here. Undefined when there are `maxEndpoints`. */
export async function createEndpoint(
  { control, clock }: ControlSources,
  projectId: string,
  fields: EndpointFields,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string | undefined } | undefined> {
  const id = newId('nep');
  const secret = fields.kind === 'webhook' ? newSigningSecret() : undefined;
  const now = clock();
  const row: NotificationEndpointRow = {
    id,
    project_id: projectId,
    kind: fields.kind,
    ...(fields.kind === 'slack'
      ? hideSlackUrl(fields.box, id, fields.target)
      : { target: fields.target, secret: null }),
    ...(fields.kind === 'webhook' && secret !== undefined && { secret: fields.box.seal(secret, id) }),
    old_secret: null,
    old_secret_until: null,
    alerts: fields.alerts && JSON.stringify(fields.alerts),
    enabled: fields.isEnabled ? 1 : 0,
    disabled_reason: null,
    created_at: now,
    updated_at: now,
  };
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    if ((await readEndpoints(transaction, projectId)).length >= maxEndpoints) return undefined;
    await transaction.insertInto('notification_endpoints').values(row).execute();
    return { endpoint: toEndpoint(row), secret };
  });
}

/** The changes to an endpoint. A Slack URL needs the box. */
export interface EndpointChange {
  readonly target: { readonly text: string; readonly box: SecretBox | undefined } | undefined;
  readonly alerts: readonly AlertKind[] | null | undefined;
  readonly isEnabled: boolean | undefined;
}

/** Changes an endpoint; undefined when there is none. Deliveries that wait for a disabled endpoint are given up. */
export async function changeEndpoint(
  { control, clock }: ControlSources,
  projectId: string,
  id: string,
  { target, alerts, isEnabled }: EndpointChange,
): Promise<Endpoint | undefined> {
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const row = await readRow(transaction, projectId, id);
    if (row === undefined) return undefined;
    const now = clock();
    const changed: NotificationEndpointRow = {
      ...row,
      ...(target && (target.box ? hideSlackUrl(target.box, id, target.text) : { target: target.text })),
      ...(alerts !== undefined && { alerts: alerts && JSON.stringify(alerts) }),
      ...(isEnabled !== undefined && { enabled: isEnabled ? 1 : 0, disabled_reason: null }),
      updated_at: now,
    };
    const { id: _, ...columns } = changed;
    await transaction.updateTable('notification_endpoints').set(columns).where('id', '=', id).execute();
    if (isEnabled === false) await giveUpAll(transaction, id, now);
    return toEndpoint(changed);
  });
}

/** Deletes an endpoint with its deliveries and its log of attempts. False when there is none. */
export async function deleteEndpoint(control: ControlStore, projectId: string, id: string): Promise<boolean> {
  return await control.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom('notification_endpoints')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n) return false;
    await transaction.deleteFrom('notification_deliveries').where('endpoint_id', '=', id).execute();
    await transaction.deleteFrom('notification_attempts').where('endpoint_id', '=', id).execute();
    return true;
  });
}

/**
 * Gives a webhook a new secret. The old one also signs for 24 hours, so that the receiver can switch at any time in
 * between. Undefined when the project has no such webhook.
 */
export async function rotateSecret(
  { control, clock }: ControlSources,
  { projectId, id, box }: { readonly projectId: string; readonly id: string; readonly box: SecretBox },
): Promise<{ readonly endpoint: Endpoint; readonly secret: string } | undefined> {
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const row = await readRow(transaction, projectId, id);
    if (row?.kind !== 'webhook') return undefined;
    const secret = newSigningSecret();
    const now = clock();
    const changed = {
      secret: box.seal(secret, id),
      old_secret: row.secret,
      old_secret_until: now + oldSecretMs,
      updated_at: now,
    };
    await transaction.updateTable('notification_endpoints').set(changed).where('id', '=', id).execute();
    return { endpoint: toEndpoint({ ...row, ...changed }), secret };
  });
}

/** Standard Webhooks: at least 24 random bytes, in base64. */
const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Anybody who has the URL of a Slack webhook can post to its channel, so the URL is stored as a secret. */
const hideSlackUrl = (box: SecretBox, id: string, url: string) => ({
  target: `${new URL(url).origin}/…`,
  secret: box.seal(url, id),
});

const toEndpoint = (row: NotificationEndpointRow): Endpoint => ({
  id: row.id,
  kind: row.kind,
  target: row.target,
  alerts: row.alerts === null ? null : (parseJson(row.alerts) as AlertKind[]),
  isEnabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  oldSecretUntil: row.old_secret_until,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
