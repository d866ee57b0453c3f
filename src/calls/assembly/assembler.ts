import { setImmediate as nextTurn } from 'node:timers/promises';
import { actingAs } from '../../lib/actor.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import { LeaseLost } from '../../storage/control/lease.ts';
import type { Signal, SignalBus } from '../../storage/control/signals.ts';
import { ProjectsApart } from './apart.ts';
import type { AssemblyStep, BatchOptions } from './batch.ts';
import { Batches } from './batches.ts';
import type { Progress } from './progress.ts';
import { Reached } from './reached.ts';
import {
  type IdleSince,
  noteIdle,
  readWatermarks,
  retireDeadWriters,
  touchWriter,
  type Watermark,
} from './watermarks.ts';

export interface AssemblerOptions extends BatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writer: string;
  readonly progress: Progress;
  /** The sequence up to which this process has stored all events; null if it isn't recorded (`Watermark.storedSeq`). */
  readonly storedSeq: () => number | null;
  /** How far this process has stored events; undefined while events wait to be stored. */
  readonly idleSince: () => IdleSince | undefined;
  /** Whether events that this process acknowledged are missing in the log. */
  readonly hasUnstored: () => boolean;
  /** Resolves once the log has everything that this process has acknowledged. */
  readonly flush: () => Promise<void>;
  /** Whether no other process can write to these stores, so that all other writers are dead. */
  readonly exclusive: boolean;
  readonly signalBus: SignalBus;
  /** The most urgent first: one step each in turn, when nothing waits, and every few seconds under constant load. */
  readonly jobs: readonly BackgroundJob[];
  /** Called after each step of a job with the time it took, in milliseconds. */
  readonly afterJob?: (name: string, elapsedMs: number) => void;
  readonly onBatch?: (batch: { readonly events: number; readonly calls: number; readonly elapsedMs: number }) => void;
}

/** How often an idle assembler looks for events of other writers, in milliseconds. */
const idleMs = 1_000;
/** How often to read the watermark while another process assembles this one's events, in milliseconds. */
const followMs = 25;
/** The same, if signals tell this process of progress. */
const followToldMs = 250;
/** How often to try to take the lease, in milliseconds. */
const acquireEveryMs = 500;
/** How often the lease is renewed during long work, in milliseconds. */
const renewEveryMs = 1_000;
const retryMs = 250;
/** The longest pause between two batches, in milliseconds. A waiting answer ends it. */
const longestRestMs = 500;
/** After `maxFailures` failures in a row, other instances may take the lease for `standAsideMs` milliseconds. */
const maxFailures = 3;
const standAsideMs = 3_000;
/** How long jobs wait at most while assembly is busy, in milliseconds. Requested jobs don't wait. */
const jobsEveryMs = 5_000;
const touchEveryMs = 60_000;
/** Work that takes longer is logged, in milliseconds. Answers wait for it, and time out after 10 s. */
const slowMs = 2_000;
/** A writer without a sign of life for this long is dead, in milliseconds. */
const deadAfterMs = 10 * 60_000;

/**
 * The loop that turns events into calls while this process holds the lease. It assembles this process's events as soon
 * as they are stored, and looks for events of other writers every second. Without the lease it follows the watermark.
 */
export class Assembler {
  readonly #options: AssemblerOptions;
  #stopped = false;
  #wake: (() => void) | undefined;
  #isWoken = false;
  #loop: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #wakeRenewal: (() => void) | undefined;
  #touchedAt = 0;
  #failures = 0;
  #failure: unknown;
  /** When to try to take the lease next, by `performance.now()`. */
  #acquireAt = 0;
  /** Whether an answer of another instance waits. */
  #isAwaitedElsewhere = false;
  /** The end of the pause before the next batch, by `performance.now()`. */
  #restUntil = 0;
  #areJobsWanted = false;
  #jobsDoneAt = 0;
  readonly #apart = new ProjectsApart();
  readonly #batches: Batches;
  readonly #reached: Reached;

