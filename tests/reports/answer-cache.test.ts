// Which statements over sealed days are cached and which are not, on a real engine that counts them.
import { beforeEach, expect, test } from 'vitest';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import type { CellSource } from '../../src/reports/asking/cells.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Clause } from '../../src/storage/analytic/clause.ts';
import { startEngineOfFile } from '../assembly/world.ts';
import { longTest } from '../support/long-test.ts';

const { engine } = await startEngineOfFile();

class CountingStore extends AnalyticStore {
  statements = 0;

  constructor() {
    const { url, username, password } = engine;
    super({ url, credentials: { username, password } });
  }

  override async select<Row>(...asked: Parameters<AnalyticStore['select']>): Promise<Row[]> {
    this.statements += 1;
    return await super.select<Row>(...asked);
  }
}

const cellsOf = (rows: CellSource['rows']): CellSource => ({
  from: 'numbers(3) AS cells',
  where: { sql: '1', parameters: {} },
  rows,
});
const [settledCells, changingCells] = [cellsOf('settled'), cellsOf('changing')];
const statement = (parameters: Clause['parameters']): Clause => ({
  sql: 'SELECT {of:UInt64} AS of, number FROM numbers(3) AS cells ORDER BY number',
  parameters,
});
const answer = (of: string) => ['0', '1', '2'].map((number) => ({ of, number }));

let store: CountingStore;
let answerCache: AnswerCache;

beforeEach(() => {
  store = new CountingStore();
  answerCache = new AnswerCache(store);
  return async () => await store.close();
});

test('a statement over sealed days runs once, also when many ask at once', async () => {
  const ask = () => answerCache.select(statement({ of: 7 }), [settledCells]);
  const answers = await Promise.all(Array.from({ length: 16 }, ask));
  for (const rows of [...answers, await ask()]) expect(rows).toEqual(answer('7'));
  expect(store.statements).toBe(1);
});

test('statements that differ in a value are different statements', async () => {
  for (const value of [1, 2, 3n, 2n ** 63n]) {
    for (let round = 0; round < 2; round += 1)
      expect(await answerCache.select(statement({ of: value }), [settledCells])).toEqual(answer(String(value)));
  }
  expect(store.statements).toBe(4);
  const other = { ...statement({ of: 1 }), sql: 'SELECT {of:UInt64} AS of' };
  expect(await answerCache.select(other, [settledCells])).toEqual([{ of: '1' }]);
});

test('a statement that also reads other days runs each time', async () => {
  for (const cells of [[changingCells], [settledCells, changingCells]] as const) {
    for (let round = 0; round < 2; round += 1)
      expect(await answerCache.select(statement({ of: 7 }), cells)).toEqual(answer('7'));
  }
  expect(store.statements).toBe(4);
});

test('where no day has a call, no statement runs, unless it reads other days too', async () => {
  const none = cellsOf('none');
  expect(await answerCache.select(statement({ of: 7 }), [none, none])).toEqual([]);
  expect(store.statements).toBe(0);
  for (const other of [settledCells, changingCells])
    expect(await answerCache.select(statement({ of: 7 }), [none, other])).toEqual(answer('7'));
  expect(store.statements).toBe(2);
});

test('a failure reaches all who wait for it, and the next caller runs the statement again', async () => {
  const failing = { sql: "SELECT throwIf(1, 'no') AS no", parameters: {} };
  const ask = async () => await answerCache.select(failing, [settledCells]);
  const answers = await Promise.allSettled([ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(ask()).rejects.toThrow('no');
  expect(store.statements).toBe(2);
});

longTest(
  'the cache is bounded: large answers are not cached, and the least recently used answer is dropped',
  async () => {
    const ofBytes = (bytes: number, mark: number) => ({
      sql: "SELECT {mark:UInt64} AS mark, repeat('0123456789', {tens:UInt64}) AS text",
      parameters: { mark, tens: bytes / 10 },
    });
    const ask = async (bytes: number, mark: number) => {
      const [row] = await answerCache.select<{ mark: string; text: string }>(ofBytes(bytes, mark), [settledCells]);
      expect([row?.mark, row?.text.length]).toEqual([String(mark), bytes]);
    };
    for (let round = 0; round < 2; round += 1) await ask(2_000_000, 0);
    expect(store.statements).toBe(2);
    for (let mark = 1; mark <= 20; mark += 1) await ask(900_000, mark);
    expect(store.statements).toBe(22);
    await ask(900_000, 20);
    expect(store.statements).toBe(22);
    await ask(900_000, 1);
    expect(store.statements).toBe(23);
  },
);
