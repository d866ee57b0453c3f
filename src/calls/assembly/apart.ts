import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import { isBecauseOfEvents } from '../merging/event-faults.ts';
import type { EventKey, LoggedEvent } from '../merging/merge.ts';
import { type AttemptSize, attemptMs, firstSize, longestMs, nextSize } from './attempt-size.ts';
import { type BatchOptions, completeSlice, writeMerged } from './batch.ts';
import { listApart, rejoin, setApart, setAsideId } from './left-out.ts';
import type { Progress } from './progress.ts';
import { type SliceBound, selectEventsApart } from './slice-sql.ts';
import { lastStored, readWatermarks, readWatermarksOf, type Watermark } from './watermarks.ts';

export interface ApartOptions extends BatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly progress: Pick<Progress, 'isWatchedByItself'>;
}

/** How it goes with one project: how many attempts in a row have failed, when to try again, and how much to try. */
interface Attempts {
  failures: number;
  /** By `performance.now()`. */
  retryAt: number;
  size: AttemptSize;
  /** When a failure was last logged as an error, by `performance.now()`. */
  loggedAt: number;
}

/** From this time of a batch on, in milliseconds, a project that floods makes way for others. */
const longBatchMs = 150;
/** After how long without events of others nobody is there to wait, in milliseconds. */
const aloneAfterMs = 5_000;
/** The time limit of one statement of an attempt, in milliseconds. */
const withinMs = 5_000;
const firstRetryMs = 250;
const lastRetryMs = 60_000;
/** How often one event alone may fail before its id is set aside. */
const maxFailures = 3;
const logEveryMs = 60_000;
/** Of how many projects it is known how attempts go. */
const mostRemembered = 1_000;

/**
 * Projects that failed with others, or took too long (docs/decisions/0032). Each is assembled from its own watermarks,
 * in small batches between those of the others, until it has reached theirs.
 */
export class ProjectsApart {
  readonly #attempts = new Map<string, Attempts>();
  #lastProject = '';
  /** When a batch of projects that are not apart last had events, by `performance.now()`, and how long such ones take. */
  #batchAt = 0;
  #batchMs = 0;

