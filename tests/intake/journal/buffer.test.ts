// Events that are durable in the journal before the store has them, against a real engine and real files.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { readWatermarks, registerWriter } from '../../../src/calls/assembly/watermarks.ts';
import type { StoredBatch } from '../../../src/ingest/intake/group.ts';
import { Journal } from '../../../src/ingest/intake/journal/journal.ts';
import { replayJournal } from '../../../src/ingest/intake/replay.ts';
import { newId } from '../../../src/lib/ids.ts';
import { codeOf, ids, lost, month, seqs, startBuffer, UnsureStore } from '../../assembly/unsure-store.ts';
import { openWorld, startEngineOfFile } from '../../assembly/world.ts';
import { dataRoot } from '../../support/data-root.ts';
import { usualOrLong } from '../../support/effort.ts';
import { poll } from '../../support/poll.ts';
import { quiet } from './quiet.ts';

const engine = await startEngineOfFile();
const world = await openWorld(engine);
const { url, username, password } = engine.engine;
const away = new Error('the store is away');

/** A buffer with a journal in a folder of its own; the test decides what becomes of each INSERT. */
function startJournaled({ maxBufferedBytes = 1_000_000, maxJournalBytes = 1_000_000, now = month - 3_600_000 } = {}) {
  const folder = mkdtempSync(join(dataRoot, 'farthing-journal-'));
  const writer = newId('wrt');
  const journal = new Journal(folder, writer);
  const acknowledged: StoredBatch[] = [];
  const setAside: [events: number, path: string][] = [];
  const copies: string[] = [];
  const setup = startBuffer(engine, {
    ...{ writer, maxBufferedBytes, now },
    journaled: {
      journal,
      maxBytes: maxJournalBytes,
      onAcknowledged: (batch) => acknowledged.push(batch),
      onSetAside: (events, path) => setAside.push([events, path]),
    },
  });
  return {
    ...setup,
    ...{ folder, journal, acknowledged, setAside },
    /** What a start finds after everything was killed now; the journal may just be deleting what is stored. */
    copyFolder: () => {
      const copy = mkdtempSync(join(dataRoot, 'farthing-journal-'));
      copies.push(copy);
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (existsSync(path)) writeFileSync(join(copy, name), readFileSync(path));
      }
      return copy;
    },
    [Symbol.asyncDispose]: async () => {
      await setup[Symbol.asyncDispose]();
      for (const path of [folder, ...copies]) rmSync(path, { recursive: true });
    },
  };
}

const replay = async (folder: string) =>
  await replayJournal({ folder, store: engine.store, control: world.control, clock: () => month, logger: quiet });

/** Replays, and reads what the log says at `warn` or above, and what is left of the journal. */
async function replayAndRead(folder: string) {
  const said: string[] = [];
  const note = (_about: unknown, message?: string) => void said.push(String(message));
  const logger = { ...quiet, warn: note, error: note };
  const { events } = await replayJournal({
    folder,
    store: engine.store,
    control: world.control,
    clock: () => month,
    logger,
  });
  return { events, said, names: namesIn(folder) };
}

const namesIn = (folder: string) => readdirSync(folder);

