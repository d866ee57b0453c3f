// The group commit against a real engine: whatever becomes of an answer, every event is stored once, and in order.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AnalyticStore } from '../../src/clickhouse/analytic-store.ts';
import type { Column } from '../../src/clickhouse/native-block.ts';
import { readEvent } from '../../src/intake/event.ts';
import type { EventToStore } from '../../src/intake/event-columns.ts';
import { type StoredBatch, WriteBuffer } from '../../src/intake/write-buffer.ts';
import { newId } from '../../src/lib/ids.ts';
import { Overload, Problem } from '../../src/lib/problem.ts';
import { poll } from '../support/poll.ts';
import { newEventId, startEngineOfFile } from './world.ts';

interface Attempt {
  readonly token: string | undefined;
  readonly rows: readonly unknown[];
}

/** A store whose INSERTs into `events` go the way that the test says; what is done is done by the real engine. */
class UnsureStore extends AnalyticStore {
  readonly attempts: Attempt[] = [];
  /** Called with the real INSERT, once an attempt; the default does it. */
  way: (insert: () => Promise<void>, attempt: number) => Promise<void> = (insert) => insert();

  override async insertRows<Row>(
    table: string,
    columns: readonly Column<Row>[],
    rows: readonly Row[],
    options: { deduplicationToken?: string } = {},
  ): Promise<void> {
    this.attempts.push({ token: options.deduplicationToken, rows: structuredClone(rows) });
    await this.way(() => super.insertRows(table, columns, rows, options), this.attempts.length);
  }
}

const month = Date.UTC(2026, 1, 1);
const engine = await startEngineOfFile();

interface StoredRow {
  readonly seq: string;
  readonly id: string;
  readonly receivedAt: string;
}

function startBuffer({ maxBufferedBytes = 1_000_000, now = month - 3_600_000, isShared = false } = {}) {
  const { url, username, password } = engine.engine;
  const store = new UnsureStore({ url, credentials: { username, password } });
  const writer = newId('wrt');
  const clock = { now };
  const stored: StoredBatch[] = [];
  const errors: unknown[] = [];
  const buffer = new WriteBuffer({
    store,
    writer,
    clock: () => clock.now,
    notBefore: now,
    maxBufferedBytes,
    onStored: (batch) => stored.push(batch),
    onError: (cause) => errors.push(cause),
    isShared: () => isShared,
  });
  return {
    store,
    writer,
    buffer,
    clock,
    stored,
    errors,
    /** Sends the events of one request as the intake does. */
    send: (ids: readonly string[], projectId = 'prj_test') => {
      const receivedAt = buffer.receivedAt();
      return buffer.store(
        ids.map((id) => eventOf(id, receivedAt, projectId)),
        receivedAt,
      );
    },
    /** What the log holds of this writer. */
    rows: async () =>
      await engine.store.select<StoredRow>(
        'SELECT seq, event_id AS id, toUnixTimestamp64Milli(received_at) AS receivedAt FROM events WHERE writer = {writer:String} ORDER BY seq',
        { writer },
      ),
    [Symbol.asyncDispose]: async () => {
      store.way = (insert) => insert();
      await buffer.close();
      await store.close();
    },
  };
}

function eventOf(id: string, receivedAt: number, projectId: string): EventToStore {
  const event = { event_id: id, event_type: 'llm.after', tags: { customer: 'Ada "and"\n Bo' } };
  const reading = readEvent(event, receivedAt, { maxTags: 100 });
  if (!reading.ok) throw new Error('the event is valid');
  return { projectId, clientId: 'cl_test', columns: reading.columns, text: JSON.stringify(event) };
}

const ids = (count: number) => Array.from({ length: count }, newEventId);
const seqs = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
const codeOf = async (sent: Promise<void>): Promise<string> =>
  await sent.then(
    () => 'stored',
    (cause) => (cause instanceof Problem ? cause.code : String(cause)),
  );
const lost = new Error('the answer was lost');

