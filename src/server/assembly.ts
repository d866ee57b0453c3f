import { join } from 'node:path';
import { Notifier } from '../alerting/notifications/notifier.ts';
import { ProviderReader } from '../billing/provider-accounts/reader.ts';
import { Assembler } from '../calls/assembly/assembler.ts';
import { FreshEvents } from '../calls/assembly/fresh-events.ts';
import { Progress } from '../calls/assembly/progress.ts';
import { noteStoredSeq, registerWriter } from '../calls/assembly/watermarks.ts';
import { ReportKeys } from '../calls/joins/report-keys.ts';
import { TouchedDays } from '../calls/touched-days.ts';
import { IntakeBuffer } from '../ingest/intake/buffer.ts';
import { Journal } from '../ingest/intake/journal/journal.ts';
import { noteSetAside, replayJournal } from '../ingest/intake/replay.ts';
import { newId } from '../lib/ids.ts';
import { openTogether } from '../lib/open-together.ts';
import { Repairer } from '../rollups/repair/repairer.ts';
import { Lease } from '../storage/control/lease.ts';
import type { SignalBus } from '../storage/control/signals.ts';
import type { Foundation } from './foundation.ts';
import { createJobs } from './jobs.ts';
import { describeFailures } from './operations/warnings.ts';
import { logStoreFailure, openSignalBus } from './stores.ts';

/** The most events of one writer that a batch of assembly takes: all of them are in memory while they are costed. */
const maxBatchEvents = 50_000;

/** The path of events: the buffer stores them, the assembler turns them into calls, and answers wait for it. */
export interface Assembly {
  readonly buffer: IntakeBuffer;
  readonly progress: Progress;
  /** The channel to the other instances. */
  readonly signalBus: SignalBus;
  /** Whether this instance assembles, and not another that shares its stores. */
  readonly holdsLease: () => boolean;
  /** Makes the background jobs run soon, after one was requested. */
  readonly wake: () => void;
  /** Present conditions that an operator should know about. */
  readonly warnings: () => readonly string[];
  /** Stores the buffered events, finishes the batch under way, and releases the lease. */
  close(): Promise<void>;
}

/** Registers this process as a writer, and starts assembly and its background jobs. */
export const startAssembly = async (foundation: Foundation): Promise<Assembly> =>
  await openTogether(async (keep) => {
    const { config, logger, metrics, clock, projects, priceBooks } = foundation;
    const { engine, store, control, sparingBroken } = foundation.stores;
    const writer = newId('wrt');
    // On several shards, an INSERT may be stored in part, so the writer records the sequence up to which all events
    // are.
    const isSharded = config.clickhouseCluster !== undefined;
    // Also with the journal off, because it may have been on before. Only the embedded engine has a journal.
    const folder = join(config.dataDir, 'journal');
    if (engine) await sparingBroken(() => replayJournal({ folder, store, control, clock, logger }));
    const registeredAt = clock();
    await registerWriter(control, writer, registeredAt, isSharded ? 0 : null);
    const signalBus = keep(await openSignalBus(config, writer, logStoreFailure(logger)));
    const progress = new Progress(clock);
    // The embedded engine locks its folder, and the SQLite file is in it too: no other process writes to them.
    const exclusive = engine !== undefined && config.postgresUrl === undefined;
    const lease = new Lease({ control, clock, holder: writer, exclusive });
    const fresh = new FreshEvents(() => lease.isHeld);
    const buffer = new IntakeBuffer({
      ...{ store, writer, clock, notBefore: registeredAt, maxBufferedBytes: config.maxBufferedBytes },
      journaled: config.hasJournal
        ? {
            journal: new Journal(folder, writer),
            maxBytes: config.maxJournalBytes,
            onAcknowledged: (batch) => progress.noteAcknowledged(batch),
            onSetAside: noteSetAside(logger),
          }
        : undefined,
      noteStoredSeq: isSharded ? (seq) => noteStoredSeq(control, writer, seq) : undefined,
      isShared: () => signalBus.hearsOthers,
      onStored: (batch, elapsedMs) => {
        metrics.storedEvents.inc(batch.events);
        metrics.insertEvents.observe(batch.events);
        metrics.insertSeconds.observe(elapsedMs / 1_000);
        progress.noteStored(batch);
      },
      onInsert: () => fresh.expect(),
      onError: (cause) => logger.warn({ err: cause }, 'events could not be stored; they will be tried again'),
    });
    progress.onAwaited(() => buffer.hasten());
    const touchedDays = new TouchedDays(control, clock);
    const reportKeys = new ReportKeys(store, lease);
    const sources = { store, control, clock, logger, lease, touchedDays, projects, priceBooks, reportKeys };
    const repairer = engine && new Repairer({ ...sources, progress, dataDir: config.dataDir });
    if (repairer) {
      await repairer.begin(engine);
      keep(repairer);
    }
    // Closed after the assembler, which runs it as a job.
    const notifier = keep(
      new Notifier({
        ...{ control, clock, logger, sender: writer, exclusive, isHolder: () => lease.isHeld },
        ...{ reach: { hosts: new Set(config.webhookHosts) }, box: foundation.secretBox },
        ...{ mail: config.mail, publicUrl: config.publicUrl },
      }),
    );
    const providerReader = new ProviderReader({
      ...{ control, clock, logger, lease, sink: buffer, box: foundation.secretBox },
      ...{ maxTags: config.maxEventTags, urls: config.providerUrls },
    });
    const assembler = new Assembler({
      ...sources,
      maxEvents: maxBatchEvents,
      fresh,
      writer,
      progress,
      exclusive,
      signalBus,
      storedSeq: () => (isSharded ? buffer.storedSeq : null),
      idleSince: () => buffer.idleSince(),
      hasUnstored: () => buffer.hasUnstored,
      flush: () => buffer.flush(),
      jobs: createJobs({ ...sources, config, metrics, repairer, progress, notifier, providerReader }),
      afterJob: (work, elapsedMs) => metrics.jobSeconds.observe({ work }, elapsedMs / 1_000),
      afterStep: (step, elapsedMs) => metrics.stepSeconds.observe({ step }, elapsedMs / 1_000),
      onBatch: ({ events, calls, elapsedMs }) => {
        metrics.assembledEvents.inc(events);
        metrics.assembledCalls.inc(calls);
        metrics.batchSeconds.observe(elapsedMs / 1_000);
      },
    });
    assembler.start();
    // Closed in reverse: the buffer stores its events, the assembler finishes its batch and releases the lease over the
    // signal bus. Then the repairer records the parts that these two have written.
    keep({ close: () => assembler.stop() });
    keep(buffer);
    // Closed first: it posts to the buffer.
    keep(providerReader);
    return {
      buffer,
      progress,
      signalBus,
      holdsLease: () => lease.isHeld,
      wake: () => assembler.wake(),
      warnings: () => [
        ...(repairer?.warnings ?? []),
        ...describeFailures({
          intake: buffer.failure,
          takesEvents: buffer.takesEvents,
          assembly: assembler.failure,
          failingProjects: assembler.failingProjects,
          catchingUpMs: progress.hasCaughtUp ? 0 : clock() - registeredAt,
        }),
      ],
    };
  });
