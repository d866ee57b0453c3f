// SQLite without room for another page, as on a full disk.
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { findDiskFault } from '../../src/lib/disk-fault.ts';
import { toProblem } from '../../src/lib/http/problem-reply.ts';
import { RefusalLog } from '../../src/lib/http/refusal-log.ts';
import { openControl } from '../support/stores.ts';

test('D3.7, D11.2: a statement that fails for want of room says so, is a 503, and leaves no transaction behind', async () => {
  const { control, close } = await openControl();
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(control);
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 2}`).execute(control);
  const fill = control.transaction().execute(async (transaction) => {
    for (let index = 0; index < 200; index += 1) {
      await transaction
        .insertInto('price_data')
        .values({ hash: `h${index}`, data: 'x'.repeat(10_000), created_at: 0 })
        .execute();
    }
  });
  const log = pino({ level: 'silent' });
  const error: unknown = await fill.catch((cause: unknown) => cause);
  expect(findDiskFault(error)).toBe('full');
  expect(toProblem(error, log, new RefusalLog(log))).toMatchObject({
    code: 'unavailable',
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  });
  expect(await control.selectFrom('price_data').select('hash').where('hash', 'like', 'h%').execute()).toEqual([]);
  await control.transaction().execute((transaction) => transaction.selectFrom('lease').selectAll().execute());
  await close();
});

test.each([
  ['full', Object.assign(new Error('x'), { code: 'ENOSPC' })],
  ['full', Object.assign(new Error('Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'), { code: '243' })],
  ['full', new Error('Cannot write to file: errno: 28, strerror: No space left on device')],
  ['read-only', Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 })],
  ['read-only', new Error('errno: 30, strerror: Read-only file system')],
  ['failing', Object.assign(new Error('disk I/O error'), { errcode: 778 })],
  ['full', new Error('it failed', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) })],
  [undefined, new Error('syntax error')],
  [undefined, Object.assign(new Error('UNIQUE constraint failed'), { errcode: 2_067 })],
  [undefined, 'nothing'],
] as const)('a disk that is %s is known by its errors', (fault, error) => {
  expect(findDiskFault(error)).toBe(fault);
});