describe('an INSERT whose answer is lost', () => {
  test('is repeated, the same rows under the same token, and stored once', async () => {
    await using setup = startBuffer();
    setup.store.way = async (insert, attempt) => {
      await insert();
      if (attempt <= 2) throw lost;
    };
    const sent = ids(3);
    await setup.send(sent);
    expect(setup.store.attempts).toHaveLength(3);
    expect(new Set(setup.store.attempts.map((attempt) => JSON.stringify(attempt))).size).toBe(1);
    expect(setup.store.attempts[0]?.token).toBeTruthy();
    expect(setup.errors).toEqual([lost, lost]);
    expect((await setup.rows()).map((row) => row.id)).toEqual(sent);
    expect(setup.stored).toEqual([{ lastSeq: 3, events: 3, lastSeqByProject: new Map([['prj_test', 3]]) }]);
  });

  test('goes before whatever came later, and the sequences have no gaps', async () => {
    await using setup = startBuffer();
    let fails = 0;
    setup.store.way = async (insert, attempt) => {
      // Every other INSERT is done and its answer lost, every fifth is not even done.
      if (attempt % 5 === 0) throw new Error('not done');
      await insert();
      if (attempt % 2 === 0) {
        fails += 1;
        throw lost;
      }
    };
    const requests = Array.from({ length: 12 }, (_, index) => ids(1 + (index % 4)));
    const answers: Promise<void>[] = [];
    for (const request of requests) {
      answers.push(setup.send(request, `prj_${answers.length % 2}`));
      setup.clock.now += 1;
      await pause(answers.length % 3 === 0 ? 30 : 0);
    }
    await Promise.all(answers);
    expect(fails).toBeGreaterThan(0);

    const rows = await setup.rows();
    const sent = requests.flat();
    expect(rows.map((row) => row.id)).toEqual(sent);
    expect(rows.map((row) => row.seq)).toEqual(seqs(sent.length));
    const times = rows.map((row) => Number(row.receivedAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // Tokens of different rows differ: none is dropped as a repetition of another.
    const bodies = Map.groupBy(setup.store.attempts, ({ token }) => token);
    for (const attempts of bodies.values())
      expect(new Set(attempts.map(({ rows }) => JSON.stringify(rows))).size).toBe(1);
    expect(setup.stored.at(-1)?.lastSeq).toBe(sent.length);
    expect(setup.buffer.bufferedBytes).toBe(0);
  });

  // The engine notes a token just before it puts the part in place: killed between the two, it knows a token without rows.
  test('is stored when the store knows its token and has not its rows', async () => {
    await using setup = startBuffer();
    setup.store.way = async (insert, attempt) => {
      await insert();
      if (attempt > 1) return;
      await engine.store.command(
        'ALTER TABLE events DELETE WHERE writer = {writer:String} SETTINGS mutations_sync = 2',
        {
          writer: setup.writer,
        },
      );
      throw lost;
    };
    const sent = ids(3);
    await setup.send(sent);
    expect((await setup.rows()).map(({ seq, id }) => [seq, id])).toEqual(
      sent.map((id, index) => [String(index + 1), id]),
    );
    expect(setup.stored.map(({ lastSeq }) => lastSeq)).toEqual([3]);
    await setup.send(ids(1));
    expect((await setup.rows()).map(({ seq }) => seq)).toEqual(seqs(4));
  });

  test('is refused to its senders when they have waited long, and repeated all the same', async () => {
    await using setup = startBuffer();
    let isBroken = true;
    const wait = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await insert();
      await wait.promise;
      if (isBroken) throw lost;
    };
    const first = ids(2);
    const firstAnswer = codeOf(setup.send(first));
    await poll('the INSERT is tried', { within: 5_000 }, () => setup.store.attempts.length > 0 || undefined);
    // Waits behind it, and is never part of an INSERT.
    const secondAnswer = codeOf(setup.send(ids(2)));
    setup.clock.now += 10_000;
    wait.resolve();
    expect(await firstAnswer).toBe('unavailable');
    expect(await secondAnswer).toBe('unavailable');
    expect(setup.stored).toEqual([]);

    const third = ids(1);
    const thirdAnswer = codeOf(setup.send(third));
    isBroken = false;
    expect(await thirdAnswer).toBe('stored');
    expect((await setup.rows()).map(({ seq, id }) => [seq, id])).toEqual(
      [...first, ...third].map((id, index) => [String(index + 1), id]),
    );
    expect(setup.stored.map(({ lastSeq }) => lastSeq)).toEqual([2, 3]);
    expect(setup.buffer.bufferedBytes).toBe(0);
  });

  test('is refused to its senders rather than that they wait for a clock that was set back', async () => {
    await using setup = startBuffer();
    setup.store.way = async () => {
      throw lost;
    };
    const answer = codeOf(setup.send(ids(1)));
    await poll('the INSERT is tried', { within: 5_000 }, () => setup.store.attempts.length > 0 || undefined);
    setup.clock.now -= 3_600_000;
    expect(await Promise.race([answer, pause(5_000, 'waits')])).toBe('unavailable');
  });
});

describe('rows that the store refuses', () => {
  test('are not stored, and their sequences go to the next', async () => {
    await using setup = startBuffer();
    await setup.send(ids(2));
    const receivedAt = setup.buffer.receivedAt();
    const good = eventOf(newEventId(), receivedAt, 'prj_test');
    const bad = { ...good, columns: { ...good.columns, eventId: 'no id' } };
    expect(await codeOf(setup.buffer.store([bad], receivedAt))).toBe('internal');
    await setup.send(ids(2));
    expect((await setup.rows()).map(({ seq }) => seq)).toEqual(seqs(4));
    expect(setup.stored.map(({ lastSeq }) => lastSeq)).toEqual([2, 4]);
    expect(setup.buffer.bufferedBytes).toBe(0);
  });
});

describe('the bound', () => {
  test('refuses what does not fit any more, stores all that was taken, and then takes more', async () => {
    await using setup = startBuffer({ maxBufferedBytes: 3_000 });
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const requests = Array.from({ length: 30 }, () => ids(1));
    const answers = requests.map((request) => codeOf(setup.send(request)));
    const full = setup.buffer.bufferedBytes;
    expect(full).toBeGreaterThan(0);
    expect(full).toBeLessThanOrEqual(3_000);
    open();
    const codes = await Promise.all(answers);
    expect(new Set(codes)).toEqual(new Set(['stored', 'unavailable']));
    expect(codes.indexOf('unavailable')).toBe(codes.lastIndexOf('stored') + 1);

    const taken = requests.filter((_, index) => codes[index] === 'stored').flat();
    expect((await setup.rows()).map(({ id }) => id)).toEqual(taken);
    expect(setup.buffer.bufferedBytes).toBe(0);
    const more = ids(1);
    await setup.send(more);
    expect((await setup.rows()).map(({ id }) => id)).toEqual([...taken, ...more]);
  });

  test('does not keep out a request that is larger than it, when nothing else waits', async () => {
    await using setup = startBuffer({ maxBufferedBytes: 100 });
    const sent = ids(20);
    const [large, next] = [codeOf(setup.send(sent)), codeOf(setup.send(ids(1)))];
    expect([await large, await next]).toEqual(['stored', 'unavailable']);
    expect((await setup.rows()).map(({ id }) => id)).toEqual(sent);
  });

  test('a refusal says when to come again', async () => {
    await using setup = startBuffer({ maxBufferedBytes: 1 });
    const large = setup.send(ids(1));
    await expect(setup.send(ids(1))).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
    await large;
  });
});

describe('batches', () => {
  test('hold one month of receipt each', async () => {
    await using setup = startBuffer({ now: month - 2 });
    const requests: string[][] = [];
    const answers: Promise<void>[] = [];
    // The last milliseconds of January and the first of February, all waiting at once.
    for (let index = 0; index < 4; index += 1) {
      const request = ids(2);
      requests.push(request);
      answers.push(setup.send(request));
      setup.clock.now += 1;
    }
    await Promise.all(answers);
    expect(setup.store.attempts).toHaveLength(2);
    expect(setup.stored.map(({ lastSeq }) => lastSeq)).toEqual([4, 8]);
    const parts = await engine.store.select<{ months: string[] }>(
      'SELECT arraySort(groupUniqArray(toString(toYYYYMM(received_at)))) AS months FROM events WHERE event_id IN {ids:Array(UUID)} GROUP BY _part',
      { ids: requests.flat() },
    );
    expect(parts.map(({ months }) => months).sort()).toEqual([['202601'], ['202602']]);
    expect((await setup.rows()).map(({ seq, id }) => [seq, id])).toEqual(
      requests.flat().map((id, index) => [String(index + 1), id]),
    );
  });

  test('gather what arrives while one is under way', async () => {
    await using setup = startBuffer();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const first = setup.send(ids(1));
    await poll('the first INSERT is under way', { within: 5_000 }, () => setup.store.attempts.length > 0 || undefined);
    const others = Array.from({ length: 50 }, () => setup.send(ids(1)));
    open();
    await Promise.all([first, ...others]);
    expect(setup.stored.map(({ events }) => events)).toEqual([1, 50]);
  });

  // What arrives while the first INSERT is under way, and just after it.
  test.each([
    { isShared: true, requests: 32, gathered: [32, 2] },
    { isShared: true, requests: 31, gathered: [31, 1, 1] },
    { isShared: false, requests: 32, gathered: [32, 1, 1] },
  ])('of $requests requests leave others a moment if the store is shared: $isShared', async (example) => {
    await using setup = startBuffer({ isShared: example.isShared });
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const first = Array.from({ length: example.requests }, () => setup.send(ids(1)));
    await poll('the first INSERT is under way', { within: 5_000 }, () => setup.store.attempts.length > 0 || undefined);
    const meanwhile = setup.send(ids(1));
    open();
    await Promise.all(first);
    await nextTurn();
    await Promise.all([meanwhile, setup.send(ids(1))]);
    expect(setup.stored.map(({ events }) => events)).toEqual(example.gathered);
  });

  test('never have times of receipt that run backwards, even when the clock does', async () => {
    await using setup = startBuffer();
    await setup.send(ids(1));
    setup.clock.now -= 60_000;
    await setup.send(ids(1));
    const [first, second] = await setup.rows();
    expect(Number(second?.receivedAt)).toBeGreaterThanOrEqual(Number(first?.receivedAt));
  });

  test('are never received before what was said when there were none', async () => {
    await using setup = startBuffer();
    let open: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => {
      open = resolve;
    });
    setup.store.way = async (insert) => {
      await stuck;
      await insert();
    };
    const startedAt = setup.clock.now;
    setup.clock.now -= 60_000;
    const takenBefore = setup.buffer.receivedAt();
    expect(takenBefore).toBe(startedAt);
    const first = setup.send(ids(1));
    expect(setup.buffer.quiet()).toBeUndefined();
    open();
    await first;
    setup.clock.now += 120_000;
    expect(setup.buffer.quiet()).toEqual({ seq: 1, receivedAt: setup.clock.now });
    // Whoever took the time before.
    await setup.buffer.store([eventOf(newEventId(), takenBefore, 'prj_test')], takenBefore);
    expect((await setup.rows()).map(({ receivedAt }) => Number(receivedAt))).toEqual([startedAt, setup.clock.now]);
  });

  test('that wait are stored before the buffer is closed, and nothing is taken after', async () => {
    await using setup = startBuffer();
    const sent = ids(3);
    const answers = sent.map((id) => codeOf(setup.send([id])));
    const closed = setup.buffer.close();
    const late = setup.send(ids(1)).catch((refusal: unknown) => refusal);
    await closed;
    expect((await setup.rows()).map(({ id }) => id)).toEqual(sent);
    expect(await Promise.all(answers)).toEqual(['stored', 'stored', 'stored']);
    // A stop is no overload: the log has it as what it is.
    expect(await late).toMatchObject({ code: 'unavailable', cause: new Error('the buffer is closed') });
    expect(await late).not.toBeInstanceOf(Overload);
  });
});

