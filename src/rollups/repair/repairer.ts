import type { Progress } from '../../calls/assembly/progress.ts';
import { touchDaysOf } from '../../calls/days.ts';
import type { TouchedDays } from '../../calls/touched-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { BrokenPart, EmbeddedEngine } from '../../storage/analytic/embedded/engine.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { type Lease, LeaseLost } from '../../storage/control/lease.ts';
import { detachIfBroken, dropDetached } from './detached-parts.ts';
import { noteAllIds } from './event-ids.ts';
import { findMissing, isReplaced, keepKnownParts, readDetached, readKnownParts, readParts } from './known-parts.ts';
import { dayPrefixOf, describe, type Hindrance, type LostPart, type Remedy, remedyOf } from './lost-parts.ts';
import { orderRebuilds, readState, readUnfinished } from './ordered-rebuilds.ts';

export interface RepairerOptions {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly touchedDays: TouchedDays;
  readonly dataDir: string;
}

/** How often the list of parts is saved, in milliseconds. */
const keepEveryMs = 10_000;
/** The pause after a failure, in milliseconds. */
const retryMs = 1_000;

/**
 * Restores data that the embedded engine has lost. A part may be missing, or it may be broken. A broken part is found
 * when the engine starts or when a query reads it, and is set aside in the `detached` folder of its table. Lost rollups
 * are rebuilt from the calls, lost calls from the events. Until then, answers would be wrong, so they wait (D4.7). A
 * broken part is deleted when its rows are restored. If a part can't be restored, it stays, and a warning says so.
 */
export class Repairer implements BackgroundJob {
  readonly name = 'repair';
  readonly restsDuringBackup = false;
  readonly #options: RepairerOptions;
  readonly #unread: BrokenPart[] = [];
  #kept = '';
  #keptAt = Number.NEGATIVE_INFINITY;
  #lost: LostPart[] = [];
  #missing: LostPart[] = [];
  #mustLook = true;
  #detaching: Promise<void> = Promise.resolve();
  #retryAt = 0;
  /** The ids of the rebuilds that restore calls, once they are queued. */
  #rebuilds: readonly string[] | undefined;
  /** The parts that can't be restored, and why. */
  #hindrances = new Map<string, Hindrance>();

  constructor(options: RepairerOptions) {
    this.#options = options;
  }

  /** Warnings for the operator, for as long as they hold. */
  get warnings(): readonly string[] {
    return this.#lost.map((part) => this.#describe(part));
  }

