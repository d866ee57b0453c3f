import { sql } from 'kysely';
import { z } from 'zod';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { newId } from '../../lib/ids.ts';
import { type ControlQueries, type ControlStore, changeRows } from '../../storage/control/control-store.ts';
import type { NotificationDeliveryRow, NotificationEndpointRow } from '../../storage/control/schema/schema.ts';

export interface Claimed {
  readonly delivery: NotificationDeliveryRow;
  readonly endpoint: NotificationEndpointRow;
}

/** Milliseconds, longer than an attempt can take. If the sender dies, the delivery is due again. */
const claimMs = 30_000;

export interface ClaimOptions {
  readonly now: number;
  readonly sender: string;
  /** Whether no other process can use the store: claims of other senders are then those of dead processes. */
  readonly exclusive: boolean;
  readonly atMost: number;
  /** How many attempts each endpoint has under way; an endpoint with none may be absent. */
  readonly busy: ReadonlyMap<string, number>;
  readonly perEndpoint: number;
}

/** Claims due deliveries, the longest waiting first, with at most `perEndpoint` attempts under way to each endpoint. */
export async function claimDue(control: ControlStore, options: ClaimOptions): Promise<Claimed[]> {
  const { now, sender, exclusive, atMost, busy, perEndpoint } = options;
  const full = [...busy].filter(([, running]) => running >= perEndpoint).map(([id]) => id);
  const due = await control
    .selectFrom('notification_deliveries')
    .select(['id', 'endpoint_id'])
    .where('next_attempt_at', '<=', now)
    .where(isFree(options))
    .$if(full.length > 0, (query) => query.where('endpoint_id', 'not in', full))
    .orderBy('next_attempt_at')
    .limit(atMost)
    .execute();
  const running = new Map(busy);
  const ids = due.flatMap(({ id, endpoint_id }) => {
    const here = running.get(endpoint_id) ?? 0;
    running.set(endpoint_id, here + 1);
    return here < perEndpoint ? [id] : [];
  });
  if (ids.length === 0) return [];
  // Checks again: when two senders find the same row, the second UPDATE sees the claim of the first.
  const deliveries = await control
    .updateTable('notification_deliveries')
    .set({ claimed_by: sender, claimed_until: now + claimMs })
    .where('id', 'in', ids)
    .where('next_attempt_at', '<=', now)
    .where(isFree({ now, sender, exclusive }))
    .returningAll()
    .execute();
  return await withEndpoints(control, deliveries, now);
}

const isFree = ({ now, sender, exclusive }: Pick<ClaimOptions, 'now' | 'sender' | 'exclusive'>) =>
  exclusive
    ? sql<boolean>`(claimed_by is null or claimed_by <> ${sender} or claimed_until < ${now})`
    : sql<boolean>`(claimed_by is null or claimed_until < ${now})`;

/** The claimed deliveries with their endpoints. Deliveries whose endpoint or project was deleted are given up. */
async function withEndpoints(
  control: ControlStore,
  deliveries: readonly NotificationDeliveryRow[],
  now: number,
): Promise<Claimed[]> {
  if (deliveries.length === 0) return [];
  const endpoints = await control
    .selectFrom('notification_endpoints')
    .innerJoin('projects', 'projects.id', 'notification_endpoints.project_id')
    .selectAll('notification_endpoints')
    .where('projects.deleted_at', 'is', null)
    .where('notification_endpoints.id', 'in', [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))])
    .execute();
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const claimed: Claimed[] = [];
  for (const delivery of deliveries) {
    const endpoint = byId.get(delivery.endpoint_id);
    if (endpoint) claimed.push({ delivery, endpoint });
    else await finish(control, delivery.id, 'given_up', now);
  }
  return claimed;
}

export interface Attempt {
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** Null when it was delivered. */
  readonly error: string | null;
  /** Undefined when no other attempt follows. */
  readonly nextAttemptAt: number | undefined;
  /** Whether the endpoint has answered that it is gone, and is to be disabled. */
  readonly isGone: boolean;
}