  /** How many projects have failed again since they were set apart. */
  get failing(): number {
    return [...this.#attempts.values()].filter(({ failures }) => failures > 0).length;
  }

  /** Notes that projects that are not apart have events: attempts are short while they do. */
  noteBatch(elapsedMs: number): void {
    this.#batchAt = performance.now();
    this.#batchMs = (this.#batchMs + elapsedMs) / 2;
  }

  /** Whether batches have lately taken so long that a project that floods must make way for others. */
  get areBatchesLong(): boolean {
    return this.#batchMs >= longBatchMs;
  }

  /** Makes one attempt with one project, in turn. Returns the project if its calls have changed. @throws LeaseLost */
  async step(options: ApartOptions): Promise<string | undefined> {
    const { control, projects, lease } = options;
    const apart = await listApart(control);
    // A project that is assembled with the others again keeps its size: a flood sets it apart again soon.
    for (const id of this.#attempts.keys()) {
      if (this.#attempts.size <= mostRemembered) break;
      if (!apart.includes(id)) this.#attempts.delete(id);
    }
    if (apart.length === 0) return undefined;
    const erasing = await listErasing(control);
    const ready = apart.filter((id) => !erasing.has(id) && this.#of(id).retryAt <= performance.now());
    const projectId = ready.find((id) => id > this.#lastProject) ?? ready[0];
    if (projectId === undefined) return undefined;
    this.#lastProject = projectId;
    if (!(await projects.find(projectId))) {
      await control.transaction().execute(async (transaction) => {
        await lease.confirm(transaction);
        await rejoin(transaction, projectId);
      });
      return undefined;
    }
    return (await this.#attempt(projectId, options)) ? projectId : undefined;
  }

  #of(projectId: string): Attempts {
    const known = this.#attempts.get(projectId) ?? {
      failures: 0,
      retryAt: 0,
      size: firstSize,
      loggedAt: Number.NEGATIVE_INFINITY,
    };
    this.#attempts.set(projectId, known);
    return known;
  }

  async #attempt(projectId: string, options: ApartOptions): Promise<boolean> {
    const { logger, clock, progress } = options;
    const attempts = this.#of(projectId);
    const startedAt = performance.now();
    const attempt = new Attempt(projectId, { ...options, withinMs, maxEvents: attempts.size.maxEvents });
    try {
      const isTogether = await attempt.run();
      const elapsedMs = performance.now() - startedAt;
      attempts.failures = 0;
      const isAlone = performance.now() - this.#batchAt > aloneAfterMs;
      const behindMs = progress.isWatchedByItself(projectId) ? clock() - attempt.reachedAt : 0;
      const mostMs = isAlone ? longestMs : attemptMs({ batchMs: this.#batchMs, behindMs });
      attempts.size = nextSize(attempts.size, elapsedMs, mostMs);
      if (isTogether) logger.info({ projectId }, 'the project is assembled with the others again');
      return true;
    } catch (error) {
      if (!isBecauseOfEvents(error)) throw error;
      attempts.failures += 1;
      const now = performance.now();
      const { maxEvents } = attempts.size;
      if (maxEvents > 1) {
        attempts.size = { ...attempts.size, maxEvents: Math.ceil(maxEvents / 10) };
        attempts.failures = 1;
      } else if (attempts.failures >= maxFailures && attempt.isOfOneId) {
        attempts.failures = 0;
        const id = await attempt.setAside();
        if (id) logger.error({ err: error, ...id }, 'events of one id cannot be made into calls, so it is set aside');
        return false;
      }
      attempts.retryAt = now + Math.min(firstRetryMs * 2 ** attempts.failures, lastRetryMs);
      if (now - attempts.loggedAt >= logEveryMs) {
        attempts.loggedAt = now;
        logger.error({ err: error, projectId }, 'events of one project cannot be assembled; it will be tried again');
      }
      return false;
    }
  }
}

/** One attempt to assemble the next events of one project. */
class Attempt {
  readonly #projectId: string;
  readonly #options: ApartOptions;
  #bounds: readonly SliceBound[] = [];
  #isMerged = false;
  /** When the last of its events was received, in milliseconds since 1970. */
  reachedAt = 0;

  constructor(projectId: string, options: ApartOptions) {
    this.#projectId = projectId;
    this.#options = options;
  }

  /** Whether it failed before anything was written, so that the events themselves are the cause. */
  get isOfOneId(): boolean {
    return !this.#isMerged;
  }

  /** Assembles the next events; true when the project has reached the watermarks of the others. @throws LeaseLost */
  async run(): Promise<boolean> {
    const { control, lease, maxEvents } = this.#options;
    const version = await lease.nextVersion();
    this.#bounds = await this.#readBounds();
    const events = await this.#select<LoggedEvent>(
      selectEventsApart(this.#projectId, this.#bounds, { maxEvents: maxEvents }),
    );
    this.reachedAt = events.reduce((last, { receivedAtMs }) => Math.max(last, receivedAtMs), 0);
    const merged = await completeSlice(this.#options, version, events);
    this.#isMerged = true;
    await writeMerged(this.#options, merged);
    const isTogether = events.length < maxEvents;
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await rejoin(transaction, this.#projectId);
      if (!isTogether) await setApart(transaction, this.#projectId, this.#reached(events));
    });
    return isTogether;
  }

  /** Sets the id of the next event aside; undefined if it is gone. */
  async setAside(): Promise<EventKey | undefined> {
    const { control, lease, clock } = this.#options;
    const [event] = await this.#select<{ eventId: string }>(
      selectEventsApart(this.#projectId, this.#bounds, { maxEvents: 1, onlyIds: true }),
    );
    if (!event) return undefined;
    const key = { projectId: this.#projectId, eventId: event.eventId };
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await setAsideId(transaction, key, clock());
    });
    return key;
  }

  /** From the project's own watermarks to those of the others. Writers that are off the vector have no later events. */
  async #readBounds(): Promise<SliceBound[]> {
    const { control } = this.#options;
    const shared = new Map((await readWatermarks(control)).map((mark) => [mark.writer, mark]));
    const own = await readWatermarksOf(control, this.#projectId);
    return own.map((from) => ({ from, toSeq: shared.get(from.writer)?.seq ?? lastStored(from) }));
  }

  #reached(events: readonly LoggedEvent[]): Pick<Watermark, 'writer' | 'seq' | 'receivedAt'>[] {
    const reached = new Map(this.#bounds.map(({ from: { writer, seq, receivedAt } }) => [writer, { seq, receivedAt }]));
    for (const { writer, seq, receivedAtMs } of events) {
      if (seq > (reached.get(writer)?.seq ?? 0)) reached.set(writer, { seq, receivedAt: receivedAtMs });
    }
    return Array.from(reached, ([writer, mark]) => ({ writer, ...mark }));
  }

  async #select<Row>({ sql, parameters }: Clause): Promise<Row[]> {
    return await this.#options.store.select<Row>(sql, parameters, withinMs);
  }
}

/** The projects with an erasure that is not finished: nothing is assembled for them while events are deleted. */
async function listErasing(control: ControlQueries): Promise<ReadonlySet<string>> {
  const rows = await control.selectFrom('erasures').select('project_id').where('finished_at', 'is', null).execute();
  return new Set(rows.map(({ project_id: id }) => id));
}
