// What a backup is made of, between two engines.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSlice } from '../../src/calls/assembly/slice.ts';
import { toDayNumber } from '../../src/lib/days.ts';
import { writeControlRows } from '../../src/server/backup/control-rows.ts';
import { copyPart } from '../../src/server/backup/copy-in.ts';
import type { CopyScope } from '../../src/server/backup/kept-tables.ts';
import { listParts, selectPart } from '../../src/server/backup/parts.ts';
import { column, mapOf, money, text, textColumns, uint64 } from '../../src/storage/analytic/native-block.ts';
import type { Parameters } from '../../src/storage/analytic/row-reader.ts';
import { openStores, type Stores } from '../support/stores.ts';

let from: Stores;
let to: Stores;
beforeAll(async () => {
  [from, to] = await Promise.all([openStores(), openStores()]);
});
afterAll(async () => {
  await Promise.all([from?.close(), to?.close()]);
});

const count = async ({ store }: Stores, table: string) =>
  Number((await store.select<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]?.n);

async function copyAll(scope: CopyScope): Promise<string[]> {
  const outcomes: string[] = [];
  for (const part of await listParts(from.store, scope)) {
    const { sql, parameters } = selectPart(part, scope);
    const open = () => from.store.streamNative(sql, parameters, new AbortController().signal);
    outcomes.push(`${part.table} ${part.rows} ${await copyPart(to, part, scope.frozen, open)}`);
  }
  return outcomes;
}

const placeColumns = textColumns(['writer', 'seq', 'project', 'received_at', 'event_id']);

test('a backup has the events up to its mark, and of rollups those of frozen days alone; copied again, nothing is copied', async () => {
  const insert = (writer: string, seq: number, received_at: string) =>
    from.store.insertRows('events', placeColumns, [[writer, String(seq), 'p', received_at, randomUUID()]]);
  await insert('w1', 1, '2026-01-31 23:59:59.999');
  await insert('w1', 2, '2026-02-01 00:00:00.000');
  await insert('w1', 3, '2026-02-01 00:00:01.000');
  await insert('w2', 1, '2026-02-01 00:00:00.500');
  const cell = (day: string, seal: string) => ['p', 'total', day, seal, '1'];
  const frozenDay = '2024-12-31';
  for (const table of ['narrow_cells', 'cells', 'customer_cells']) {
    const rows = [cell(frozenDay, '7'), cell(frozenDay, '6'), cell('2026-01-01', '8')];
    await from.store.insertRows(table, textColumns(['project', 'grain', 'day', 'seal', 'calls']), rows);
  }
  await from.store.insertRows(
    'runs',
    textColumns(['project', 'base_generation', 'run', 'first_day', 'last_day', 'first_customer', 'last_customer']),
    ['p', 'q'].map((project) => [project, '0', 'r', frozenDay, frozenDay, 'a', 'a']),
  );
  // Of the rereads the first is in force, the second is a dry run.
  await from.store.insertRows(
    'event_contents',
    textColumns(['project', 'event_id', 'writer', 'seq', 'generation', 'version', 'received_at']),
    ['3', '4'].map((generation) => ['p', randomUUID(), 'w1', '1', generation, '9', '2026-01-31 23:59:59.999']),
  );
  const scope: CopyScope = {
    mark: { writers: ['w1'], seqs: [2] },
    frozen: { projects: ['p'], seals: [[toDayNumber(frozenDay), 7]] },
    rereads: [['p', 3]],
    closes: [],
    pins: [],
  };
  const parts = ['events 1', 'events 1', 'event_contents 1', 'narrow_cells 1', 'cells 1', 'customer_cells 1', 'runs 1'];
  expect(await copyAll(scope)).toEqual(parts.map((part) => `${part} copied`));
  expect(await copyAll(scope)).toEqual(parts.map((part) => `${part} present`));
  expect(await to.store.select('SELECT writer, seq FROM events ORDER BY seq')).toEqual([
    { writer: 'w1', seq: '1' },
    { writer: 'w1', seq: '2' },
  ]);
  expect(await to.store.select('SELECT DISTINCT seal FROM cells')).toEqual([{ seal: '7' }]);
  expect(await to.store.select('SELECT generation FROM event_contents')).toEqual([{ generation: '3' }]);

  // What was deleted since is copied anew: the part is another.
  await from.store.command("ALTER TABLE events DELETE WHERE seq = 2 AND writer = 'w1'");
  await expect.poll(() => count(from, 'events'), { timeout: 60_000 }).toBe(3);
  await copyAll({ ...scope, mark: undefined });
  expect(await to.store.select('SELECT writer, seq FROM events ORDER BY received_at')).toEqual([
    { writer: 'w1', seq: '1' },
    { writer: 'w2', seq: '1' },
    { writer: 'w1', seq: '3' },
  ]);
});

