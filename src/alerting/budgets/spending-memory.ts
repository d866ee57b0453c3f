import { sql } from 'kysely';
import { readGenerations } from '../../calls/generations.ts';
import type { WideMoney } from '../../lib/money.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { Signal } from '../../storage/control/signals.ts';
import type { Budget, BudgetSpan } from './budget.ts';
import { planBudgets } from './plan.ts';
import { type Freshness, ProjectSpending, type SpendingSources } from './project-spending.ts';
import { readSpentOnOne } from './read-spent.ts';
import { calcResetsAt, type Spending, spentOf } from './spending.ts';
import { readBudget } from './store.ts';

/** The progress of assembly, which also tells what it has assembled. */
interface Told extends Freshness {
  onAssembled(listener: (projectIds: ReadonlySet<string>) => void): void;
}

/** The channel to the other instances, as far as budgets need it. */
interface Channel {
  send(signal: Signal): void;
  onSignal(listener: (signal: Signal) => void): void;
}

export interface SpendingMemoryOptions extends SpendingSources {
  readonly progress: Told;
  readonly control: ControlStore;
  readonly signalBus: Channel;
  /** Whether no other process writes to these stores. */
  readonly isAlone: boolean;
  /** The most sums that are held; default: `mostSumsHeld`. */
  readonly mostSums?: number;
}

/** What was spent on one budget, or on one value of its `each`. */
export interface Spent {
  readonly budget: Budget;
  readonly span: BudgetSpan;
  readonly spent: WideMoney;
  /** As `calcResetsAt`. Milliseconds since 1970. */
  readonly resetsAt: number | undefined;
  /** Milliseconds since 1970. */
  readonly asOf: number;
}

const toSpent = (spending: Spending, nowMs: number, of?: string): Omit<Spent, 'asOf'> => ({
  budget: spending.budget,
  span: spending.span,
  spent: spentOf(spending, nowMs, of),
  resetsAt: calcResetsAt(spending, nowMs, of),
});

/** How long a project is held after the last question about it, in milliseconds. */
const heldMs = 300_000;
/** How often to look for changes without a signal, in milliseconds. */
const lookEveryMs = 1_000;
/** How often everything is read again, even without a known change, in milliseconds. */
const readEveryMs = 30_000;
/** The most sums that an instance holds, over all projects: about 150 MB. */
const mostSumsHeld = 1_000_000;
/** How many projects are read at once. Their statements have shares of the store, so a slow one holds up no other. */
const mostReads = 8;

/**
 * What was spent on the budgets that are asked for, in the memory of this instance (D20.2). The first question about a
 * project reads it. It is read again whenever its calls, budgets, tags, credits or generations change, and dropped when
 * nobody has asked for five minutes.
 */
export class SpendingMemory {
  readonly #options: SpendingMemoryOptions;
  readonly #projects = new Map<string, ProjectSpending>();
  readonly #waiting: (() => void)[] = [];
  #reads = 0;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  readonly #marks = new Map<string, string>();
  #readAllAt = performance.now();