describe('while the store takes events', () => {
  test('requests are answered by the journal, stored together, and the journal is empty when all is stored', async () => {
    await using setup = startJournaled();
    const requests = Array.from({ length: 20 }, () => ids(3));
    await Promise.all(requests.map((sent) => setup.send(sent)));
    expect(setup.acknowledged.reduce((sum, { events }) => sum + events, 0)).toBe(60);
    expect(setup.stored).toEqual([]);
    await setup.buffer.flush();
    expect(setup.stored).toEqual([{ lastSeq: 60, events: 60, lastSeqByProject: new Map([['prj_test', 60]]) }]);
    const rows = await setup.rows();
    expect(rows.map(({ id }) => id)).toEqual(requests.flat());
    expect(rows.map(({ seq }) => seq)).toEqual(seqs(60));
    await setup.buffer.close();
    expect(namesIn(setup.folder)).toEqual([]);
  });

  test('what waits for nobody is stored soon all the same', async () => {
    await using setup = startJournaled();
    await setup.send(ids(1));
    await poll('it is stored', { within: 60_000 }, () => (setup.stored.length > 0 ? true : undefined));
    expect(setup.buffer.bufferedBytes).toBe(0);
    expect(setup.buffer.idleSince()).toEqual({ seq: 1, receivedAt: setup.clock.now });
  });

  test('D4.3: times of receipt do not run backwards when the clock is set back', async () => {
    await using setup = startJournaled();
    const { buffer, clock } = setup;
    const before = buffer.receivedAt();
    await setup.send(ids(1));
    clock.now -= 3_600_000;
    expect(buffer.receivedAt()).toBe(before);
    await setup.send(ids(1));
    await buffer.flush();
    expect(buffer.idleSince()).toEqual({ seq: 2, receivedAt: before });
  });

  test('INSERTs have one month of receipt each', async () => {
    await using setup = startJournaled({ now: month - 1 });
    const before = setup.send(ids(2));
    setup.clock.now = month;
    const after = setup.send(ids(2));
    await Promise.all([before, after]);
    await setup.buffer.flush();
    expect(setup.stored.map(({ events }) => events)).toEqual([2, 2]);
  });
});

describe('while the store is away', () => {
  test('events are taken up to a bound of bytes, then refused, and stored in order when it is back', async () => {
    await using setup = startJournaled({ maxJournalBytes: 20_000 });
    setup.store.way = async () => {
      throw away;
    };
    const taken: string[] = [];
    for (let refused = false; !refused; ) {
      const sent = ids(2);
      refused = (await codeOf(setup.send(sent))) === 'unavailable';
      if (!refused) taken.push(...sent);
      expect(taken.length).toBeLessThan(1_000);
    }
    expect(taken.length).toBeGreaterThan(50);
    expect(setup.stored).toEqual([]);
    expect(setup.buffer.idleSince()).toBeUndefined();
    // An answer that waits for the log is no event that is refused (D4.7).
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const late = codeOf(setup.buffer.flush());
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(await late).toBe('catching_up');
    setup.store.way = (insert) => insert();
    await setup.buffer.flush();
    expect((await setup.rows()).map(({ id }) => id)).toEqual(taken);
    expect(await codeOf(setup.send(ids(1)))).toBe('stored');
  });

  test('what has no room in memory is read back from the journal, and stored the same', async () => {
    await using setup = startJournaled({ maxBufferedBytes: 2_000 });
    setup.store.way = async () => {
      throw away;
    };
    const sent = Array.from({ length: 40 }, () => ids(2));
    for (const request of sent) {
      await setup.send(request);
      setup.clock.now += 1;
    }
    setup.store.way = (insert) => insert();
    await setup.buffer.flush();
    expect((await setup.rows()).map(({ id }) => id)).toEqual(sent.flat());
    const unlike = await engine.store.select(
      `SELECT count() AS rows FROM (SELECT DISTINCT event_type, phase, tags, fields, customer, user, feature, usage, units, cost, ignored, client, project
        FROM events WHERE writer = {writer:String}) HAVING rows != 1`,
      { writer: setup.writer },
    );
    expect(unlike).toEqual([]);
    const times = (await setup.rows()).map(({ receivedAt }) => Number(receivedAt));
    expect(times).toEqual(sent.flatMap((_, index) => [index, index]).map((later) => month - 3_600_000 + later));
  });
});

