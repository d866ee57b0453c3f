import { readTagDimensions } from '../../accounts/tag-dimensions.ts';
import { noteSealed, readUnsealedDays, readUnsealedDaysOf, type UnsealedDay } from '../../calls/days.ts';
import { readGenerations } from '../../calls/generations.ts';
import type { TouchedDays } from '../../calls/touched-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Day } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { SealCleaner } from './clean-up.ts';
import { sealOf } from './seal-numbers.ts';
import { takeDays, writeCells } from './write-cells.ts';

export interface SealerOptions {
  readonly store: Pick<AnalyticStore, 'select' | 'command' | 'commandOnce'>;
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly touchedDays: TouchedDays;
  /** How long a day must be untouched before it is sealed, in milliseconds. */
  readonly quietMs: number;
  readonly onSealed?: (days: number) => void;
}

/** The most days considered at once. */
const maxDaysAtOnce = 1_000;
/** While more urgent work waits, the pause after a step is this multiple of the step's duration. */
const restPerWork = 4;

/**
 * Seals days that are over and quiet. It writes a day's rollups under a new seal, and then makes the seal valid unless
 * the day was touched meanwhile. A crash in between leaves rows that no answer reads; a retry uses a new seal.
 */
export class Sealer implements BackgroundJob {
  readonly name = 'seal';
  readonly restsDuringBackup = false;
  readonly #options: SealerOptions;
  readonly #cleaner: SealCleaner;
  #waitsUntil = 0;

  constructor(options: SealerOptions) {
    this.#options = options;
    this.#cleaner = new SealCleaner(options);
  }

  /** Seals some days; true when there may be more. While more urgent work waits, it rests most of the time. */
  async step({ isBusy }: { readonly isBusy: boolean } = { isBusy: false }): Promise<boolean> {
    const { control, clock, quietMs } = this.#options;
    const now = clock();
    if (isBusy && performance.now() < this.#waitsUntil) return false;
    const waiting = await readUnsealedDays(control, { quietSince: now - quietMs, now, most: maxDaysAtOnce });
    const projectId = waiting[0]?.projectId;
    if (projectId === undefined) {
      await this.#cleaner.step();
      return false;
    }
    const startedAt = performance.now();
    const sealed = await this.#seal(projectId, waiting);
    this.#waitsUntil = performance.now() + restPerWork * (performance.now() - startedAt);
    return sealed > 0;
  }

  /** Seals the first unsealed days up to `through`, quiet or not. Returns how many are left. @throws LeaseLost */
  async sealUpTo(projectId: string, through: Day): Promise<number> {
    const waiting = await readUnsealedDaysOf(this.#options.control, projectId, through);
    if (waiting.length === 0) return 0;
    return waiting.length - (await this.#seal(projectId, waiting));
  }

  /** Seals the first of these days, and returns their number. A day that is touched meanwhile stays unsealed. */
  async #seal(projectId: string, waiting: readonly UnsealedDay[]): Promise<number> {
    const { store, control, lease, logger, touchedDays, onSealed } = this.#options;
    const startedAt = performance.now();
    const generations = await readGenerations(control, projectId);
    const days = await takeDays(store, { projectId, days: waiting.map(({ day }) => day), generations });
    if (days.length === 0) return 0;
    const version = await lease.nextVersion();
    const tags = readTagDimensions(waiting[0]?.tags ?? '[]');
    await writeCells(store, { projectId, days, generations, tags }, version);
    const taken = new Set(days);
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      for (const day of waiting) {
        if (taken.has(day.day)) await noteSealed(transaction, day, sealOf(version, day.day));
      }
    });
    touchedDays.forgetAll();
    onSealed?.(days.length);
    const elapsedMs = Math.round(performance.now() - startedAt);
    logger.debug({ days: days.length, from: days[0], elapsedMs }, 'days were sealed');
    return days.length;
  }
}