  constructor(options: SpendingMemoryOptions) {
    this.#options = options;
    options.progress.onAssembled((projectIds) => {
      for (const id of projectIds) this.#projects.get(id)?.noteMoved();
    });
    options.signalBus.onSignal((signal) => {
      if (signal === 'assembled' || signal === 'changed') this.#noteAllMoved();
    });
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, lookEveryMs).unref();
  }

  /** A request to this instance has changed budgets of the project, or what counts in them. */
  noteChanged(projectId: string): void {
    this.#projects.get(projectId)?.noteChanged();
    this.#options.signalBus.send('changed');
  }

  /**
   * What was spent on a budget now, at most a second behind the events that this instance has acknowledged. Undefined
   * when there is no such budget. `of` names the value of its `each`; a budget without `each` ignores it.
   * @throws Problem `catching_up` after 10 s; `beyond_retention` when calls that it needs are deleted
   */
  async find(projectId: string, name: string, of: string | undefined): Promise<Spent | undefined> {
    const project = this.#of(projectId);
    const { spending, asOf, timezone } = project.find(name) ?? (await project.waitFor(name));
    if (!spending) {
      // Another instance may have made it just now.
      if (!(await readBudget(this.#options.control, projectId, name))) return undefined;
      project.noteChanged();
      const { spending: made } = await project.waitFor(name);
      return made && (await this.find(projectId, name, of));
    }
    const { budget, failure } = spending;
    if (failure === undefined) return { ...toSpent(spending, this.#options.clock(), budget.each && of), asOf };
    if (failure !== 'too_many') throw failure;
    return { ...(await this.#readOne(projectId, { budget, of, timezone })), asOf };
  }

  /** Ends all reads. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#projects.values()].map((project) => project.close()));
    this.#projects.clear();
  }

  #of(projectId: string): ProjectSpending {
    let project = this.#projects.get(projectId);
    if (!project) {
      project = new ProjectSpending(projectId, { sources: this.#options, turns: (read) => this.#inTurn(read) });
      this.#projects.set(projectId, project);
    }
    project.askedAt = performance.now();
    return project;
  }

  /** Reads a budget that is not held in memory, because it has too many values. */
  async #readOne(
    projectId: string,
    { budget, of, timezone }: { budget: Budget; of: string | undefined; timezone: string },
  ): Promise<Omit<Spent, 'asOf'>> {
    const { control, clock } = this.#options;
    const generations = await readGenerations(control, projectId);
    const at = { projectId, timezone, nowMs: clock() };
    const planned = await planBudgets(control, at, [budget], of === undefined ? 'all' : { of });
    const wanted = { projectId, planned, generations, rows: { which: 'all', most: 1 } } as const;
    const spending = await readSpentOnOne(this.#options, wanted);
    return toSpent(spending, at.nowMs);
  }

  async #inTurn<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reads >= mostReads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#reads += 1;
    try {
      return await read();
    } finally {
      this.#reads -= 1;
      this.#waiting.shift()?.();
      this.#trim();
    }
  }

  #noteAllMoved(): void {
    for (const project of this.#projects.values()) project.noteMoved();
  }

  /** Keeps at most `mostSumsHeld` sums. Drops the projects that were asked for longest ago, then large budgets. */
  #trim(): void {
    const byAge = [...this.#projects].sort(([, a], [, b]) => b.askedAt - a.askedAt);
    let left = this.#options.mostSums ?? mostSumsHeld;
    for (const [index, [id, project]] of byAge.entries()) {
      if (project.size > left && index > 0) this.#drop(id, project);
      else if (project.size > left) project.trim(left);
      left -= project.size;
    }
  }

  #drop(id: string, project: ProjectSpending): void {
    this.#projects.delete(id);
    this.#marks.delete(id);
    void project.close();
  }

  /** Finds what no signal told: rebuilds put in force, and changes of an instance whose signal was lost. */
  async #look(): Promise<void> {
    const now = performance.now();
    for (const [id, project] of this.#projects) if (now - project.askedAt > heldMs) this.#drop(id, project);
    if (this.#projects.size === 0) return;
    if (now - this.#readAllAt >= readEveryMs) {
      this.#readAllAt = now;
      for (const project of this.#projects.values()) project.noteMovedAfresh();
      return;
    }
    try {
      for (const [id, mark] of await this.#readMarks([...this.#projects.keys()])) {
        const known = this.#marks.get(id);
        this.#marks.set(id, mark);
        if (known !== mark) this.#projects.get(id)?.noteMoved();
      }
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'changes of budgets could not be looked for; it will be tried again');
    }
  }

  /** Texts that change with a project's timezone, generations, budgets, credits and calls of all instances. */
  async #readMarks(ids: readonly string[]): Promise<Map<string, string>> {
    const { control, isAlone } = this.#options;
    const { rows } = await sql<Record<string, unknown> & { readonly id: string }>`
      select id, timezone, base_generation, frozen_before,
        (select count(*) from days where project_id = projects.id) as days,
        (select sum(generation) from days where project_id = projects.id) as generations,
        (select sum(touched) from days where project_id = projects.id) as touched,
        (select sum(seal) from days where project_id = projects.id) as seals,
        (select count(*) from credit_grants where project_id = projects.id) as grants,
        (select max(created_at) from credit_grants where project_id = projects.id) as newest_grant,
        (select count(*) from budgets where project_id = projects.id) as budgets,
        (select max(updated_at) from budgets where project_id = projects.id) as newest_budget
        ${isAlone ? sql`` : sql`, (select sum(assembled_seq) from writers) as assembled`}
      from projects where id in (${sql.join(ids)})`.execute(control);
    return new Map(rows.map(({ id, ...marks }) => [id, Object.values(marks).join(' ')]));
  }
}