describe('while the store refuses a row', () => {
  /** The engine's answer to a row that it cannot take. */
  const refusal = new ClickHouseError({ message: 'it cannot be parsed', code: '6', type: 'CANNOT_PARSE_TEXT' });
  const holdsAny = (store: UnsureStore, refused: readonly string[]) =>
    store.attempts.at(-1)?.rows.some((row) => refused.some((id) => JSON.stringify(row).includes(id)));

  test('it is kept in a file, and all others are stored, in order', async () => {
    await using setup = startJournaled();
    const requests = Array.from({ length: 6 }, () => ids(5));
    const refused = [requests[1]?.[4] ?? '', requests[4]?.[0] ?? ''];
    setup.store.way = async (insert) => {
      if (holdsAny(setup.store, refused)) throw refusal;
      await insert();
    };
    await Promise.all(requests.map((sent) => setup.send(sent)));
    await setup.buffer.flush();
    expect((await setup.rows()).map(({ id }) => id)).toEqual(requests.flat().filter((id) => !refused.includes(id)));
    expect(setup.stored.at(-1)?.lastSeq).toBe(30);
    expect(setup.stored.reduce((sum, { events }) => sum + events, 0)).toBe(28);
    const path = join(setup.folder, 'refused.ndjson');
    expect(setup.setAside).toEqual([[2, path]]);
    const kept = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(kept.map((line) => JSON.parse(line).event.event_id)).toEqual(refused);
    expect(JSON.parse(kept[0] ?? '')).toMatchObject({ project_id: 'prj_test', received_at: expect.any(String) });
    expect(await codeOf(setup.send(ids(1)))).toBe('stored');
  });

  test('a start that finds it in the journal keeps it too, and goes on', async () => {
    await using setup = startJournaled();
    const requests = [ids(2), ids(2)];
    const refused = requests.flat().slice(1, 2);
    setup.store.way = async () => {
      throw away;
    };
    for (const request of requests) await setup.send(request);
    const copy = setup.copyFolder();
    const store = new UnsureStore({ url, credentials: { username, password } });
    store.way = async (insert) => {
      if (holdsAny(store, refused)) throw refusal;
      await insert();
    };
    expect(
      await replayJournal({ folder: copy, store, control: world.control, clock: () => month, logger: quiet }),
    ).toEqual({ events: 3 });
    await store.close();
    expect(namesIn(copy)).toEqual(['refused.ndjson']);
    expect((await setup.rows()).map(({ id }) => id)).toEqual(requests.flat().filter((id) => !refused.includes(id)));
  });
});

describe('while the journal cannot be written', () => {
  const failing = (setup: ReturnType<typeof startJournaled>) => {
    setup.journal.append = async () => {
      throw new Error('no space');
    };
  };

  test('requests are answered by the INSERT, behind what was journalled before', async () => {
    await using setup = startJournaled();
    const [first, second] = [ids(2), ids(3)];
    setup.store.way = async (insert, attempt) => {
      await insert();
      if (attempt === 1) throw lost;
    };
    await setup.send(first);
    failing(setup);
    await setup.send(second);
    expect(setup.stored.at(-1)?.lastSeq).toBe(5);
    expect((await setup.rows()).map(({ id }) => id)).toEqual([...first, ...second]);
    expect(setup.buffer.failure).toBeUndefined();
  });

  test('and the store takes nothing either, requests are refused after 10 seconds', async () => {
    await using setup = startJournaled();
    failing(setup);
    setup.store.way = async () => {
      setup.clock.now += 11_000;
      throw away;
    };
    expect(await codeOf(setup.send(ids(1)))).toBe('unavailable');
    expect(setup.buffer.failure).toBe(away);
  });
});

test('a journal whose write failed begins a new segment, and keeps what it had', async () => {
  const folder = mkdtempSync(join(dataRoot, 'farthing-journal-'));
  const journal = new Journal(folder, 'wrt_1');
  const request = { projectId: 'prj', clientId: 'c', readAtMs: 1, receivedAtMs: 1, texts: [Buffer.from('{}')] };
  const at = await journal.append({ firstSeq: 1, requests: [request] });
  await at.segment.file.close();
  await expect(journal.append({ firstSeq: 2, requests: [request] })).rejects.toThrow();
  await poll('it is written again', { within: 60_000 }, () =>
    journal.append({ firstSeq: 3, requests: [request] }).then(
      () => true,
      () => undefined,
    ),
  );
  expect(namesIn(folder)).toHaveLength(2);
  rmSync(folder, { recursive: true });
});

