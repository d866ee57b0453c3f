import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/ids.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import {
  type ControlQueries,
  type ControlSources,
  type ControlStore,
  deleteRows,
  findRow,
  requireRow,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { NotificationEndpointRow } from '../../storage/control/schema/schema.ts';
import { type DigestPlan, findLastDigest } from '../digests/schedule.ts';
import type { AlertKind } from '../kinds/kinds.ts';
import { giveUpAll } from './deliveries.ts';

/** The most endpoints of a project: each notification is sent to all of them. */
export const maxEndpoints = 20;

/** How long the secret before a rotation signs too, in milliseconds. */
const oldSecretMs = 24 * 3_600_000;

export async function readEndpoints(control: ControlQueries, projectId: string): Promise<NotificationEndpointRow[]> {
  return await control
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}

export const readEndpoint = async (control: ControlQueries, projectId: string, id: string) =>
  await findRow(control, 'notification_endpoints', { project_id: projectId, id });

export type EndpointFields =
  | (CommonFields & { readonly kind: 'webhook' | 'slack'; readonly target: string; readonly box: SecretBox })
  | (CommonFields & { readonly kind: 'email'; readonly target: string });
interface CommonFields {
  readonly alerts: readonly AlertKind[] | null;
  readonly isEnabled: boolean;
  /** Null for no digests. */
  readonly digest: DigestPlan | null;
}

/** The columns of digests: the first is the one that is due next. */
async function toDigestColumns(
  transaction: ControlQueries,
  { projectId, plan, now }: { readonly projectId: string; readonly plan: DigestPlan | null; readonly now: number },
) {
  if (plan === null) return { digest: null, digest_day: null, digest_hour: null, digest_until: null };
  const { timezone } = await requireRow(transaction, 'projects', { id: projectId });
  const { every, day, hour } = plan;
  const until = findLastDigest(plan, timezone, now).now.dateTo;
  return { digest: every, digest_day: day, digest_hour: hour, digest_until: until };
}

/** When an endpoint gets digests; null if it gets none. */
export const planOf = ({ digest, digest_day: day, digest_hour: hour }: NotificationEndpointRow): DigestPlan | null =>
  digest === null || day === null || hour === null ? null : { every: digest, day, hour };

/** Makes an endpoint. The secret of a webhook is returned only here. Undefined when there are `maxEndpoints`. */
export async function createEndpoint(
  { control, clock }: ControlSources,
  projectId: string,
  fields: EndpointFields,
): Promise<{ readonly endpoint: NotificationEndpointRow; readonly secret: string | undefined } | undefined> {
  const id = newId('nep');
  const secret = fields.kind === 'webhook' ? newSigningSecret() : undefined;
  const now = clock();
  const row: Omit<NotificationEndpointRow, `digest${string}`> = {
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
  return await withProjectLock(control, projectId, async (transaction) => {
    if ((await readEndpoints(transaction, projectId)).length >= maxEndpoints) return undefined;
    const digests = await toDigestColumns(transaction, { projectId, plan: fields.digest, now });
    const endpoint: NotificationEndpointRow = { ...row, ...digests };
    await transaction.insertInto('notification_endpoints').values(endpoint).execute();
    return { endpoint, secret };
  });
}

/** The changes to an endpoint. A Slack URL needs the box. */
export interface EndpointChange {
  readonly target: { readonly text: string; readonly box: SecretBox | undefined } | undefined;
  readonly alerts: readonly AlertKind[] | null | undefined;
  readonly isEnabled: boolean | undefined;
  /** Null for no digests any more. */
  readonly digest: DigestPlan | null | undefined;
}

/** Changes an endpoint; undefined when there is none. Deliveries that wait for a disabled endpoint are given up. */
export async function changeEndpoint(
  { control, clock }: ControlSources,
  projectId: string,
  id: string,
  { target, alerts, isEnabled, digest }: EndpointChange,
): Promise<NotificationEndpointRow | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const row = await readEndpoint(transaction, projectId, id);
    if (row === undefined) return undefined;
    const now = clock();
    const changed: NotificationEndpointRow = {
      ...row,
      ...(target && (target.box ? hideSlackUrl(target.box, id, target.text) : { target: target.text })),
      ...(alerts !== undefined && { alerts: alerts && JSON.stringify(alerts) }),
      ...(isEnabled !== undefined && { enabled: isEnabled ? 1 : 0, disabled_reason: null }),
      ...(digest !== undefined && (await toDigestColumns(transaction, { projectId, plan: digest, now }))),
      updated_at: now,
    };
    const { id: _, ...columns } = changed;
    await transaction.updateTable('notification_endpoints').set(columns).where('id', '=', id).execute();
    if (isEnabled === false) await giveUpAll(transaction, id, now);
    return changed;
  });
}

/** Deletes an endpoint with its deliveries and its log of attempts. False when there is none. */
export async function deleteEndpoint(control: ControlStore, projectId: string, id: string): Promise<boolean> {
  return await control.transaction().execute(async (transaction) => {
    if (!(await deleteRows(transaction, 'notification_endpoints', { project_id: projectId, id }))) return false;
    await transaction.deleteFrom('notification_deliveries').where('endpoint_id', '=', id).execute();
    await transaction.deleteFrom('notification_attempts').where('endpoint_id', '=', id).execute();
    return true;
  });
}

/** The old secret also signs for 24 hours, so that the receiver can switch. Undefined without such a webhook. */
export async function rotateSecret(
  { control, clock }: ControlSources,
  { projectId, id, box }: { readonly projectId: string; readonly id: string; readonly box: SecretBox },
): Promise<{ readonly endpoint: NotificationEndpointRow; readonly secret: string } | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const row = await readEndpoint(transaction, projectId, id);
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
    return { endpoint: { ...row, ...changed }, secret };
  });
}

/** Standard Webhooks: at least 24 random bytes, in base64. */
const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Anybody who has the URL of a Slack webhook can post to its channel, so the URL is stored as a secret. */
const hideSlackUrl = (box: SecretBox, id: string, url: string) => ({
  target: `${new URL(url).origin}/…`,
  secret: box.seal(url, id),
});
