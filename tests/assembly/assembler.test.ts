// The loop around the batches: writers that come and go, and when it reports that it has caught up.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Assembler } from '../../src/calls/assembly/assembler.ts';
import { type BatchOptions, readBatch, writeBatch } from '../../src/calls/assembly/batch.ts';
import { FreshEvents } from '../../src/calls/assembly/fresh-events.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { noteStoredSeq, readWatermarks, registerWriter, retireWriter } from '../../src/calls/assembly/watermarks.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { BackgroundJob } from '../../src/storage/background-job.ts';
import { LeaseLost } from '../../src/storage/control/lease.ts';
import { noSignalBus, type Signal } from '../../src/storage/control/signals.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { assembleBatch } from './assemble-batch.ts';
import { untilCaughtUp } from './caught-up.ts';
import type { LoggedEvent } from './model.ts';
import {
  type AssemblerSettings,
  assembleAll,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  idsOf,
  makeAssembler,
  newEventId,
  openWorldOfFile,
  outliveLease,
  readCalls,
  toRow,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();
let running: Assembler | undefined;
/** Warnings of the assembler that was started last. */
let warnings: string[] = [];
/** Sends it a signal of another instance. */
let signalFromElsewhere: (signal: Signal) => void = () => undefined;
/** The signals that it has sent to other instances. */
let told: Signal[] = [];

beforeEach(async () => {
  await forgetWriters(world);
  outliveLease(world);
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** Starts the assembler of the process whose writer this is. */
function start(
  writer: Writer,
  settings: AssemblerSettings = {},
  storedSeq: number | null = null,
  exclusive = false,
  jobs: readonly BackgroundJob[] = [],
): Progress {
  const quiet = () => undefined;
  warnings = [];
  told = [];
  const warn = (_fields: unknown, message?: string) => void warnings.push(message ?? '');
  const clock = () => world.clock.now;
  const progress = new Progress(clock);
  running = new Assembler({
    ...makeAssembler(world, settings),
    clock,
    logger: { debug: quiet, info: quiet, warn, error: quiet },
    writer: writer.id,
    progress,
    exclusive,
    signalBus: {
      ...noSignalBus,
      send: (signal) => void told.push(signal),
      onSignal: (listener) => {
        signalFromElsewhere = listener;
      },
    },
    storedSeq: () => storedSeq,
    idleSince: quiet,
    hasUnstored: () => false,
    flush: async () => undefined,
    jobs,
  });
  running.start();
  return progress;
}

test('D4.7: answers do not wait for events that the log lost before they became calls', async () => {
  const writer = new Writer();
  await registerWriter(world.control, writer.id, base);
  const progress = start(writer, {}, null, true);
  progress.noteStored({ lastSeq: 5, lastSeqByProject: new Map([[world.projectId, 5]]) });
  await untilCaughtUp(progress, world.projectId);
  expect(warnings).toContain('events that were stored are gone from the log');
});

const outcome = (writer: Writer): LoggedEvent =>
  writer.receive(base, { event_id: newEventId(), event_type: 'x.after', cost: 1 });

// Refused requests leave one while neither the journal nor the store takes events.
test.each(['this process', 'the one before'])(
  'D4.1: events of %s behind a gap larger than a batch are in the calls',
  async (of) => {
    const writer = new Writer();
    await registerWriter(world.control, writer.id, base);
    const events = [outcome(writer), { ...outcome(writer), seq: 10 }];
    const own = of === 'this process' ? writer : new Writer();
    if (own !== writer) await registerWriter(world.control, own.id, base);
    await deliver(world, events);
    const progress = start(own, { maxEvents: 2 }, null, true);
    if (own === writer) progress.noteStored({ lastSeq: 10, lastSeqByProject: new Map([[world.projectId, 10]]) });
    await untilCaughtUp(progress, world.projectId);
    expect(await readCalls(world, idsOf(events))).toEqual(expectedCalls(world, events));
  },
);

/** Whether an answer may be read within a time, in milliseconds. */
const mayAnswer = async (progress: Progress, withinMs: number): Promise<boolean> =>
  await Promise.race([
    progress.waitFor(world.projectId, 'strict').then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), withinMs)),
  ]);

