// The questions of one project never hold up those of another, and end when nobody waits for them.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askingAs, askingFor, sharedWithOthers } from '../../src/lib/asker.ts';
import { NeedsHeavyTurn } from '../../src/lib/problem.ts';
import { Shares } from '../../src/lib/shares.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { poll } from '../support/poll.ts';
import { startEngineStore } from '../support/stores.ts';

/** Takes seconds. */
const slow = 'SELECT sum(sleepEachRow(0.05)) AS slept FROM numbers(50)';
/** Runs for minutes, so that it still runs when a busy machine looks. */
const endless = 'SELECT sum(sleepEachRow(0.05)) AS slept FROM numbers(12000) SETTINGS max_block_size = 1';

async function open(mostWaiting = 100) {
  const { store, engine, close } = await startEngineStore();
  const shares = new Shares({ slots: 4, mostWaiting, refusal: 'Ask less at once.' });
  const questions = new AnalyticStore({ url: engine.url, credentials: engine, shares });
  const countRunning = async (): Promise<number> => {
    const running = "query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'";
    return (await store.select(`SELECT 1 FROM system.processes WHERE ${running}`)).length;
  };
  const closeAll = async () => {
    await questions.close();
    await close();
  };
  return { questions, store, countRunning, closeAll };
}

test('a project that asks without end has half of the slots, and another is answered meanwhile', async () => {
  const { questions, countRunning, closeAll } = await open(8);
  try {
    const leaving = new AbortController();
    const noisy = askingFor({ lane: 'noisy', left: leaving.signal }, () =>
      Array.from({ length: 12 }, async () => {
        await questions.select(endless);
      }),
    );
    const ended = Promise.allSettled(noisy);
    await poll('two run', { within: 60_000 }, async () => (await countRunning()) === 2 || undefined);
    const [row] = await askingFor({ lane: 'quiet' }, () => questions.select('SELECT 1 AS one'));
    expect(row).toEqual({ one: 1 });
    expect(await countRunning()).toBe(2);

    leaving.abort();
    await poll('none runs', { within: 60_000 }, async () => (await countRunning()) === 0 || undefined);
    const reasons = (await ended).map((one) => (one.status === 'rejected' ? one.reason.code : 'answered'));
    expect(reasons.filter((reason) => reason === 'unavailable')).toHaveLength(2);
    expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(10);
  } finally {
    await closeAll();
  }
});

test('those who ask and leave have no more statements run than those who stay, and each ends', async () => {
  const { questions, store, closeAll } = await open();
  /** Is done in one block, so that no kill ends it before it is through. */
  const stubborn = 'SELECT length(arraySort(x -> sipHash64(x), range(300000))) AS sorted FROM numbers(1)';
  const countRunning = async () => {
    const running = "query LIKE '%arraySort%' AND query NOT LIKE '%system.processes%'";
    return (await store.select(`SELECT 1 FROM system.processes WHERE ${running}`)).length;
  };
  try {
    const asked: Promise<unknown>[] = [];
    const counts: number[] = [];
    for (let serial = 0; serial < 12; serial += 1) {
      const leaving = new AbortController();
      const asking = askingFor({ lane: 'noisy', left: leaving.signal }, () => questions.select(stubborn));
      asked.push(asking.catch(() => undefined));
      await pause(30);
      leaving.abort();
      counts.push(await countRunning());
    }
    await Promise.all(asked);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    await poll('none runs', { within: 60_000 }, async () => (await countRunning()) === 0 || undefined);
    // Its slots are free again.
    const rows = await askingFor({ lane: 'noisy' }, () =>
      Promise.all([questions.select('SELECT 1 AS one'), questions.select('SELECT 1 AS one')]),
    );
    expect(rows).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  } finally {
    await closeAll();
  }
});