  /** Looks for lost parts at start, before any answer. */
  async begin(engine: Pick<EmbeddedEngine, 'onLoss'>): Promise<void> {
    const { control, store, dataDir, progress, logger } = this.#options;
    const known = readKnownParts(dataDir);
    engine.onLoss((broken) => this.#noteLoss(broken));
    const isRollup = (table: string) => remedyOf({ table }) === 'days';
    const missing = known ? findMissing(known, await readParts(store, { withEmpty: true }), isRollup) : [];
    this.#missing = missing.filter((part) => remedyOf(part) !== 'needless');
    for (const part of missing) if (!this.#missing.includes(part)) logger.warn({ part }, this.#describe(part));
    const unfinished = await readUnfinished(control);
    if (unfinished.length > 0) this.#rebuilds = unfinished;
    await this.#look();
    if (this.#isWaiting) progress.noteLoss();
  }

  /** For a part that a query could not read, or without one when some are set aside. Answers wait from now on. */
  #noteLoss(broken: BrokenPart | undefined): void {
    const { logger, progress } = this.#options;
    if (broken) {
      if (this.#unread.some(({ table, name }) => table === broken.table && name === broken.name)) return;
      this.#unread.push(broken);
      logger.warn({ part: broken }, 'a part could not be read; it is checked');
    }
    this.#mustLook = true;
    progress.noteLoss();
    // Not only in `step`, because assembly may fail on this part and then never get to background work.
    this.#detachBroken().catch((error: unknown) =>
      logger.error({ err: error }, 'a broken part could not be set aside'),
    );
  }

  /** Restores what it can at once and queues rebuilds for the rest; true when it has just queued some. */
  async step(): Promise<boolean> {
    if (performance.now() < this.#retryAt) return false;
    try {
      return await this.#repair();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      // A failed repair must not block other background work.
      this.#retryAt = performance.now() + retryMs;
      this.#options.logger.error({ err: error }, 'lost rows could not be repaired; it will be tried again');
      return false;
    }
  }

  /** Saves the list of parts at shutdown. */
  async close(): Promise<void> {
    if (this.#isWaiting || this.#mustLook) return;
    await this.#keep().catch((error: unknown) => this.#options.logger.warn({ err: error }, 'parts could not be noted'));
  }

  async #repair(): Promise<boolean> {
    await this.#detachBroken();
    if (this.#mustLook) await this.#look();
    const hasOrdered = await this.#repairCalls();
    await this.#repairDays();
    if (!this.#isWaiting && !this.#mustLook) {
      this.#options.progress.noteWhole();
      if (performance.now() - this.#keptAt >= keepEveryMs) await this.#keep();
    }
    return hasOrdered;
  }

  async #keep(): Promise<void> {
    const { store, dataDir } = this.#options;
    this.#keptAt = performance.now();
    const parts = await readParts(store);
    const text = JSON.stringify(parts);
    if (text === this.#kept) return;
    keepKnownParts(dataDir, parts);
    this.#kept = text;
  }

  /** Whether answers must wait for lost data. */
  get #isWaiting(): boolean {
    if (this.#unread.length > 0 || this.#rebuilds !== undefined) return true;
    return this.#partsFor('days').length > 0 || this.#partsFor('calls').length > 0;
  }

  #partsFor(remedy: Remedy): LostPart[] {
    return this.#lost.filter((part) => remedyOf(part) === remedy && !this.#hindrances.has(keyOf(part)));
  }

  /** Checks the parts that could not be read, one after the other. The engine sets aside those that are broken. */
  async #detachBroken(): Promise<void> {
    const { store, logger } = this.#options;
    const before = this.#detaching;
    const now = before.then(async () => {
      for (let part = this.#unread[0]; part; part = this.#unread[0]) {
        await detachIfBroken(store, part, logger);
        this.#unread.shift();
        this.#mustLook = true;
      }
    });
    this.#detaching = now.catch(() => undefined);
    await now;
  }

  async #look(): Promise<void> {
    const { store, logger } = this.#options;
    this.#mustLook = false;
    const detached = await readDetached(store);
    const { tables } = await readParts(store);
    const broken: LostPart[] = [];
    for (const { table, name, ...span } of detached) {
      const part: LostPart = { table, name, how: 'broken' };
      if (!isReplaced(span, tables[table]?.parts ?? []) && remedyOf(part) !== 'needless') broken.push(part);
      else {
        // For example, the part is an incomplete merge after a power failure, and the parts it was merged from are
        // intact.
        logger.warn({ part }, 'a broken part was deleted: nothing of it is missing');
        await dropDetached(store, part);
      }
    }
    const before = new Set(this.#lost.map(keyOf));
    this.#lost = [...broken, ...this.#missing];
    // Without the lost events, a rebuild would delete their calls, which are still stored.
    if (this.#lost.some(({ table }) => table === 'events')) this.#hinder('calls', 'lost events');
    for (const part of this.#lost) if (!before.has(keyOf(part))) logger.warn({ part }, this.#describe(part));
  }

  #hinder(remedy: Remedy, hindrance: Hindrance): void {
    for (const part of this.#partsFor(remedy)) this.#hindrances.set(keyOf(part), hindrance);
  }

  #describe(part: LostPart): string {
    return describe(part, this.#hindrances.get(keyOf(part)));
  }

  /** Requests new rollups for the days of lost ones. Until then, answers read these days from the calls. */
  async #repairDays(): Promise<void> {
    const { control, clock, touchedDays, logger, lease } = this.#options;
    for (const part of this.#partsFor('days')) {
      const prefix = dayPrefixOf(part);
      const { touched, isFrozen } = await control.transaction().execute(async (transaction) => {
        await lease.confirm(transaction);
        return await touchDaysOf(transaction, prefix, clock());
      });
      touchedDays.forgetAll();
      logger.warn({ part, days: touched }, 'lost rollups are made again from the calls');
      if (isFrozen) this.#hindrances.set(keyOf(part), 'frozen days');
      else await this.#noteRepaired(part);
    }
  }

  /** Queues rebuilds, or checks those that it has queued; true when it has just queued them. */
  async #repairCalls(): Promise<boolean> {
    const { control, store, clock, logger } = this.#options;
    if (this.#rebuilds === undefined) {
      const parts = this.#partsFor('calls');
      if (parts.length === 0) return false;
      if (parts.some(({ table }) => table === 'event_ids')) await noteAllIds(store);
      this.#rebuilds = await control
        .transaction()
        .execute((transaction) => orderRebuilds(transaction, { now: clock() }));
      logger.warn({ parts, projects: this.#rebuilds.length }, 'lost calls are made again from the events');
      return true;
    }
    const state = await readState(control, this.#rebuilds);
    if (state === 'under way') return false;
    this.#rebuilds = undefined;
    if (state === 'failed') {
      this.#hinder('calls', 'failed');
      return false;
    }
    for (const part of this.#partsFor('calls')) await this.#noteRepaired(part);
    logger.info('the lost calls are there again');
    return false;
  }

  /** Forgets a lost part whose rows are restored, and deletes its detached copy. */
  async #noteRepaired(part: LostPart): Promise<void> {
    if (part.how === 'broken') await dropDetached(this.#options.store, part);
    this.#missing = this.#missing.filter((other) => other !== part);
    this.#lost = this.#lost.filter((other) => other !== part);
  }
}

const keyOf = ({ table, name }: LostPart): string => `${table} ${name}`;