test('D4.1: events that are in memory are not read from the log', async () => {
  const own = new Writer();
  await registerWriter(world.control, own.id, base);
  const fresh = new FreshEvents(() => true);
  let isIdle = false;
  const step = async () => {
    isIdle = true;
    return false;
  };
  const progress = start(own, { fresh }, null, true, [{ name: 'any', restsDuringBackup: false, step }]);
  await poll('the assembler is idle', { within: 60_000 }, () => isIdle || undefined);
  const select = vi.spyOn(world.store, 'select');
  const events = [outcome(own), outcome(own)];
  // In memory first, so that no look at the log comes between.
  fresh.hold(events.map((event) => toRow(world.projectId, event)));
  await deliver(world, events);
  progress.noteStored({ lastSeq: 2, lastSeqByProject: new Map([[world.projectId, 2]]) });
  await untilCaughtUp(progress, world.projectId);
  const found = select.mock.calls.map(async ([sql], call) =>
    sql.includes('FROM events') ? await select.mock.results[call]?.value : [],
  );
  expect((await Promise.all(found)).flat()).toEqual([]);
  select.mockRestore();
  expect(await readCalls(world, idsOf(events))).toEqual(expectedCalls(world, events));
});

test('a process that writes alone reads the log again when it has stored more, or after ten seconds', async () => {
  const own = new Writer();
  await registerWriter(world.control, own.id, base);
  let [turns, reads] = [0, 0];
  const step = async () => {
    turns += 1;
    return true;
  };
  const afterStep = (step: string) => {
    if (step === 'slice') reads += 1;
  };
  const progress = start(own, { afterStep }, null, true, [{ name: 'any', restsDuringBackup: false, step }]);
  await untilCaughtUp(progress, world.projectId);
  const untilTurn = async (wanted: number) =>
    await poll('the jobs take turns', { within: 60_000, every: 5 }, () => turns >= wanted || undefined);
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  await untilTurn(turns + 3);
  const before = reads;
  await untilTurn(turns + 20);
  expect(reads).toBe(before);
  stopped.mockRestore();

  const event = outcome(own);
  await deliver(world, [event]);
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([[world.projectId, 1]]) });
  await untilCaughtUp(progress, world.projectId);
  expect(await readCalls(world, idsOf([event]))).toHaveLength(1);

  // Of an INSERT that was given up and has stored its rows all the same.
  const unnoted = outcome(own);
  await untilTurn(turns + 3);
  await deliver(world, [unnoted]);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_001);
  await poll('its event is a call', { within: 60_000 }, async () =>
    (await readCalls(world, idsOf([unnoted]))).length === 1 ? true : undefined,
  );
  clock.mockRestore();
});

test('D2: an event that a job deletes from the log is not assembled from memory', async () => {
  const own = new Writer();
  await registerWriter(world.control, own.id, base);
  const fresh = new FreshEvents(() => true);
  const erased = outcome(own);
  let isDone = false;
  const step = async () => {
    if (isDone) return false;
    // It arrives while the job runs.
    await deliver(world, [erased]);
    fresh.hold([toRow(world.projectId, erased)]);
    await world.store.command(
      'ALTER TABLE events DELETE WHERE event_id IN {ids:Array(UUID)} SETTINGS mutations_sync = 2',
      { ids: idsOf([erased]) },
    );
    isDone = true;
    return false;
  };
  const progress = start(own, { fresh }, null, true, [{ name: 'erase', restsDuringBackup: false, step }]);
  await poll('the job has run', { within: 60_000 }, () => isDone || undefined);
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([[world.projectId, 1]]) });
  await untilCaughtUp(progress, world.projectId);
  expect(await readCalls(world, idsOf([erased]))).toEqual([]);
});