/** If another sender has taken over the delivery, a failure goes to the log of attempts only. */
export async function noteAttempt(
  control: ControlStore,
  { delivery, endpoint }: Claimed,
  attempt: Attempt,
  sender: string,
): Promise<void> {
  const endedAt = attempt.at + attempt.durationMs;
  await control.transaction().execute(async (transaction) => {
    const isDisabled = attempt.isGone && (await disable(transaction, endpoint, endedAt));
    const nextAttemptAt = isDisabled ? null : (attempt.nextAttemptAt ?? null);
    await transaction
      .insertInto('notification_attempts')
      .values({
        id: newId('nat'),
        project_id: delivery.project_id,
        endpoint_id: endpoint.id,
        delivery_id: delivery.id,
        at: attempt.at,
        status: attempt.status,
        error: attempt.error,
        duration_ms: attempt.durationMs,
        next_attempt_at: nextAttemptAt,
      })
      .execute();
    if (attempt.error === null) return await finish(transaction, delivery.id, 'delivered', endedAt);
    if (isDisabled) return await giveUpAll(transaction, endpoint.id, endedAt);
    if (nextAttemptAt === null) return await finish(transaction, delivery.id, 'given_up', endedAt);
    const claimed = { id: delivery.id, state: 'waiting', claimed_by: sender } as const;
    const failed = { failures: delivery.failures + 1, next_attempt_at: nextAttemptAt };
    const released = { claimed_by: null, claimed_until: null };
    await changeRows(transaction, 'notification_deliveries', claimed, { ...failed, ...released });
  });
}

/** Disables an endpoint that is gone. False when it was changed meanwhile: it may have another target. */
async function disable(queries: ControlQueries, endpoint: NotificationEndpointRow, now: number): Promise<boolean> {
  const { id, updated_at } = endpoint;
  const disabled = { enabled: 0, disabled_reason: 'gone', updated_at: now } as const;
  return await changeRows(queries, 'notification_endpoints', { id, updated_at }, disabled);
}

/** Releases a claim without an attempt: the delivery is due as before. */
export async function releaseClaim(control: ControlStore, id: string, sender: string): Promise<void> {
  await changeRows(
    control,
    'notification_deliveries',
    { id, claimed_by: sender },
    { claimed_by: null, claimed_until: null },
  );
}

export async function giveUpAll(queries: ControlQueries, endpointId: string, now: number): Promise<void> {
  await changeRows(
    queries,
    'notification_deliveries',
    { endpoint_id: endpointId, state: 'waiting' },
    finished('given_up', now),
  );
}

const finish = async (queries: ControlQueries, id: string, state: 'delivered' | 'given_up', now: number) => {
  await changeRows(queries, 'notification_deliveries', { id, state: 'waiting' }, finished(state, now));
};

/** Deletes the content when a delivery ends, because it may name customers. */
const finished = (state: 'delivered' | 'given_up', now: number) => ({
  state,
  content: null,
  next_attempt_at: null,
  claimed_by: null,
  claimed_until: null,
  finished_at: now,
});

/** How long finished deliveries and attempts are kept, in milliseconds. */
const keptMs = 30 * 24 * 3_600_000;

/** Deletes deliveries and attempts older than `keptMs`, and old secrets that no longer sign. */
export async function clearOld(control: ControlStore, now: number): Promise<void> {
  await control
    .deleteFrom('notification_attempts')
    .where('at', '<', now - keptMs)
    .execute();
  await control
    .deleteFrom('notification_deliveries')
    .where('finished_at', '<', now - keptMs)
    .execute();
  await control
    .updateTable('notification_endpoints')
    .set({ old_secret: null, old_secret_until: null })
    .where('old_secret_until', '<', now)
    .execute();
}

const attemptPosition = z.tuple([z.string().max(100)]);

/** The attempts to send to an endpoint, newest first, with the delivery that each was for. */
export async function listAttempts(
  control: ControlStore,
  {
    endpointId,
    limit,
    cursor,
  }: { readonly endpointId: string; readonly limit: number; readonly cursor: string | undefined },
) {
  const question = ['notification attempts', endpointId];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, attemptPosition)[0];
  const found = await control
    .selectFrom('notification_attempts as attempts')
    .innerJoin('notification_deliveries as deliveries', 'deliveries.id', 'attempts.delivery_id')
    .selectAll('attempts')
    .select(['deliveries.notification_id', 'deliveries.kind', 'deliveries.event', 'deliveries.state'])
    .where('attempts.endpoint_id', '=', endpointId)
    .$if(after !== undefined, (query) => query.where('attempts.id', '<', after ?? ''))
    .orderBy('attempts.id', 'desc')
    .limit(limit + 1)
    .execute();
  return cutPage(question, found, limit, ({ id }) => [id]);
}

/** How many deliveries wait for each endpoint of a project; endpoints for which none waits are left out. */
export async function countWaiting(control: ControlStore, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await control
    .selectFrom('notification_deliveries')
    .select(['endpoint_id', (build) => build.fn.countAll<number | string | bigint>().as('waiting')])
    .where('project_id', '=', projectId)
    .where('next_attempt_at', 'is not', null)
    .groupBy('endpoint_id')
    .execute();
  return new Map(rows.map(({ endpoint_id, waiting }) => [endpoint_id, Number(waiting)]));
}