  constructor(options: AssemblerOptions) {
    const mustMakeWay = (id: string) => this.#apart.areBatchesLong && options.progress.isWatchedByOthers(id);
    this.#options = { ...options, mustMakeWay };
    this.#batches = new Batches(options.logger);
    this.#reached = new Reached(options);
  }

  /** The error of the last attempt; undefined when it succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /** How many projects have events that could not be assembled, also not by themselves. */
  get failingProjects(): number {
    return this.#apart.failing;
  }

  /** Starts requested background work soon. */
  wake(): void {
    const { lease, signalBus } = this.#options;
    this.#areJobsWanted = true;
    this.#signal();
    if (!lease.isHeld) signalBus.send('work');
  }

  start(): void {
    const { progress, lease, signalBus, exclusive } = this.#options;
    progress.onStored(() => {
      this.#signal();
      if (!lease.isHeld) signalBus.send('stored');
    });
    progress.onAwaited(() => {
      this.#signal();
      if (!lease.isHeld) signalBus.send('awaited');
    });
    signalBus.onSignal((signal) => this.#hear(signal));
    this.#loop ??= this.#run();
    if (!exclusive) this.#renewing ??= this.#renew();
  }

  /** Finishes the batch under way and releases the lease. */
  async stop(): Promise<void> {
    const { lease, signalBus } = this.#options;
    this.#stopped = true;
    this.#signal();
    await this.#loop;
    this.#wakeRenewal?.();
    await this.#renewing;
    await lease.release();
    signalBus.send('released');
  }

  async #run(): Promise<void> {
    const { lease, logger, clock, touchedDays } = this.#options;
    while (!this.#stopped) {
      try {
        await this.#sayAlive();
        if (!lease.isHeld) {
          touchedDays.forgetAll();
          this.#forgetRead();
        }
        if (!lease.isHeld && !(await this.#acquire())) {
          this.#isWoken = false;
          await this.#follow();
          await this.#sleep(this.#followMs());
        } else {
          await this.#rest();
          const isBusy = await this.#assembleAll();
          // Jobs and assembly take turns. A batch that is being read goes first: a job may erase events, so no batch
          // read before a job may be written after it.
          if (isBusy && (this.#batches.isAhead || !this.#areJobsDue())) continue;
          if (this.#options.hasUnstored() && !this.#areJobsDue()) {
            await this.#sleep(idleMs);
            continue;
          }
          this.#areJobsWanted = false;
          await this.#doJobs(isBusy);
          this.#jobsDoneAt = clock();
          if (!isBusy && !this.#areJobsWanted) await this.#sleep(idleMs);
        }
        this.#failures = 0;
        this.#failure = undefined;
      } catch (error) {
        this.#forgetRead();
        if (error instanceof LeaseLost) logger.warn({ err: error }, 'assembly was taken over');
        else {
          this.#failure = error;
          logger.error({ err: error }, 'assembly failed; it will be tried again');
          await this.#standAside();
          await this.#doJobsMeanwhile();
        }
        this.#isWoken = false;
        await this.#sleep(retryMs);
      }
    }
    await this.#batches.settle();
  }

  /** While no answer waits, pauses as long as the last batch took: a larger next one saves processor time. */
  async #rest(): Promise<void> {
    const { progress } = this.#options;
    for (;;) {
      const leftMs = this.#restUntil - performance.now();
      if (leftMs <= 0 || progress.isAwaited || this.#isAwaitedElsewhere || this.#areJobsWanted || this.#stopped) return;
      this.#isWoken = false;
      await this.#sleep(leftMs);
    }
  }

  async #acquire(): Promise<boolean> {
    const now = performance.now();
    if (now < this.#acquireAt) return false;
    this.#acquireAt = now + acquireEveryMs;
    return await this.#options.lease.acquire();
  }

  /** Leaves the lease to other instances, because perhaps only this one cannot reach a store. */
  async #standAside(): Promise<void> {
    const { lease, signalBus, exclusive } = this.#options;
    this.#failures += 1;
    if (exclusive || !lease.isHeld || this.#failures < maxFailures) return;
    this.#acquireAt = performance.now() + standAsideMs;
    await lease.release().catch(() => undefined);
    signalBus.send('released');
  }

  #hear(signal: Signal): void {
    if (signal === 'work') this.#areJobsWanted = true;
    if (signal === 'released') this.#acquireAt = Math.min(this.#acquireAt, performance.now() + followMs);
    if (signal === 'awaited') this.#isAwaitedElsewhere = true;
    const isForHolder = signal === 'stored' || signal === 'awaited' || signal === 'work';
    if (signal !== 'changed' && this.#options.lease.isHeld === isForHolder) this.#signal();
  }

  #followMs(): number {
    const { progress, signalBus } = this.#options;
    if (!progress.isBehind && progress.hasCaughtUp) return Math.min(idleMs, acquireEveryMs);
    return signalBus.isListening ? followToldMs : followMs;
  }

  /** Renews the lease during long work. A process that hangs does not get here and loses the lease. */
  async #renew(): Promise<void> {
    const { lease, logger } = this.#options;
    while (!this.#stopped) {
      await new Promise((resolve) => {
        this.#wakeRenewal = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
        const timer = setTimeout(resolve, renewEveryMs);
      });
      if (this.#stopped) return;
      await lease.renew().catch((error: unknown) => logger.warn({ err: error }, 'the lease could not be renewed'));
    }
  }

  /** Assembles a batch, and a smaller one of a project that is assembled apart; false when there was nothing to do. */
  async #assembleAll(): Promise<boolean> {
    const { progress, signalBus } = this.#options;
    const isBusy = await this.#assemble();
    // A batch that is read ahead leaves out the projects that were apart then.
    if (progress.projectsApart === 0 || this.#batches.isAhead) return isBusy;
    const projectId = await this.#apart.step(this.#options);
    await this.#reached.noteApart();
    if (projectId === undefined) return isBusy;
    progress.noteMoved(new Set([projectId]));
    signalBus.send('assembled');
    return true;
  }

  /** Assembles a batch; false when there was none. While a full one is written, the next one is read. */
  async #assemble(): Promise<boolean> {
    const { logger, onBatch, afterStep, signalBus, progress, exclusive, writer } = this.#options;
    const startedAt = performance.now();
    const { storedSeq } = progress;
    this.#isWoken = false;
    this.#isAwaitedElsewhere = false;
    // The turn keeps jobs that wait for nothing from holding up requests.
    if (!this.#batches.isAhead && progress.hasNothingNew) return await nextTurn(false);
    const stepsMs: Partial<Record<AssemblyStep, number>> = {};
    // Each failure in a row divides it by 4: it may be too large.
    const maxEvents = Math.max(1, Math.floor(this.#options.maxEvents / 4 ** this.#failures));
    const options: BatchOptions = {
      ...this.#options,
      maxEvents,
      looksFar: storedSeq > progress.assembledSeq || !progress.hasCaughtUp,
      afterStep: async (step, elapsedMs) => {
        stepsMs[step] = Math.round((stepsMs[step] ?? 0) + elapsedMs);
        await afterStep?.(step, elapsedMs);
      },
    };
    const wasAhead = this.#batches.isAhead;
    const mayReadAhead = () => !this.#areJobsDue() && progress.projectsApart === 0;
    const result = await this.#batches.assemble(options, this.#options, mayReadAhead);
    await this.#reached.note(result.watermarks);
    const ofOthers = result.slice.filter((event) => event.writer !== writer);
    if (ofOthers.length > 0) progress.noteMoved(new Set(ofOthers.map(({ projectId }) => projectId)));
    if (!result.hasMoved) {
      const isWhole =
        exclusive &&
        maxEvents === this.#options.maxEvents &&
        !wasAhead &&
        result.watermarks.some((mark) => mark.writer === writer);
      if (isWhole && storedSeq > progress.assembledSeq) {
        // They were stored before this read: their project was deleted, or a part was lost.
        const lost = { from: progress.assembledSeq + 1, to: storedSeq };
        logger.warn(lost, 'events that were stored are gone from the log');
        progress.noteAssembled(storedSeq);
      }
      const isAlone = exclusive && result.watermarks.every((mark) => mark.writer === writer);
      if (isAlone && !wasAhead) progress.noteNothingLeft(storedSeq);
      const isDead = ({ lastSeenAt }: Watermark) => exclusive || this.#options.clock() - lastSeenAt > deadAfterMs;
      await retireDeadWriters(
        this.#options.control,
        result.watermarks.filter((mark) => mark.writer !== writer && isDead(mark)),
      );
      return false;
    }
    const endedAt = performance.now();
    const elapsedMs = Math.round(endedAt - startedAt);
    if (result.events > 0) this.#apart.noteBatch(elapsedMs);
    this.#restUntil = result.isFull ? 0 : endedAt + Math.min(elapsedMs, longestRestMs);
    signalBus.send('assembled');
    if (elapsedMs > slowMs) logger.warn({ events: result.events, elapsedMs, stepsMs }, 'a batch of assembly took long');
    onBatch?.({ events: result.events, calls: result.calls, elapsedMs });
    return true;
  }

  #areJobsDue(): boolean {
    return this.#areJobsWanted || this.#options.clock() - this.#jobsDoneAt >= jobsEveryMs;
  }

  /** Runs the jobs while assembly fails: a purge may remove what it fails for. */
  async #doJobsMeanwhile(): Promise<void> {
    const { lease, logger, clock, hasUnstored } = this.#options;
    if (!lease.isHeld || !this.#areJobsDue() || hasUnstored()) return;
    this.#areJobsWanted = false;
    this.#jobsDoneAt = clock();
    await this.#doJobs(true).catch((error: unknown) => logger.error({ err: error }, 'background work failed'));
  }

  /** Jobs that delete, freeze, close or count read the log, so it must have all acknowledged events before. */
  async #doJobs(isAssembling: boolean): Promise<void> {
    const { jobs, afterJob, logger, lease, exclusive, flush } = this.#options;
    await flush();
    for (const job of jobs) {
      if (!exclusive) await lease.renew();
      if (!lease.isHeld) throw new LeaseLost('Another process has taken the lease');
      const startedAt = performance.now();
      const state = { isBusy: isAssembling || this.#areJobsWanted };
      const hasMore = await actingAs({ kind: 'job', id: job.name }, () => job.step(state));
      this.#areJobsWanted ||= hasMore;
      const elapsedMs = Math.round(performance.now() - startedAt);
      if (elapsedMs > slowMs) logger.warn({ work: job.name, elapsedMs }, 'assembly waited long for other work');
      afterJob?.(job.name, elapsedMs);
    }
    this.#forgetRead();
  }

  /** Drops what was read or held: the log may have lost events since. */
  #forgetRead(): void {
    this.#batches.forget();
    this.#options.fresh?.clear();
  }

  async #follow(): Promise<void> {
    await this.#reached.note(await readWatermarks(this.#options.control));
  }

  async #sayAlive(): Promise<void> {
    const { control, writer, progress, clock, storedSeq, idleSince } = this.#options;
    const now = clock();
    if (now - this.#touchedAt < touchEveryMs) return;
    await touchWriter(control, writer, { now, assembledSeq: progress.assembledSeq, storedSeq: storedSeq() });
    const idle = idleSince();
    if (idle) await noteIdle(control, writer, idle);
    this.#touchedAt = now;
  }

  #signal(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #sleep(mostMs: number): Promise<void> {
    if (this.#isWoken || this.#stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