test('D4.7: a process that starts under load answers once all events from before its start are in the calls', async () => {
  const [earlier, own] = [new Writer(), new Writer()];
  const left = [outcome(earlier), outcome(earlier)];
  await deliver(world, [...left, outcome(own)]);
  const progress = start(own, {
    // There is always something new when the next batch begins.
    afterStep: async (step) => {
      if (step === 'watermark') await deliver(world, [outcome(own)]);
    },
  });
  await untilCaughtUp(progress, world.projectId);
  expect(await readCalls(world, idsOf(left))).toHaveLength(2);
});

test('D4.7: a process that starts without the lease answers once its holder has assembled all events from before its start', async () => {
  const [earlier, own] = [new Writer(), new Writer()];
  await deliver(world, [outcome(own)]);
  const holder: BatchOptions = makeAssembler(world);
  expect(await holder.lease.acquire()).toBe(true);
  while ((await assembleBatch(holder)).events > 0) {
    // Until the vector is where the log is.
  }
  await deliver(world, [outcome(earlier)]);
  const progress = start(own);
  expect(await mayAnswer(progress, 1_500)).toBe(false);
  await assembleBatch(holder);
  await untilCaughtUp(progress, world.projectId);
  await holder.lease.release();
});

test.each(['here', 'elsewhere'])('D4.7: events gather after a batch, until an answer waits %s', async (where) => {
  const own = new Writer();
  // Events are delivered by two at once below.
  await registerWriter(world.control, own.id, base);
  const batchMs = 450;
  const begunAt: number[] = [];
  /** An event that is stored while a batch is written: storing it later would take from the rest after the batch. */
  let storedMeanwhile: LoggedEvent | undefined;
  let noteEnd: (at: number) => void = () => undefined;
  const progress = start(own, {
    afterStep: async (step) => {
      if (step === 'version') begunAt.push(performance.now());
      if (step === 'cost') {
        const event = storedMeanwhile;
        storedMeanwhile = undefined;
        if (event) await deliver(world, [event]);
        await new Promise((resolve) => setTimeout(resolve, batchMs));
      }
      if (step === 'watermark') noteEnd(performance.now());
    },
  });
  const tellOf = ({ seq }: LoggedEvent) =>
    progress.noteStored({ lastSeq: seq, lastSeqByProject: new Map([[world.projectId, seq]]) });

  /** Whether nothing began after a batch until an answer waited, and the next batch then came before the rest was over. */
  const restsUntilAwaited = async (): Promise<boolean> => {
    const [first, second] = [outcome(own), outcome(own)];
    storedMeanwhile = second;
    const { promise: firstIsDone, resolve } = Promise.withResolvers<number>();
    noteEnd = resolve;
    await deliver(world, [first]);
    tellOf(first);
    const endedAt = await firstIsDone;
    const batches = begunAt.length;
    tellOf(second);
    await new Promise((resume) => setTimeout(resume, 100));
    const hasRested = begunAt.length === batches;

    if (where === 'here') await untilCaughtUp(progress, world.projectId);
    else signalFromElsewhere('awaited');
    await expect.poll(() => readCalls(world, idsOf([second])), { timeout: 60_000 }).toHaveLength(1);
    return hasRested && Number(begunAt[batches]) - endedAt < batchMs;
  };
  // On a busy machine a rest may be over before the answer waits: then another round shows it.
  for (let round = 0; round < 5; round += 1) if (await restsUntilAwaited()) return;
  expect.fail('no batch came early because an answer waited');
});

