import { readGenerations } from '../../calls/generations.ts';
import { askingFor } from '../../lib/asker.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Problem } from '../../lib/problem.ts';
import { Waiters } from '../../lib/waiters.ts';
import { isInSpan } from './budget.ts';
import { planBudgets } from './plan.ts';
import { type KnownSums, noKnownSums, readSpent, type SpentSources } from './read-spent.ts';
import { type Spending, sizeOf } from './spending.ts';
import { readBudgets } from './store.ts';

/** The progress of assembly, as far as budgets need it. */
export interface Freshness {
  /** Whether the calls include every event that earlier processes acknowledged, and none is lost. */
  readonly isComplete: boolean;
  asOf(projectId: string): number;
  hasten(projectId: string): void;
  waitFor(projectId: string, consistency: 'strict' | 'relaxed'): Promise<number>;
}

export interface SpendingSources extends SpentSources {
  readonly clock: Clock;
  readonly progress: Freshness;
  readonly logger: Logger;
  /** From this many values on, only values with new calls are read again. */
  readonly manyValues?: number;
}

/** What was spent on all budgets of a project, from one read. */
interface Snapshot {
  /** How many changes it includes. */
  readonly changes: number;
  /** It includes every event that this instance acknowledged up to this instant, in milliseconds since 1970. */
  readonly asOf: number;
  readonly timezone: string;
  readonly spendings: ReadonlyMap<string, Spending>;
}

export interface Known {
  /** Undefined when the project has no budget of the name. */
  readonly spending: Spending | undefined;
  /** It includes every event that this instance acknowledged up to this instant, in milliseconds since 1970. */
  readonly asOf: number;
  readonly timezone: string;
}

/** How far an answer is behind the acknowledged events at most, in milliseconds, while the store keeps up (D20.2). */
const mostBehindMs = 1_000;
/** How long a request waits for an answer that is no further behind, in milliseconds. Then memory answers. */
const keepUpMs = 25;
/** How far memory may be behind while the store hangs, in milliseconds. Nobody should spend by older numbers. */
const oldestMs = 300_000;
/** From this age on, in milliseconds, waiting events are assembled at once. Reading has the rest of `mostBehindMs`. */
const hastenAfterMs = 300;
/** The pause between two reads, in milliseconds. There is none once the snapshot is older than `lateAfterMs`. */
const pauseMs = 350;
const lateAfterMs = 600;
const retryMs = 250;
/** How long a request waits for a read, in milliseconds, as answers do (D4.7). */
const patienceMs = 10_000;
/** How long a request waits before it checks again, in milliseconds. Assembly can make it current without a read. */
const longestWaitMs = 50;
const mostValuesHeld = 250_000;

/**
 * What was spent on the budgets of a project, in memory. A change causes another read; reads run one at a time, with
 * pauses. Between reads it knows up to which instant it is complete.
 */
export class ProjectSpending {
  readonly #projectId: string;
  readonly #sources: SpendingSources;
  readonly #turns: <T>(read: () => Promise<T>) => Promise<T>;
  #snapshot: Snapshot | undefined;
  #known: KnownSums = noKnownSums();
  /** How many changes there were in all, and up to the last change of definitions: a read must include the latter. */
  #changes = 0;
  #required = 0;
  #underWay: Promise<void> | undefined;
  #next: NodeJS.Timeout | undefined;
  #turn: NodeJS.Timeout | undefined;
  #pauseUntil = 0;
  #hasFailed = false;
  /** Whether a check waited for a newer snapshot than the present one, and none came in time. */
  #isBehind = false;
  #isClosed = false;
  readonly #waiters = new Waiters();
  /** When it was asked last, by `performance.now()`. */
  askedAt = performance.now();

  constructor(
    projectId: string,
    { sources, turns }: { sources: SpendingSources; turns: <T>(read: () => Promise<T>) => Promise<T> },
  ) {
    this.#projectId = projectId;
    this.#sources = sources;
    this.#turns = turns;
    this.#schedule();
  }

