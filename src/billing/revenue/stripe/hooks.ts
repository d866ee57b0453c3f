import { equalHashes, hashSecret, newId } from '../../../lib/ids.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import {
  type ControlQueries,
  type ControlSources,
  type ControlStore,
  changeRows,
  findRow,
  withProjectLock,
} from '../../../storage/control/control-store.ts';
import type { StripeHookRow } from '../../../storage/control/schema/billing-rows.ts';
import { requestRemake } from '../../../storage/control/stripe-remakes.ts';

/** The most hooks of a project. Each Stripe account needs one for live mode and one for test mode. */
export const maxHooks = 20;

/** The hooks of a project, the oldest first. */
export async function readHooks(control: ControlQueries, projectId: string): Promise<StripeHookRow[]> {
  return await control
    .selectFrom('stripe_hooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Makes a hook; undefined when there are `maxHooks`. */
export async function createHook(
  { control, clock }: ControlSources,
  projectId: string,
  {
    secret,
    customerKey,
    box,
  }: { readonly secret: string; readonly customerKey: string | null; readonly box: SecretBox },
): Promise<StripeHookRow | undefined> {
  const id = newId('shk');
  const now = clock();
  const row: StripeHookRow = {
    id,
    project_id: projectId,
    secret: box.seal(secret, id),
    old_secret: null,
    customer_key: customerKey,
    events: 0,
    last_event_at: null,
    refused_at: null,
    refusal: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
  return await withProjectLock(control, projectId, async (transaction) => {
    if ((await readHooks(transaction, projectId)).length >= maxHooks) return undefined;
    await transaction.insertInto('stripe_hooks').values(row).execute();
    if (customerKey !== null) await requestRemake(transaction, projectId);
    return row;
  });
}

export interface HookChange {
  readonly secret: { readonly text: string; readonly box: SecretBox } | undefined;
  readonly customerKey: string | null | undefined;
}

/**
 * Changes a hook; undefined when there is none. The old secret stays valid until the next rotation, so that Stripe can
 * switch to the new one at any time in between.
 */
export async function changeHook(
  { control, clock }: ControlSources,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  { secret, customerKey }: HookChange,
): Promise<StripeHookRow | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const row = await findRow(transaction, 'stripe_hooks', { project_id: projectId, id, deleted_at: null });
    if (row === undefined) return undefined;
    const hashed = (text: string | undefined) => hashSecret(text ?? '');
    const isOfOtherSecret =
      secret !== undefined && !equalHashes(hashed(secret.box.open(row.secret, id)), hashed(secret.text));
    const changed: StripeHookRow = {
      ...row,
      ...(isOfOtherSecret && { secret: secret.box.seal(secret.text, id), old_secret: row.secret }),
      ...(customerKey !== undefined && { customer_key: customerKey }),
      updated_at: clock(),
    };
    const { id: _, ...columns } = changed;
    await transaction.updateTable('stripe_hooks').set(columns).where('id', '=', id).execute();
    if (changed.customer_key !== row.customer_key) await requestRemake(transaction, projectId);
    return changed;
  });
}

/** False when there is none. Its revenue stays, and its `customerKey` still names the customers of that revenue. */
export async function deleteHook({ control, clock }: ControlSources, projectId: string, id: string): Promise<boolean> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const now = clock();
    const deleted = { secret: '', old_secret: null, refused_at: null, refusal: null, updated_at: now, deleted_at: now };
    return await changeRows(transaction, 'stripe_hooks', { project_id: projectId, id, deleted_at: null }, deleted);
  });
}

/** A hook with the secrets that verify its webhooks. */
export interface OpenHook {
  readonly id: string;
  readonly projectId: string;
  readonly secrets: readonly string[];
  readonly refusedAt: number | null;
}

/** The hook with this id, of any project; undefined when there is none. */
export async function findHook(
  control: ControlStore,
  id: string,
  box: SecretBox | undefined,
): Promise<OpenHook | undefined> {
  const row = await findRow(control, 'stripe_hooks', { id, deleted_at: null });
  if (row === undefined) return undefined;
  const sealed = row.old_secret === null ? [row.secret] : [row.secret, row.old_secret];
  return {
    id,
    projectId: row.project_id,
    secrets: sealed.flatMap((text) => box?.open(text, id) ?? []),
    refusedAt: row.refused_at,
  };
}

/** Notes that an event was taken. A repeated event changes nothing. */
export async function noteEvent(
  transaction: ControlQueries,
  id: string,
  { madeAt, isNews }: { readonly madeAt: number; readonly isNews: boolean },
): Promise<void> {
  await transaction
    .updateTable('stripe_hooks')
    .set((row) => ({
      events: row('events', '+', isNews ? 1 : 0),
      last_event_at: row.case().when('last_event_at', '>', madeAt).then(row.ref('last_event_at')).else(madeAt).end(),
    }))
    .where('id', '=', id)
    .execute();
}

/** For how long a refusal is kept, in milliseconds: anybody can cause refusals, so writes are limited. */
const refusalsApartMs = 5_000;

/** Notes why a webhook was refused, to help whoever sets up the hook. */
export async function noteRefusal(control: ControlStore, hook: OpenHook, reason: string, now: number): Promise<void> {
  if (hook.refusedAt !== null && now - hook.refusedAt < refusalsApartMs) return;
  await changeRows(control, 'stripe_hooks', { id: hook.id }, { refused_at: now, refusal: reason });
}