test('D4.7: a process without the lease tells the holder that an answer waits', async () => {
  const own = new Writer();
  await deliver(world, [outcome(own)]);
  const holder: BatchOptions = makeAssembler(world);
  expect(await holder.lease.acquire()).toBe(true);
  const progress = start(own);
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([[world.projectId, 1]]) });
  expect(told).toEqual(['stored']);
  const waiting = progress.waitFor(world.projectId, 'strict');
  expect(told).toEqual(['stored', 'awaited']);
  while ((await assembleBatch(holder)).events > 0) {
    // Until the vector is where the log is.
  }
  await waiting;
  await holder.lease.release();
});

longTest('a paused writer that was taken for dead continues where it was', async () => {
  const writer = new Writer();
  await deliver(world, [outcome(writer)]);
  await assembleAll(world);
  const [watermark] = await readWatermarks(world.control);
  if (!watermark) throw new Error('the writer is on the vector');
  const late = outcome(writer);
  await deliver(world, [late]);
  await retireWriter(world.control, watermark);

  start(writer);
  await expect.poll(() => readCalls(world, idsOf([late])), { timeout: 60_000 }).toHaveLength(1);
});

test('D3.2: events of a writer on several shards are assembled only once it reports them wholly stored', async () => {
  const writer = new Writer();
  const [whole, inPart] = [outcome(writer), outcome(writer)];
  await deliver(world, [whole, inPart]);
  await noteStoredSeq(world.control, writer.id, 1);
  start(writer, {}, 1);
  await expect.poll(() => readCalls(world, idsOf([whole])), { timeout: 60_000 }).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await readCalls(world, idsOf([inPart]))).toHaveLength(0);
  await noteStoredSeq(world.control, writer.id, 2);
  await expect.poll(() => readCalls(world, idsOf([inPart])), { timeout: 60_000 }).toHaveLength(1);
});

longTest('D3.2: events that a dead writer stored in part are assembled once it can store no more', async () => {
  const [dead, own] = [new Writer(), new Writer()];
  const left = outcome(dead);
  await deliver(world, [left, outcome(own)]);
  await noteStoredSeq(world.control, dead.id, 0);
  world.clock.now += 11 * 60_000;
  const progress = start(own);
  // It was not acknowledged, so no answer waits for it.
  await untilCaughtUp(progress, world.projectId);
  await expect.poll(() => readCalls(world, idsOf([left])), { timeout: 60_000 }).toHaveLength(1);
});

test('jobs take turns with batches, and none is read before it and written after it, or read twice', async () => {
  const own = new Writer();
  // The last batch is not full, so that nothing is read after it.
  const events = Array.from({ length: 11 }, () => outcome(own));
  await deliver(world, events);
  const steps: string[] = [];
  const job: BackgroundJob = {
    name: 'job',
    restsDuringBackup: false,
    step: async () => {
      steps.push('job');
      return false;
    },
  };
  const afterStep = (step: string) => {
    if (step === 'slice' || step === 'watermark') steps.push(step);
    // Asked for in the middle of every batch, when the next may be being read.
    if (step === 'cost') running?.wake();
  };
  const progress = start(own, { maxEvents: 2, afterStep }, null, true, [job]);
  progress.noteStored({ lastSeq: 11, lastSeqByProject: new Map([[world.projectId, 11]]) });
  await untilCaughtUp(progress, world.projectId);
  await running?.stop();
  expect(await readCalls(world, idsOf(events))).toHaveLength(11);

  const upToLast = steps.slice(0, 1 + steps.lastIndexOf('watermark'));
  const count = (step: string) => upToLast.filter((one) => one === step).length;
  expect(count('watermark')).toBe(6);
  expect(count('job')).toBeGreaterThanOrEqual(2);
  // Each batch is read once: what a job has changed in the log is not in one that was read before.
  expect(count('slice')).toBe(6);
  for (const [index, step] of upToLast.entries()) {
    if (step !== 'job') continue;
    const before = upToLast.slice(0, index);
    const countBefore = (name: string) => before.filter((one) => one === name).length;
    expect(countBefore('slice')).toBe(countBefore('watermark'));
  }
});