test('units of frozen days are copied, and a copy from a release without them has none', async () => {
  const columns = [
    column('project', text, (_seal: number) => 'u'),
    column('grain', text, (_seal: number) => 'total'),
    column('day', text, (_seal: number) => '2025-01-01'),
    column('calls', uint64, (_seal: number) => 1),
    column('partly_priced_calls', uint64, (_seal: number) => 1),
    column('seal', uint64, (seal: number) => seal),
    column('units', mapOf(money), (_seal: number) => ({ images: 2_500_000_000_000n })),
  ];
  await from.store.insertRows('cells', columns, [11, 12]);
  const copy = async (seal: number, leftOut: RegExp) => {
    const scope: CopyScope = {
      mark: { writers: [], seqs: [] },
      frozen: { projects: [], seals: [[20_089, seal]] },
      rereads: [],
      closes: [],
      pins: [],
    };
    for (const part of await listParts(from.store, scope)) {
      const { sql, parameters } = selectPart(part, scope);
      const open = () => from.store.streamNative(sql.replace(leftOut, ''), parameters, new AbortController().signal);
      await copyPart(to, part, scope.frozen, open);
    }
  };
  await copy(11, /$/);
  await copy(12, /, partly_priced_calls, units/);
  expect(
    await to.store.select("SELECT seal, units, partly_priced_calls FROM cells WHERE project = 'u' ORDER BY seal"),
  ).toEqual([
    { seal: '11', units: { images: '2.5' }, partly_priced_calls: '1' },
    { seal: '12', units: {}, partly_priced_calls: '0' },
  ]);
});

test('of a control store that is copied, seals of frozen days stay, other days and rebuilds under way begin anew', async () => {
  const project = {
    ...{ id: 'p', name: 'p', type: 'revenue', timezone: 'UTC', pending_timezone: null, base_generation: 3 },
    ...{ at_risk_below_pct: null, created_at: 1, deleted_at: null, purged_at: null, clearing_step: 0 },
    ...{ keep_content: 0, join_alike: 0, tag_dimensions: '[]' },
  };
  const day = { project_id: 'p', generation: 3, touched: 2, touched_at: 1, sealed: 2, seal: 7 };
  const rebuild = {
    ...{ id: 'r', project_id: 'p', kind: 'reprice', dry_run: 0, state: 'running', requested_by: 'admin' },
    ...{
      date_from: null,
      date_to: null,
      timezone: 'UTC',
      price_book_id: null,
      generation: 4,
      created_at: 1,
      reread: 0,
    },
    ...{
      finished_at: null,
      cleaned_at: null,
      mark: 9,
      position: 5,
      events_total: 9,
      events_done: 5,
      comparison: null,
      failure: null,
    },
  };

  async function* rows() {
    yield { table: 'projects', row: project };
    yield { table: 'lease', row: { id: 1, holder: 'x', epoch: 8, expires_at: 9, version: 41 } };
    yield { table: 'days', row: { ...day, day: '2026-01-01' } };
    yield { table: 'rebuilds', row: rebuild };
  }
  const { control } = to;
  await control
    .transaction()
    .execute((transaction) => writeControlRows(transaction, rows(), [{ writer: 'w1', seq: 5, receivedAt: 100 }]));
  expect(await control.selectFrom('days').selectAll().execute()).toEqual([]);
  expect(await control.selectFrom('rebuilds').select(['state', 'mark', 'position']).execute()).toEqual([
    { state: 'queued', mark: null, position: null },
  ]);
  expect(await control.selectFrom('lease').selectAll().execute()).toEqual([
    { id: 1, holder: '', epoch: 0, expires_at: 0, version: 41 },
  ]);
  expect(await control.selectFrom('writers').select(['id', 'assembled_seq', 'last_seen_at']).execute()).toEqual([
    { id: 'w1', assembled_seq: 4, last_seen_at: 0 },
  ]);
});

test('of a copied log the next events are found behind what was deleted, and no more than a batch takes', async () => {
  const { store } = to;
  await store.command('TRUNCATE TABLE events');
  const row = (writer: string, seq: number) => {
    const time = `2026-03-01 00:00:0${writer === 'a' ? 1 : 2}.000`;
    return [writer, String(seq), 'p', time, randomUUID()];
  };
  const seqs = [1, 2, 5_001, 5_002];
  const rows = ['a', 'b'].flatMap((writer) => seqs.map((seq) => row(writer, seq)));
  await store.insertRows('events', placeColumns, rows);
  const select = <Row>({ sql, parameters }: { sql: string; parameters: Parameters }) =>
    store.select<Row>(sql, parameters);
  const watermark = (writer: string, seq: number) => ({ writer, seq, receivedAt: 0, lastSeenAt: 0, storedSeq: null });
  const slices = async (a: number, b: number) => {
    const { moves, events, isFull } = await readSlice(select, [watermark('a', a), watermark('b', b)], { maxEvents: 3 });
    return { moves: moves.map(({ from, to }) => `${from.writer} to ${to.seq}`), events: events.length, isFull };
  };
  // Two of each would be four.
  expect(await slices(0, 0)).toEqual({ moves: ['a to 2'], events: 2, isFull: true });
  expect(await slices(2, 2)).toEqual({ moves: ['a to 5002'], events: 2, isFull: true });
  expect(await slices(5_002, 2)).toEqual({ moves: ['b to 5002'], events: 2, isFull: false });
  expect(await slices(5_002, 5_002)).toMatchObject({ moves: [], events: 0 });
});