test('light work gets no more than 2 MiB of rows, also of those that others wait for, and is told to take a turn', async () => {
  const { questions, closeAll } = await open();
  const cache = new AnswerCache(questions);
  const statement = (count: number) => ({
    sql: "SELECT repeat('x', 1000) AS text FROM numbers({count:UInt64})",
    parameters: { count },
  });
  const reads = {
    directly: (count: number) => questions.select(statement(count).sql, statement(count).parameters),
    shared: (count: number) => cache.select(statement(count), [{ rows: 'settled' }]),
  };
  try {
    for (const read of Object.values(reads)) {
      const light = (count: number) => askingFor({ lane: 'a' }, () => askingAs({ weight: 'light' }, () => read(count)));
      const heavy = (count: number) => askingFor({ lane: 'a' }, () => askingAs({ weight: 'heavy' }, () => read(count)));
      expect(await light(2_000)).toHaveLength(2_000);
      const [refused, taken] = await Promise.allSettled([light(3_000), heavy(3_000)]);
      expect(refused).toMatchObject({ reason: expect.any(NeedsHeavyTurn) });
      expect(taken).toMatchObject({ value: { length: 3_000 } });
    }
  } finally {
    await closeAll();
  }
});

test('a part of an answer that has begun waits for its slot behind any number of others', async () => {
  const { questions, closeAll } = await open(1);
  try {
    const asked = (hasBegun: boolean) =>
      askingFor({ lane: 'a' }, () => askingAs({ hasBegun }, () => questions.select('SELECT sleepEachRow(0.1)')));
    const ended = await Promise.allSettled([false, false, false, false, true, true].map(asked));
    const reasons = ended.map((one) => (one.status === 'rejected' ? one.reason.code : 'answered'));
    expect(reasons).toEqual(['answered', 'answered', 'answered', 'rate_limited', 'answered', 'answered']);
  } finally {
    await closeAll();
  }
});

test('what others wait for too goes on when its asker leaves', async () => {
  const { questions, closeAll } = await open();
  try {
    const leaving = new AbortController();
    const shared = askingFor({ lane: 'a', left: leaving.signal }, () =>
      sharedWithOthers(() => questions.select<{ slept: string }>(slow)),
    );
    await pause(100);
    leaving.abort();
    expect(await shared).toHaveLength(1);
  } finally {
    await closeAll();
  }
});

test('an answer of too many bytes is refused without being held, and the next one is answered', async () => {
  const { store, engine, close } = await startEngineStore();
  const bounded = new AnalyticStore({ url: engine.url, credentials: engine, mostBytes: 1_048_576 });
  try {
    const rows = "SELECT repeat('x', 1000) AS text FROM numbers({count:UInt64})";
    expect(await bounded.select(rows, { count: 1_000 })).toHaveLength(1_000);
    await expect(bounded.select(rows, { count: 50_000 })).rejects.toMatchObject({
      code: 'answer_too_large',
      detail: expect.stringContaining('more than 1 MiB; ask for'),
    });
    const running =
      "SELECT 1 FROM system.processes WHERE query LIKE '%repeat(%' AND query NOT LIKE '%system.processes%'";
    await poll(
      'the query has ended',
      { within: 60_000 },
      async () => (await store.select(running)).length === 0 || undefined,
    );
    expect(await bounded.select('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    // What the engine cannot hold is no better asked again, and what Node.js cannot is not parsed.
    const unwieldy = 'SELECT arrayMap(x -> [], range(900)) AS lists FROM numbers(300)';
    await expect(bounded.select(`${rows} SETTINGS max_memory_usage = 1000000`, { count: 1 })).resolves.toHaveLength(1);
    const heavy = 'SELECT length(groupArray(number)) AS held FROM numbers(3000000) SETTINGS max_memory_usage = 4000000';
    await expect(bounded.select(heavy)).rejects.toMatchObject({ code: 'answer_too_large' });
    await expect(store.select(heavy)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await bounded.select(unwieldy)).toEqual(await store.select(unwieldy));
  } finally {
    await bounded.close();
    await close();
  }
});