test('a batch that was read before the lease was lost is not written after the lease is taken again', async () => {
  const own = new Writer();
  const events = Array.from({ length: 6 }, () => outcome(own));
  await deliver(world, events);
  const erased = events.slice(4, 5);
  const rival = makeAssembler(world).lease;
  const count = { read: 0, watermark: 0 };
  const { promise: isStolen, resolve: noteStolen } = Promise.withResolvers<void>();
  const afterStep = async (step: string) => {
    if (step === 'merge') count.read += 1;
    if (step === 'watermark') count.watermark += 1;
    // After the second batch: while that was written the third was read.
    if (step !== 'watermark' || count.watermark !== 2) return;
    await expect.poll(() => count.read, { timeout: 60_000 }).toBe(3);
    outliveLease(world);
    expect(await rival.acquire()).toBe(true);
    // Until renewing has noticed the loss, between two batches.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await world.store.command(
      'ALTER TABLE events DELETE WHERE event_id IN {ids:Array(UUID)} SETTINGS mutations_sync = 2',
      { ids: idsOf(erased) },
    );
    await rival.release();
    noteStolen();
  };
  start(own, { maxEvents: 2, afterStep });
  await isStolen;
  await expect.poll(() => readCalls(world, idsOf(events.slice(5))), { timeout: 60_000 }).toHaveLength(1);
  expect(await readCalls(world, idsOf(erased))).toEqual([]);
  expect(await readCalls(world, idsOf(events))).toHaveLength(5);
});

test('D2: a batch that was read under a lost lease writes no call', async () => {
  const log = [outcome(new Writer())];
  await deliver(world, log);
  const [late, rival] = [makeAssembler(world), makeAssembler(world)];
  outliveLease(world);
  expect(await late.lease.acquire()).toBe(true);
  const read = await readBatch(late);
  expect(read.slice).toHaveLength(1);
  outliveLease(world);
  expect(await rival.lease.acquire()).toBe(true);
  await expect(writeBatch(late, read)).rejects.toThrow(LeaseLost);
  await rival.lease.release();
  expect(await readCalls(world, idsOf(log))).toEqual([]);
});

/** A store that can't give more than two rows at once: more would be too long a text. */
class NarrowStore extends AnalyticStore {
  override async select<Row>(...question: Parameters<AnalyticStore['select']>): Promise<Row[]> {
    const rows = await super.select<Row>(...question);
    if (rows.length > 2) throw new Error('Cannot create a string longer than 0x1fffffe8 characters');
    return rows;
  }
}

test('events that are too large to be read at once are read in smaller batches', async () => {
  const own = new Writer();
  const events = Array.from({ length: 5 }, () => outcome(own));
  await deliver(world, events);
  const store = new NarrowStore({ url: world.engine.url, credentials: world.engine });
  const progress = start(own, { maxEvents: 8, store }, null, true);
  progress.noteStored({ lastSeq: 5, lastSeqByProject: new Map([[world.projectId, 5]]) });
  await untilCaughtUp(progress, world.projectId);
  expect(await readCalls(world, idsOf(events))).toEqual(expectedCalls(world, events));
});

longTest('an id that is sent for more than one call is reported', async () => {
  const own = new Writer();
  const event = { event_id: newEventId(), event_type: 'x.after', cost: 1 };
  const events = Array.from({ length: 10_000 }, () => own.receive(base, event));
  await deliver(world, events);
  const progress = start(own, { maxEvents: 20_000 }, null, true);
  progress.noteStored({ lastSeq: events.length, lastSeqByProject: new Map([[world.projectId, events.length]]) });
  await untilCaughtUp(progress, world.projectId);
  expect(warnings).toContainEqual(expect.stringContaining('one event id'));
  expect(await readCalls(world, [event.event_id])).toEqual(expectedCalls(world, events));
});
