import { readEvent } from '../../calls/events/event.ts';
import type { EventToStore } from '../../calls/events/event-columns.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { type Day, dayMs, type Period, toDayNumber } from '../../lib/days.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import {
  type ControlQueries,
  type ControlSources,
  changeRows,
  lockProject,
} from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { newValues } from '../../storage/control/new-values.ts';
import type { ProviderAccountRow, ProviderCallRow } from '../../storage/control/schema/billing-rows.ts';
import { replaceInvoices } from '../invoices/entries.ts';
import type { ReadThrough } from './accounts.ts';
import { callsAtMs, type Part } from './apis/part.ts';
import type { SpanRead } from './read-span.ts';

/** Where events go: the intake of this instance. */
export interface EventSink {
  receivedAt(): number;
  store(events: readonly EventToStore[], takenAtMs: number): Promise<void>;
}

export interface StoreSources extends ControlSources {
  readonly lease: Lease;
  readonly sink: EventSink;
  readonly maxTags: number;
}

/** Somebody has changed or deleted the account since the read began. */
export class AccountChanged extends Error {
  override readonly name = 'AccountChanged';
}

/** How many events go into one request, and how many rows into one statement: SQLite takes at most 32,766 values. */
const eventsTogether = 1_000;

/** In place of a hash: unlike any. */
const postOnceMore = '';

export interface Changed {
  readonly entries: number;
  readonly calls: number;
}

/**
 * Makes what a provider says of a part and days the only entries and calls of these days, and notes the days that are
 * settled. Before events are posted, their calls are noted as unsure; a stop in between makes the next read post them
 * again, and an event that is posted twice makes one call.
 * @throws AccountChanged; LeaseLost; Problem `unavailable`
 */
export async function storeSpan(
  sources: StoreSources,
  account: ProviderAccountRow,
  { part, span, settled }: { readonly part: Part; readonly span: Period; readonly settled: ReadThrough },
  { entries, calls }: SpanRead,
): Promise<Changed> {
  const { clock } = sources;
  const { id, project_id: projectId } = account;
  const known = await readCalls(sources.control, id, part.name, span);
  const wanted = new Map(calls.map((call) => [call.id, call]));
  const toPost = [...wanted.values()].filter((call) => known.get(call.id)?.content_hash !== call.hash);
  const toWithdraw = [...known.values()].filter(({ event_id: event }) => !wanted.has(event));
  const rows = [
    ...toPost.map(({ id: event_id, day }) => toRow(account, part.name, event_id, day)),
    ...toWithdraw.map((row) => ({ ...row, content_hash: null })),
  ];
  const events = [
    ...toPost.map(({ event }) => event),
    ...toWithdraw.map(({ event_id: event, day }) => withdrawalOf(event, day)),
  ];
  await postNoted(sources, account, rows, events);
  // A former holder of the lease may still post what it has noted: the next read posts these once more.
  const isUnsure = (eventId: string) => known.get(eventId)?.content_hash === null;
  const hashes = [
    ...toPost.map(({ id: event_id, day, hash }) => ({
      ...toRow(account, part.name, event_id, day),
      content_hash: isUnsure(event_id) ? postOnceMore : hash,
    })),
    ...toWithdraw.flatMap((row) => (isUnsure(row.event_id) ? [{ ...row, content_hash: postOnceMore }] : [])),
  ];
  return await confirmed(sources, account, async (transaction) => {
    await noteCalls(transaction, hashes);
    await forgetCalls(
      transaction,
      id,
      toWithdraw.filter(({ event_id: event }) => !isUnsure(event)),
    );
    const days = { source: id, dateFrom: span.dateFrom, dateTo: span.dateTo };
    const changed = part.costs ? await replaceInvoices(transaction, projectId, days, entries, clock()) : 0;
    await changeRows(transaction, 'provider_accounts', { id }, { read_through: JSON.stringify(settled) });
    return { entries: changed, calls: rows.length };
  });
}

/**
 * Takes up to a thousand calls of an account back, but those of frozen days, which never change. Returns how many there
 * were. @throws as `storeSpan`
 */
export async function withdrawSome(
  sources: StoreSources,
  account: ProviderAccountRow,
  frozenBefore: Day,
): Promise<number> {
  const found = await sources.control
    .selectFrom('provider_calls')
    .selectAll()
    .where('account_id', '=', account.id)
    .orderBy('event_id')
    .limit(eventsTogether)
    .execute();
  const rows = found.map((row) => ({ ...row, content_hash: null }));
  const events = rows
    .filter(({ day }) => day >= frozenBefore)
    .map(({ event_id: event, day }) => withdrawalOf(event, day));
  await postNoted(sources, account, rows, events);
  await confirmed(sources, account, (transaction) => forgetCalls(transaction, account.id, rows));
  return rows.length;
}

