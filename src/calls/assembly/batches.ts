import type { Logger } from '../../lib/logger.ts';
import { isBecauseOfEvents } from '../merging/event-faults.ts';
import {
  assembleSplit,
  type BatchOptions,
  type BatchResult,
  type ReadBatch,
  readBatch,
  type SplitResult,
  setHeaviestApart,
  writeBatch,
} from './batch.ts';
import { findOverusedIds } from './overused-ids.ts';

/** The batches of one assembler, one after the other. A full one is written while the next one is read. */
export class Batches {
  readonly #logger: Logger;
  /** The next batch, being read while the one before it is written. */
  #ahead: Promise<ReadBatch> | undefined;
  /** By how much batches are smaller than asked, because events were too large to be read at once. */
  #smaller = 1;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Whether the next batch is being read or has been read. */
  get isAhead(): boolean {
    return this.#ahead !== undefined;
  }

  /** Drops what was read: the log may have lost events since. */
  forget(): void {
    this.#ahead = undefined;
  }

  /** Resolves once nothing is being read. */
  async settle(): Promise<void> {
    await this.#ahead?.catch(() => undefined);
  }

  /**
   * In parts if the events fail together (docs/decisions/0032); `aheadOptions` are for the batch after it.
   * @throws LeaseLost, or the error of a store
   */
  async assemble(
    options: BatchOptions,
    aheadOptions: BatchOptions,
    mayReadAhead: () => boolean,
  ): Promise<BatchResult & Pick<ReadBatch, 'slice' | 'isFull'>> {
    const maxEvents = this.#fitting(options);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    try {
      const read = await (ahead ?? readBatch({ ...options, maxEvents }));
      if (read.isFull && read.slow.size === 0 && mayReadAhead()) {
        this.#ahead = readBatch({ ...aheadOptions, maxEvents }, read);
        // The error is thrown where the batch is awaited, which may never happen.
        this.#ahead.catch(() => undefined);
      }
      for (const id of findOverusedIds(read)) this.#logger.warn(id, overused);
      const result = await writeBatch(options, read);
      if (read.isFull) this.#smaller = Math.max(1, this.#smaller / 2);
      return { ...result, slice: read.slice, isFull: read.isFull };
    } catch (error) {
      if (!isBecauseOfEvents(error)) throw error;
      this.#logger.warn({ err: error }, 'events could not be assembled together; they are tried in parts');
    }
    return await this.#assembleParts(options);
  }

  #fitting({ maxEvents }: BatchOptions): number {
    return Math.max(1, Math.floor(maxEvents / this.#smaller));
  }

  /** Tries until the events are few enough to be read at once, without those of projects that have too many. */
  async #assembleParts(options: BatchOptions): Promise<SplitResult> {
    this.forget();
    options.fresh?.clear();
    for (;;) {
      const fewer = { ...options, maxEvents: this.#fitting(options) };
      const result = await assembleSplit(fewer);
      if (result) {
        for (const [projectId, error] of result.apart) this.#logger.error({ err: error, projectId }, setApart);
        return result;
      }
      const projectId = await setHeaviestApart(fewer);
      if (projectId === undefined) this.#smaller *= 4;
      else this.#logger.warn({ projectId }, 'events of one project are large, so it is assembled apart');
    }
  }
}

const overused =
  'one event id is sent for more than one call; what decides its calls is kept, and its events stay in the log';
const setApart = 'events of one project could not be assembled, so it is assembled apart';