  /** How many sums it holds. */
  get size(): number {
    let size = 0;
    for (const spending of this.#snapshot?.spendings.values() ?? []) size += sizeOf(spending);
    return size;
  }

  /** Calls may have changed: read soon. */
  noteMoved(): void {
    this.#changes += 1;
    this.#schedule();
  }

  /** As `noteMoved`, but all sums are read again, also those of sealed days. */
  noteMovedAfresh(): void {
    this.#known = noKnownSums();
    this.noteMoved();
  }

  /** The definitions of budgets, or what counts in them, have changed. Answers wait until the change is read. */
  noteChanged(): void {
    this.#changes += 1;
    this.#required = this.#changes;
    this.#pauseUntil = 0;
    this.#schedule();
  }

  /** What is known of a budget; undefined unless it is at most a second behind, or as far as given. */
  find(name: string, behindMs = mostBehindMs): Known | undefined {
    const { clock, progress } = this.#sources;
    const snapshot = this.#snapshot;
    const now = clock();
    if (!snapshot || snapshot.changes < this.#required || !progress.isComplete) return undefined;
    const upTo = progress.asOf(this.#projectId);
    if (upTo < now - hastenAfterMs) progress.hasten(this.#projectId);
    const asOf = snapshot.changes === this.#changes ? upTo : Math.min(snapshot.asOf, upTo);
    if (asOf < now - behindMs) return undefined;
    const { timezone } = snapshot;
    const spending = snapshot.spendings.get(name);
    if (spending && !isInSpan(spending.span, timezone, now)) {
      if (snapshot.changes === this.#changes) this.noteChanged();
      return undefined;
    }
    return { spending, asOf, timezone };
  }

  /**
   * Waits until a budget is known. When memory knows it from less than five minutes ago, it waits for 25 ms at most, so
   * that a check does not depend on the store; and not at all after another check has waited in vain.
   * @throws Problem `catching_up` after 10 s
   */
  async waitFor(name: string): Promise<Known> {
    const startedAt = performance.now();
    for (;;) {
      const known = this.find(name);
      if (known) return known;
      const old = this.find(name, oldestMs);
      const waitedMs = performance.now() - startedAt;
      if (old && (this.#isBehind || waitedMs >= keepUpMs)) {
        this.#isBehind = true;
        return old;
      }
      if (!old) await this.#sources.progress.waitFor(this.#projectId, 'relaxed');
      const leftMs = (old ? keepUpMs : patienceMs) - waitedMs;
      if (leftMs <= 0 || this.#isClosed) {
        throw new Problem('catching_up', 'What was spent on the budget is not known yet; ask again.', {
          headers: { 'retry-after': '2' },
        });
      }
      if (!this.find(name)) await this.#waiters.wait(Math.min(Math.ceil(leftMs), longestWaitMs));
    }
  }

  /** Drops the sums of the budgets with the most values, until at most `most` sums are left. */
  trim(most: number): void {
    const snapshot = this.#snapshot;
    if (!snapshot) return;
    const spendings = new Map(snapshot.spendings);
    let size = this.size;
    for (const [name, spending] of [...spendings].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))) {
      if (size <= most) break;
      size -= sizeOf(spending);
      spendings.set(name, { ...spending, parts: [], leaving: [], failure: 'too_many' });
    }
    this.#known = noKnownSums();
    this.#snapshot = { ...snapshot, spendings };
  }

  /** Stops reading, and waits for the read under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    clearTimeout(this.#turn);
    this.#waiters.wakeAll();
    await this.#underWay;
  }

  #schedule(): void {
    if (this.#isClosed || this.#underWay) return;
    clearTimeout(this.#next);
    const isLate = this.#snapshot !== undefined && this.#snapshot.asOf < this.#sources.clock() - lateAfterMs;
    const waitMs = isLate && !this.#hasFailed ? 0 : this.#pauseUntil - performance.now();
    if (waitMs > 0) {
      this.#next = setTimeout(() => this.#start(), waitMs).unref();
    } else this.#start();
  }

  #start(): void {
    if (this.#isClosed || this.#underWay) return;
    clearTimeout(this.#next);
    // A share of its own, whoever has caused the read.
    const asker = { lane: `budgets of ${this.#projectId}` };
    this.#underWay = askingFor(asker, () => this.#turns(() => this.#read())).finally(() => {
      this.#underWay = undefined;
      this.#waiters.wakeAll();
      if (this.#snapshot?.changes !== this.#changes) this.#schedule();
    });
  }

  /** `asOf` is taken first, so the statements find all events acknowledged up to it in the calls. */
  async #read(): Promise<void> {
    const { clock, progress, control, logger } = this.#sources;
    const changes = this.#changes;
    const asOf = progress.asOf(this.#projectId);
    const before = this.#known;
    try {
      const generations = await readGenerations(control, this.#projectId);
      const { timezone } = generations;
      const budgets = await readBudgets(control, this.#projectId);
      const at = { projectId: this.#projectId, timezone, nowMs: clock() };
      const { spendings, known } = await readSpent(this.#sources, {
        projectId: this.#projectId,
        planned: await planBudgets(control, at, budgets),
        generations,
        rows: { which: 'all', most: mostValuesHeld },
        known: before,
        manyValues: this.#sources.manyValues,
      });
      if (this.#known === before) this.#known = known;
      this.#isBehind = false;
      this.#snapshot = {
        changes,
        asOf,
        timezone,
        spendings: new Map(spendings.map((spending) => [spending.budget.name, spending])),
      };
      this.#awaitTurn(Math.min(...spendings.map(({ span }) => span.resetsAt)));
      this.#pauseUntil = performance.now() + pauseMs;
      this.#hasFailed = false;
    } catch (error) {
      this.#pauseUntil = performance.now() + retryMs;
      this.#hasFailed = true;
      // After `close`, the project may be deleted, so an error says nothing.
      if (!this.#isClosed)
        logger.warn({ err: error }, 'what was spent on budgets could not be read; it will be tried again');
    }
  }

  /** Reads again at once when the next period begins. */
  #awaitTurn(turnsAt: number): void {
    clearTimeout(this.#turn);
    const waitMs = turnsAt - this.#sources.clock();
    // A timer takes at most 24 days; a later turn gets its timer from a later read.
    if (waitMs < 2 ** 31) this.#turn = setTimeout(() => this.noteChanged(), Math.max(waitMs, 0)).unref();
  }
}