/** Deletes what an account has brought, once its calls are taken back, and itself. */
export async function removeAccount(sources: StoreSources, account: ProviderAccountRow): Promise<void> {
  await confirmed(sources, account, async (transaction) => {
    const days = { source: account.id, dateFrom: '0000-01-01', dateTo: '9999-12-31' };
    await replaceInvoices(transaction, account.project_id, days, [], sources.clock());
    await transaction.deleteFrom('provider_accounts').where('id', '=', account.id).execute();
  });
}

async function readCalls(
  control: ControlQueries,
  accountId: string,
  part: string,
  { dateFrom, dateTo }: Period,
): Promise<Map<string, ProviderCallRow>> {
  const rows = await control
    .selectFrom('provider_calls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('part', '=', part)
    .where('day', '>=', dateFrom)
    .where('day', '<=', dateTo)
    .execute();
  return new Map(rows.map((row) => [row.event_id, row]));
}

const toRow = (account: ProviderAccountRow, part: string, eventId: string, day: Day): ProviderCallRow => ({
  project_id: account.project_id,
  account_id: account.id,
  event_id: eventId,
  part,
  day,
  content_hash: null,
});

/** An outcome that takes a call back: it counts nowhere until an event says otherwise. */
const withdrawalOf = (eventId: string, day: Day): JsonObject => ({
  event_id: eventId,
  event_type: 'provider_account.withdrawn.after',
  timestamp: new Date(toDayNumber(day) * dayMs + callsAtMs).toISOString(),
  withdrawn: true,
});

/** Notes the calls as unsure, then posts their events. */
async function postNoted(
  sources: StoreSources,
  account: ProviderAccountRow,
  rows: readonly ProviderCallRow[],
  events: readonly JsonObject[],
): Promise<void> {
  if (rows.length === 0) return;
  const { lease, sink, maxTags } = sources;
  await confirmed(sources, account, (transaction) => noteCalls(transaction, rows));
  const client = { projectId: account.project_id, clientId: account.id };
  for (const chunk of chunksOf(events, eventsTogether)) {
    await lease.requireHeld();
    const takenAt = sink.receivedAt();
    const stored = chunk.map((event): EventToStore => {
      const read = readEvent(event, takenAt, { maxTags });
      if (!read.ok) throw new Error(`An event of a provider account is not valid: ${read.faults[0]?.message}`);
      return { ...client, columns: read.columns, text: Buffer.from(JSON.stringify(event)) };
    });
    await sink.store(stored, takenAt);
  }
}

/** A transaction of an account that is as it was read, by the holder of the lease. */
const confirmed = <T>(
  { control, lease }: StoreSources,
  account: ProviderAccountRow,
  change: (transaction: ControlQueries) => Promise<T>,
): Promise<T> =>
  control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    await requireUnchanged(transaction, account);
    return await change(transaction);
  });

async function requireUnchanged(transaction: ControlQueries, { id, project_id, revision }: ProviderAccountRow) {
  await lockProject(transaction, project_id);
  const found = await transaction
    .selectFrom('provider_accounts')
    .innerJoin('projects', 'projects.id', 'provider_accounts.project_id')
    .select('revision')
    .where('provider_accounts.id', '=', id)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst();
  if (found?.revision !== revision) throw new AccountChanged('The account was changed');
}

async function noteCalls(queries: ControlQueries, rows: readonly ProviderCallRow[]): Promise<void> {
  for (const chunk of chunksOf(rows, eventsTogether)) {
    await queries
      .insertInto('provider_calls')
      .values(chunk)
      .onConflict((conflict) => conflict.columns(['account_id', 'event_id']).doUpdateSet(newValues('content_hash')))
      .execute();
  }
}

async function forgetCalls(
  transaction: ControlQueries,
  accountId: string,
  rows: readonly ProviderCallRow[],
): Promise<void> {
  for (const chunk of chunksOf(rows, eventsTogether)) {
    const ids = chunk.map(({ event_id: event }) => event);
    await transaction
      .deleteFrom('provider_calls')
      .where('account_id', '=', accountId)
      .where('event_id', 'in', ids)
      .execute();
  }
}