describe('the next start', () => {
  test('stores what was acknowledged and not stored, as it was acknowledged, and leaves no journal', async () => {
    await using setup = startJournaled();
    await registerWriter(world.control, setup.writer, setup.clock.now);
    const [first, second] = [ids(2), ids(3)];
    await setup.send(first);
    await setup.buffer.flush();
    setup.store.way = async () => {
      throw away;
    };
    const receivedAt = setup.clock.now;
    await setup.send(second);
    const copy = setup.copyFolder();
    const again = setup.copyFolder();
    setup.clock.now += 1_000;
    expect(await replay(copy)).toEqual({ events: 3 });
    expect(namesIn(copy)).toEqual([]);
    // As after a power cut that brought the deleted files back.
    expect(await replay(again)).toEqual({ events: 0 });
    const rows = await setup.rows();
    expect(rows.map(({ id }) => id)).toEqual([...first, ...second]);
    expect(rows.map(({ seq }) => seq)).toEqual(seqs(5));
    expect(new Set(rows.map(({ receivedAt: at }) => Number(at)))).toEqual(new Set([receivedAt]));
    // The engine has the rows: the repeated INSERT of the old process finds them.
    setup.store.way = (insert) => insert();
  });

  test('puts a writer that was taken off the vector back, below what it stores', async () => {
    await using setup = startJournaled();
    setup.store.way = async () => {
      throw away;
    };
    await setup.send(ids(2));
    await replay(setup.copyFolder());
    const marks = await readWatermarks(world.control);
    expect(marks.find(({ writer }) => writer === setup.writer)).toMatchObject({ seq: 0, storedSeq: null });
  });

  test('does not bring back what was assembled and then erased', async () => {
    await using setup = startJournaled();
    await registerWriter(world.control, setup.writer, setup.clock.now);
    setup.store.way = async () => {
      throw away;
    };
    await setup.send(ids(4));
    await world.control.updateTable('writers').set({ assembled_seq: 3 }).where('id', '=', setup.writer).execute();
    expect(await replay(setup.copyFolder())).toEqual({ events: 1 });
    expect((await setup.rows()).map(({ seq }) => seq)).toEqual(['4']);
  });

  test('does not store events of a project that was deleted', async () => {
    await using setup = startJournaled();
    setup.store.way = async () => {
      throw away;
    };
    await setup.send(ids(2), world.projectId);
    await world.control.updateTable('projects').set({ deleted_at: 1 }).where('id', '=', world.projectId).execute();
    try {
      expect(await replay(setup.copyFolder())).toEqual({ events: 0 });
    } finally {
      await world.control.updateTable('projects').set({ deleted_at: null }).where('id', '=', world.projectId).execute();
    }
  });

  test('keeps a damaged segment aside, and stores what is whole in it', async () => {
    await using setup = startJournaled();
    setup.store.way = async () => {
      throw away;
    };
    const requests = [ids(1), ids(1), ids(1)];
    for (const request of requests) await setup.send(request);
    const copy = setup.copyFolder();
    const [name = ''] = namesIn(copy);
    const bytes = readFileSync(join(copy, name));
    const at = bytes.indexOf(requests[1]?.[0] ?? '');
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    writeFileSync(join(copy, name), bytes);
    expect(await replay(copy)).toEqual({ events: 2 });
    expect(namesIn(copy)).toEqual([`${name}.damaged`]);
    expect((await setup.rows()).map(({ id }) => id)).toEqual([requests[0]?.[0], requests[2]?.[0]]);
  });

  test('keeps each damaged segment, also those of several starts in a row', async () => {
    const folder = mkdtempSync(join(dataRoot, 'farthing-journal-'));
    const request = {
      projectId: 'prj',
      clientId: 'c',
      readAtMs: 1,
      receivedAtMs: 1,
      texts: [Buffer.from('{"damaged":1}')],
    };
    const kept: Buffer[] = [];
    for (let start = 0; start < 3; start += 1) {
      const { segment } = await new Journal(folder, newId('wrt')).append({ firstSeq: 1, requests: [request] });
      await segment.file.close();
      const bytes = readFileSync(segment.path);
      const at = bytes.indexOf('damaged');
      bytes.write('D', at, 'latin1');
      writeFileSync(segment.path, bytes);
      await replay(folder);
      kept.push(bytes);
    }
    const found = namesIn(folder).map((name) => readFileSync(join(folder, name)));
    expect(found).toHaveLength(3);
    expect(new Set(found.map(String))).toEqual(new Set(kept.map(String)));
    rmSync(folder, { recursive: true });
  });

  test('says that a segment is cut off, wherever that is, and keeps it; a stop or a kill leaves none', async () => {
    await using setup = startJournaled();
    await setup.send(ids(1));
    await setup.buffer.flush();
    setup.store.way = async () => {
      throw away;
    };
    await setup.send(ids(1));
    expect(await replayAndRead(setup.copyFolder())).toEqual({ events: 1, said: [], names: [] });
    const copy = setup.copyFolder();
    const [name = ''] = namesIn(copy);
    const path = join(copy, name);
    const bytes = readFileSync(path);
    const said = [expect.stringContaining('unfinished record')];
    const names = [`${name}.damaged`];
    // In the middle of the record, where it begins, in the header, and before it.
    const begins = bytes.lastIndexOf(bytes.subarray(8, 24), bytes.length - 25);
    for (const end of [bytes.length - 30, begins, 30, 0]) {
      const cut = mkdtempSync(join(dataRoot, 'farthing-journal-'));
      writeFileSync(join(cut, name), bytes.subarray(0, end));
      expect(await replayAndRead(cut)).toEqual({ events: 0, said, names });
      rmSync(cut, { recursive: true });
    }
  });

  test('takes the copy of a damaged header, and says so', async () => {
    await using setup = startJournaled();
    setup.store.way = async () => {
      throw away;
    };
    await setup.send(ids(2));
    const copy = setup.copyFolder();
    const [name = ''] = namesIn(copy);
    const bytes = readFileSync(join(copy, name));
    bytes.writeUInt8((bytes[12] ?? 0) ^ 1, 12);
    writeFileSync(join(copy, name), bytes);
    const said = [expect.stringContaining('its copy was read')];
    expect(await replayAndRead(copy)).toEqual({ events: 2, said, names: [] });
  });

  test('has every acknowledged event once, whatever was stored, lost or torn before, and however often it is cut off', async () => {
    const request = fc.record({
      events: fc.integer({ min: 1, max: 5 }),
      /** What becomes of the INSERTs from then on. */
      way: fc.constantFrom('stored', 'stored, answer lost', 'away'),
      flushes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), fc.nat(200), async (requests, torn) => {
        await using setup = startJournaled();
        await registerWriter(world.control, setup.writer, setup.clock.now);
        const acknowledged: string[] = [];
        for (const { events, way, flushes } of requests) {
          setup.store.way = async (insert) => {
            if (way === 'away') throw away;
            await insert();
            if (way === 'stored, answer lost') throw lost;
          };
          const sent = ids(events);
          await setup.send(sent);
          acknowledged.push(...sent);
          if (flushes && way === 'stored') await setup.buffer.flush();
        }
        // What the store was doing when the process died is decided before the next one asks.
        setup.store.way = async () => {
          throw away;
        };
        await setup.store.settle();
        const copies = [setup.copyFolder(), setup.copyFolder()];
        for (const copy of copies) {
          const last = namesIn(copy).sort().at(-1);
          if (last) writeFileSync(join(copy, last), Buffer.alloc(torn, 7), { flag: 'a' });
          await replay(copy);
          expect((await setup.rows()).map(({ id }) => id)).toEqual(acknowledged);
        }
      }),
      { numRuns: usualOrLong(3, 200) },
    );
  });
});
