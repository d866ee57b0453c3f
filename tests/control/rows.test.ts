import { expect, test } from 'vitest';
import { Projects } from '../../src/accounts/projects.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { changeRows, deleteRows, findRow, openControlStore, putRows } from '../../src/storage/control/control-store.ts';
import { makeDataDir } from '../support/service.ts';

test('a row that is put again keeps the time of its making; only the rows with the values are changed and deleted', async () => {
  const onError = (cause: Error) => expect.fail(String(cause));
  const control = await openControlStore({ dataDir: makeDataDir(), postgresUrl: undefined, onError });
  const { id } = await new Projects(control, Date.now).create(
    { name: 'a', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null },
    new PriceBooks(control, Date.now),
  );
  const entry = (external_id: string, amount: string, at: number) => ({
    ...{ project_id: id, external_id, customer: 'acme', amount, date_from: '2026-11-01', date_to: '2026-11-30' },
    ...{ created_at: at, updated_at: at },
  });
  const put = (...rows: ReturnType<typeof entry>[]) =>
    putRows(control, 'revenue_entries', ['project_id', 'external_id'], rows);
  await put(entry('a', '1', 1), entry('b', '2', 1));
  await put(entry('a', '3', 2), entry('c', '4', 2));
  const read = (external_id: string) => findRow(control, 'revenue_entries', { project_id: id, external_id });
  expect(await read('a')).toMatchObject({ amount: '3', created_at: 1, updated_at: 2 });

  expect(await changeRows(control, 'revenue_entries', { external_id: 'b', customer: 'acme' }, { amount: '9' })).toBe(
    true,
  );
  expect(await changeRows(control, 'revenue_entries', { external_id: 'b', customer: 'none' }, { amount: '8' })).toBe(
    false,
  );
  expect(await deleteRows(control, 'revenue_entries', { external_id: 'a' })).toBe(true);
  expect(await deleteRows(control, 'revenue_entries', { external_id: 'a' })).toBe(false);
  expect([await read('a'), (await read('b'))?.amount, (await read('c'))?.amount]).toEqual([undefined, '9', '4']);
  await control.destroy();
});
