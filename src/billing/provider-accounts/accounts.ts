import { z } from 'zod';
import { addDays, type Day } from '../../lib/days.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import {
  type ControlQueries,
  type ControlSources,
  findRow,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { Mode, ProviderAccountRow, ProviderKind } from '../../storage/control/schema/billing-rows.ts';
import type { NameEntry } from './names.ts';

/** The most accounts of a project. */
export const maxAccounts = 20;

/** The last settled day of each part: later ones are read again. */
export type ReadThrough = Readonly<Record<string, Day>>;

const day = z.string().meta({ format: 'date' });
const count = z.number().int();

/** What the last successful read found. */
export const lastReadFields = z.object({
  date_from: day,
  date_to: day,
  entries: count,
  calls: count,
  entries_changed: count,
  calls_changed: count,
});
export type LastRead = z.output<typeof lastReadFields>;

/** What the last change of the mode did. */
export interface Switched {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly to: Mode;
  readonly calls_made: number;
  readonly calls_withdrawn: number;
  /** False until the first read in this mode has succeeded. */
  readonly done: boolean;
}

// These are written by this folder alone.
export const parseReadThrough = (text: string): ReadThrough => parseJson(text) as ReadThrough;
export const parseLastRead = (text: string | null): LastRead | null =>
  text === null ? null : (parseJson(text) as LastRead);
export const parseSwitched = (text: string | null): Switched | null =>
  text === null ? null : (parseJson(text) as Switched);

/** The accounts of a project, the oldest first. */
export const readAccounts = async (control: ControlQueries, projectId: string): Promise<ProviderAccountRow[]> =>
  await control
    .selectFrom('provider_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

export const findAccount = async (
  control: ControlQueries,
  projectId: string,
  id: string,
): Promise<ProviderAccountRow | undefined> =>
  await findRow(control, 'provider_accounts', { project_id: projectId, id, deleted_at: null });

/** How many calls accounts have made, by id. */
export async function countCalls(control: ControlQueries, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await control
    .selectFrom('provider_calls')
    .select(['account_id', (row) => row.fn.countAll<number | string>().as('calls')])
    .where('project_id', '=', projectId)
    .groupBy('account_id')
    .execute();
  return new Map(rows.map(({ account_id, calls }) => [account_id, Number(calls)]));
}

export interface NewAccount {
  readonly kind: ProviderKind;
  readonly mode: Mode;
  readonly key: string;
  readonly since: Day | undefined;
  readonly names: readonly NameEntry[];
}

/** How far back a first read goes, in days. */
const sinceDays = 30;

/** Sets an account up; it is read soon. @throws Problem `conflict` */
export async function createAccount(
  { control, clock }: ControlSources,
  projectId: string,
  { kind, mode, key, since, names }: NewAccount,
  box: SecretBox,
): Promise<ProviderAccountRow> {
  const id = newId('pva');
  const now = clock();
  const row: ProviderAccountRow = {
    id,
    project_id: projectId,
    kind,
    mode,
    secret: box.seal(key, id),
    since: since ?? addDays(new Date(now).toISOString().slice(0, 10), -sinceDays),
    names: JSON.stringify(names),
    revision: 1,
    read_through: '{}',
    next_at: now,
    not_before: 0,
    failures: 0,
    succeeded_at: null,
    last_read: null,
    fault: null,
    fault_at: null,
    switched: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
  await withProjectLock(control, projectId, async (transaction) => {
    const others = await readAccounts(transaction, projectId);
    if (others.length >= maxAccounts) {
      throw new Problem('conflict', `A project has at most ${maxAccounts} provider accounts: delete one first.`);
    }
    refuseSameKey(others, key, box);
    await transaction.insertInto('provider_accounts').values(row).execute();
  });
  return row;
}

/** The same account twice would count twice. */
function refuseSameKey(others: readonly ProviderAccountRow[], key: string, box: SecretBox): void {
  const same = others.find(({ id, secret }) => box.open(secret, id) === key);
  if (same) throw new Problem('conflict', `This key is already set up: ${same.id}.`);
}

export interface AccountChange {
  readonly key: { readonly text: string; readonly box: SecretBox } | undefined;
  readonly mode: Mode | undefined;
  readonly names: readonly NameEntry[] | undefined;
}

/** Changes an account, which is then read soon; undefined when there is none. @throws Problem `conflict` */
export async function changeAccount(
  { control, clock }: ControlSources,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  { key, mode, names }: AccountChange,
): Promise<ProviderAccountRow | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const row = await findAccount(transaction, projectId, id);
    if (row === undefined) return undefined;
    const now = clock();
    const isSwitched = mode !== undefined && mode !== row.mode;
    const text = names === undefined ? row.names : JSON.stringify(names);
    if (key !== undefined) {
      const others = await readAccounts(transaction, projectId);
      refuseSameKey(
        others.filter((other) => other.id !== id),
        key.text,
        key.box,
      );
    }
    const changed: ProviderAccountRow = {
      ...row,
      ...(key !== undefined && { secret: key.box.seal(key.text, id), not_before: 0 }),
      ...(isSwitched && {
        mode,
        switched: JSON.stringify({
          ...{ at: now, to: mode, calls_made: 0, done: false },
          calls_withdrawn: mode === 'meter' ? 0 : ((await countCalls(transaction, projectId)).get(id) ?? 0),
        } satisfies Switched),
      }),
      names: text,
      // All calls are made again under their new names.
      ...((isSwitched || text !== row.names) && { read_through: '{}' }),
      revision: row.revision + 1,
      failures: 0,
      next_at: now,
      updated_at: now,
    };
    const { id: _, ...columns } = changed;
    await transaction.updateTable('provider_accounts').set(columns).where('id', '=', id).execute();
    return changed;
  });
}

/** Has an account read soon; undefined when there is none. */
export async function requestRead(
  { control, clock }: ControlSources,
  projectId: string,
  id: string,
): Promise<ProviderAccountRow | undefined> {
  return await control
    .updateTable('provider_accounts')
    .set({ next_at: clock() })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Deletes an account and its key; false when there is none. Unless they are kept, its entries and calls are taken out in
 * the background.
 */
export async function deleteAccount(
  { control, clock }: ControlSources,
  projectId: string,
  id: string,
  { keeps }: { readonly keeps: boolean },
): Promise<boolean> {
  return await withProjectLock(control, projectId, async (transaction) => {
    if ((await findAccount(transaction, projectId, id)) === undefined) return false;
    if (keeps) {
      await transaction.deleteFrom('provider_calls').where('account_id', '=', id).execute();
      await transaction.deleteFrom('provider_accounts').where('id', '=', id).execute();
      return true;
    }
    const now = clock();
    await transaction
      .updateTable('provider_accounts')
      .set((row) => ({
        ...{ secret: '', names: '[]', deleted_at: now, updated_at: now, next_at: now },
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', id)
      .execute();
    return true;
  });
}
