import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { eraseFromAudit, eraseFromLatest } from '../../src/accounts/audit/erase-names.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { actingAs, unrecorded } from '../../src/lib/actor.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { listStatedColumns, tablesByName } from '../../src/storage/control/audit/tables-by-name.ts';
import { type ControlStore, deleteRows, openControlStore } from '../../src/storage/control/control-store.ts';
import type { AuditEntryRow } from '../../src/storage/control/schema/entry-row.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { makeDataDir } from '../support/service.ts';

let server: PostgresServer | undefined;
afterAll(async () => await server?.stop());

const budgetOf = (project_id: string, name: string) => ({
  ...{ project_id, name, amount: '1', period: 'day' as const, scope: '{}', each_of: null, thresholds: '[80]' },
  ...{ apply_credits: 0, created_at: 1, updated_at: 1 },
});

/** How many changes wait to become entries; none, when no transaction is under way. */
async function countWaiting(control: ControlStore): Promise<number> {
  return await control.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from audit_changes`.execute(transaction);
    return Number(rows[0]?.n);
  });
}

test.each(['sqlite', 'postgres'] as const)(
  'D34.3: in %s, whatever a statement looks like, its change has one entry, and none if it is undone',
  async (kind) => {
    if (kind === 'postgres') server = await startPostgres();
    const options = {
      dataDir: makeDataDir(),
      postgresUrl: server?.url,
      onError: (cause: Error) => expect.fail(String(cause)),
    };
    const stores = [await openControlStore(options)];
    // A second instance that starts finds the triggers.
    if (kind === 'postgres') stores.push(await openControlStore(options), await openControlStore(options));
    const control = stores.at(-1) as ControlStore;
    const { id: project } = await new Projects(control, Date.now).create(
      { name: 'a', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null },
      new PriceBooks(control, Date.now),
    );
    await control.deleteFrom('audit_entries').execute();
    const as = { kind: 'api_key', id: 'key_1', name: 'finance' } as const;
    const budgets = control.insertInto('budgets');
    const change = (amount: string) =>
      control.updateTable('budgets').set({ amount, updated_at: 2 }).where('name', '=', 'b');
    await actingAs(as, async () => {
      await budgets.values(budgetOf(project, 'b')).execute();
      await budgets
        .values(budgetOf(project, 'b'))
        .onConflict((row) => row.columns(['project_id', 'name']).doUpdateSet({ amount: '2' }))
        .execute();
      await change('2').execute();
      await control.updateTable('budgets').set({ updated_at: 9 }).execute();
      await change('3').returningAll().execute();
      const undone = control.transaction().execute(async (transaction) => {
        await transaction.updateTable('budgets').set({ amount: '99' }).execute();
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await expect(budgets.values(budgetOf('prj_none', 'b')).execute()).rejects.toThrow();
      await expect(budgets.values(budgetOf(project, 'b')).execute()).rejects.toThrow();
      await unrecorded(async () => await change('4').execute());
      await unrecorded(
        async () =>
          await control
            .transaction()
            .execute(async (transaction) => await transaction.updateTable('budgets').set({ amount: '5' }).execute()),
      );
      await control.transaction().execute(async (transaction) => {
        await transaction.updateTable('budgets').set({ amount: '6' }).execute();
        await transaction.updateTable('budgets').set({ amount: '5' }).execute();
        await transaction
          .insertInto('budgets')
          .values([budgetOf(project, 'c'), budgetOf(project, 'd')])
          .execute();
        await transaction
          .updateTable('budgets')
          .set((row) => ({ amount: row.val('7') }))
          .where('name', '=', 'c')
          .execute();
        await transaction.deleteFrom('budgets').where('name', '=', 'd').execute();
      });
      await deleteRows(control, 'budgets', { project_id: project, name: 'b' });
    });
    const log = await control.selectFrom('audit_entries').selectAll().orderBy('at').orderBy('id').execute();
    expect(
      log.map(({ action, subject, before, after }) => [action, subject, amountOf(before), amountOf(after)]),
    ).toEqual([
      ['created', 'b', undefined, 1],
      ['changed', 'b', 1, 2],
      ['changed', 'b', 2, 3],
      ['created', 'c', undefined, 7],
      ['deleted', 'b', 5, undefined],
    ]);
    expect(
      new Set(log.map(({ actor_kind, actor_id, actor_name }) => `${actor_kind} ${actor_id} ${actor_name}`)),
    ).toEqual(new Set(['api_key key_1 finance']));
    expect(await countWaiting(control)).toBe(0);
    const triggers =
      kind === 'sqlite'
        ? sql<{ table: string }>`select tbl_name as "table" from sqlite_temp_master where type = 'trigger'`
        : sql<{
            table: string;
          }>`select relname as "table" from pg_trigger join pg_class on pg_class.oid = tgrelid where tgname like 'audit_change_%'`;
    const { rows } = await control.transaction().execute(async (transaction) => await triggers.execute(transaction));
    expect([...new Set(rows.map(({ table }) => table))].sort()).toEqual([...tablesByName.keys()].sort());
    // The instances that started later have made none again.
    const wanted = [...tablesByName.values()].map((table) => (listStatedColumns(table).length > 0 ? 3 : 2));
    expect(rows).toHaveLength(wanted.reduce((sum, count) => sum + count, 0));
    for (const store of stores) await store.destroy();
  },
);

const amountOf = (fields: string | null): unknown => (fields === null ? undefined : JSON.parse(fields).amount);

test('D34.3: while a name is erased from the log, others write, and what they say of it meanwhile is erased too', async () => {
  const control = await openControlStore({
    ...{ dataDir: makeDataDir(), postgresUrl: undefined, onError: (cause: Error) => expect.fail(String(cause)) },
  });
  const entryOf = (place: number, at: number): AuditEntryRow => ({
    ...{ id: `aud_${String(place).padStart(6, '0')}`, project_id: 'prj_1', at, actor_kind: 'service', actor_id: null },
    ...{ actor_name: null, address: null, request: null, action: 'created', kind: 'budget', subject: `b-${place}` },
    ...{
      subject_name: null,
      before: null,
      after: JSON.stringify({ note: place % 9 === 0 ? 'asked by Acme' : 'plain' }),
    },
  });
  const write = (entries: readonly AuditEntryRow[]) => control.insertInto('audit_entries').values(entries).execute();
  for (let from = 0; from < 6_000; from += 1_000)
    await write(Array.from({ length: 1_000 }, (_, place) => entryOf(from + place, 1_000 + from + place)));
  const done: string[] = [];
  const erasing = eraseFromAudit(control, 'prj_1', 'acme').then((since) => {
    done.push('erased');
    return since;
  });
  // Before the entries that are read last, as by a transaction that took long.
  await write([entryOf(9_000, 1_500)]);
  done.push('written');
  const since = await erasing;
  expect(done).toEqual(['written', 'erased']);
  await control
    .transaction()
    .execute(async (transaction) => await eraseFromLatest(transaction, { projectId: 'prj_1', name: 'acme', since }));
  const left = await control.selectFrom('audit_entries').select('after').execute();
  const notes = Map.groupBy(left, ({ after }) => JSON.parse(after ?? '').note);
  expect([...notes].map(([note, of]) => [note, of.length]).sort()).toEqual([
    ['', 668],
    ['plain', 5_333],
  ]);
  await control.destroy();
});
