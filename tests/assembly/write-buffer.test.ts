// The intake buffer without a journal against a real engine: every event is stored once and in order, even when an answer is lost.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { poll } from '../support/poll.ts';
import { codeOf, eventOf, ids, lost, seqs, startBuffer } from './unsure-store.ts';
import { newEventId, startEngineOfFile } from './world.ts';

const engine = await startEngineOfFile();

describe('an INSERT whose answer is lost', () => {
  test('is repeated, the same rows under the same token, and stored once', async () => {
    await using setup = startBuffer(engine);
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

  test('goes before later events, and the sequences have no gaps', async () => {
    await using setup = startBuffer(engine);
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
  test('is stored when the store knows its token but lacks its rows', async () => {
    await using setup = startBuffer(engine);
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
    await using setup = startBuffer(engine);
    let isBroken = true;
    const wait = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await insert();
      await wait.promise;
      if (isBroken) throw lost;
    };
    const first = ids(2);
    const firstAnswer = codeOf(setup.send(first));
    await poll('the INSERT is tried', { within: 60_000 }, () => setup.store.attempts.length > 0 || undefined);
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

  test('is refused to its senders when the clock was set back, so that they do not wait for it', async () => {
    await using setup = startBuffer(engine);
    setup.store.way = async () => {
      throw lost;
    };
    const answer = codeOf(setup.send(ids(1)));
    await poll('the INSERT is tried', { within: 60_000 }, () => setup.store.attempts.length > 0 || undefined);
    setup.clock.now -= 3_600_000;
    expect(await Promise.race([answer, pause(5_000, 'waits')])).toBe('unavailable');
  });
});

describe('rows that the store refuses', () => {
  test('are not stored, and the next rows take their sequences', async () => {
    await using setup = startBuffer(engine);
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