test('D3.7: when many wait too long for a slow store others are refused at once, unless they are small, until fewer wait', async () => {
  await using setup = startBuffer({ maxBufferedBytes: 100_000_000 });
  const slowBy = (ms: number) => {
    setup.store.way = async (insert) => {
      await pause(ms);
      await insert();
    };
  };
  const sendMany = () => Promise.all(Array.from({ length: 32 }, () => setup.send(ids(500))));
  slowBy(300);
  // So few events that they say nothing of the store, however long they took on a busy machine.
  await setup.send(ids(1_000));
  const afterFew = sendMany();
  expect(setup.buffer.isFull).toBe(false);
  await afterFew;
  // So many that they tell how fast it is.
  slowBy(1_000);
  await setup.send(ids(5_000));
  const ofFew = setup.send(ids(16_000));
  expect(setup.buffer.isFull).toBe(false);
  await ofFew;
  const ofMany = sendMany();
  expect(setup.buffer.isFull).toBe(true);
  expect(await codeOf(setup.send(ids(1_000)))).toBe('unavailable');
  // Small is what was sent: its rows have more bytes.
  await Promise.all([ofMany, setup.send(ids(1)), setup.send(ids(30))]);
  expect(setup.buffer.isFull).toBe(false);
  await setup.send(ids(1_000));
  expect(await setup.rows()).toHaveLength(55_031);
});
