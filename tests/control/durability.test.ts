import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openControl } from '../support/stores.ts';

test('D3.2: a committed SQLite transaction is on the disk, and survives a power cut', async () => {
  const { control, close } = await openControl();
  const { rows: journal } = await sql`pragma journal_mode`.execute(control);
  const { rows: synchronous } = await sql`pragma synchronous`.execute(control);
  expect(journal).toEqual([{ journal_mode: 'wal' }]);
  // 2 is FULL: the write-ahead log is synced at every commit.
  expect(synchronous).toEqual([{ synchronous: 2 }]);
  await close();
});
