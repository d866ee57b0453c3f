import { dayMs } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { Snapshot } from '../catalogue.ts';
import { fetchCatalogue } from '../catalogue-updates.ts';
import { noteSeenCatalogue, readSeenAt } from './newer-catalogue.ts';

export interface CatalogueWatcherOptions extends ControlSources {
  readonly logger: Logger;
  readonly lease: Lease;
  /** The address of newer data. */
  readonly url: string;
}

/** The delay before the next fetch after a failed one, in milliseconds. */
const retryMs = 3_600_000;

/**
 * The job that looks for newer list prices once a day. It puts none in force; only alerts and checks read them. The
 * fetch runs while assembly goes on. Its result is stored in a transaction that confirms the lease.
 */
export class CatalogueWatcher implements BackgroundJob {
  readonly name = 'watch prices';
  readonly restsDuringBackup = false;
  readonly #options: CatalogueWatcherOptions;
  /** When to fetch next; undefined until the time of the last fetch is read. */
  #dueAt: number | undefined;
  /** The time of the last step, to detect that the clock was set back. */
  #lookedAt = 0;
  #isFetching = false;
  #fetched: Snapshot | undefined;

  constructor(options: CatalogueWatcherOptions) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const { control, clock, lease } = this.#options;
    const now = clock();
    const fetched = this.#fetched;
    if (fetched) {
      await control.transaction().execute(async (transaction) => {
        await lease.confirm(transaction);
        await noteSeenCatalogue(transaction, fetched, now);
      });
      this.#fetched = undefined;
      this.#dueAt = now + dayMs;
      return false;
    }
    if (this.#isFetching) return false;
    if (this.#dueAt === undefined || now < this.#lookedAt) {
      const seenAt = await readSeenAt(control);
      this.#dueAt = seenAt === undefined || seenAt > now ? now : seenAt + dayMs;
    }
    this.#lookedAt = now;
    if (now >= this.#dueAt) void this.#fetch(now);
    return false;
  }

  async #fetch(now: number): Promise<void> {
    this.#isFetching = true;
    this.#dueAt = now + retryMs;
    try {
      this.#fetched = await fetchCatalogue(this.#options.url);
    } catch (error) {
      this.#options.logger.warn(
        { err: error },
        'newer list prices could not be fetched; the next attempt is in an hour',
      );
    }
    this.#isFetching = false;
  }
}
