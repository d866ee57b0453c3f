import { sql } from 'kysely';
import type { Project, Projects } from '../../accounts/projects.ts';
import { dayOf } from '../../lib/days.ts';
import type { ControlSources, ControlStore } from '../../storage/control/control-store.ts';
import type { ControlSchema } from '../../storage/control/schema/schema.ts';
import { type AlertKind, alertKinds, definitions } from '../kinds/kinds.ts';
import type { Look } from '../rule/look.ts';
import { beginWatches, readWatches, type Watch } from './watches.ts';

export interface ScheduleOptions extends ControlSources {
  readonly projects: Pick<Projects, 'list'>;
  /** The shortest interval between two looks at a project with news, in milliseconds. */
  readonly everyMs: number;
}

/** The longest time between two reads of the projects and their news, in milliseconds. */
const refreshMs = 5_000;

interface Due {
  readonly project: Project;
  readonly kinds: readonly AlertKind[];
}

/** Projects that are to be looked at and for what, and the looks at the one that was last taken from them. */
interface Queue {
  readonly due: Due[];
  readonly waiting: Look<Watch>[];
}

/** In memory alone, so a new holder of the lease looks at everything first. */
export class Schedule {
  readonly #options: ScheduleOptions;
  /** The clock at the last look of a project for a kind. */
  readonly #lookedAt = new Map<string, number>();
  readonly #begun = new Set<string>();
  #refreshedAt: number | undefined;
  /** The looks that are due, those of urgent kinds apart: they wait for one look at most, however many projects there are. */
  readonly #urgent: Queue = { due: [], waiting: [] };
  readonly #others: Queue = { due: [], waiting: [] };

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** The next look; undefined while none is due. */
  async next(): Promise<Look<Watch> | undefined> {
    const now = this.#options.clock();
    if (this.#isStale(now)) {
      this.#refreshedAt = now;
      await this.#refresh(now);
    }
    const look = (await this.#take(this.#urgent, now)) ?? (await this.#take(this.#others, now));
    if (!look) return undefined;
    // A change of settings since its watch was read is news.
    this.#lookedAt.set(keyOf(look.project.id, look.watch.kind), look.now);
    return { ...look, now, today: dayOf(look.project.timezone, now) };
  }

  async #take(queue: Queue, now: number): Promise<Look<Watch> | undefined> {
    while (queue.waiting.length === 0) {
      const due = queue.due.shift();
      if (!due) return undefined;
      await this.#open(queue, due, now);
    }
    return queue.waiting.shift();
  }

  /** Forgets a look, because what it found was not stored. */
  lookAgain({ project, watch }: Look<Watch>): void {
    this.#lookedAt.delete(keyOf(project.id, watch.kind));
  }

  /** After the first look of a day that was about the days before too, looks once more, at today alone. */
  noteSettled(look: Look<Watch>): void {
    const { watch, today } = look;
    if (!definitions[watch.kind].looksBack || watch.lookedDay === undefined || watch.lookedDay === today) return;
    this.#others.waiting.unshift({ ...look, watch: { ...watch, lookedDay: today } });
  }

  #isStale(now: number): boolean {
    const refreshedAt = this.#refreshedAt;
    if (refreshedAt === undefined || now < refreshedAt) return true;
    return now - refreshedAt >= Math.min(this.#options.everyMs, refreshMs);
  }

  async #refresh(now: number): Promise<void> {
    const { control, projects } = this.#options;
    const listed = await projects.list();
    const newcomers = listed.filter(({ id }) => !this.#begun.has(id));
    await beginWatches(control, newcomers, now);
    for (const { id } of newcomers) this.#begun.add(id);
    const news = await readNews(control);
    for (const [queue, isOf] of [
      [this.#urgent, isUrgent],
      [this.#others, (kind: AlertKind) => !isUrgent(kind)],
    ] as const) {
      // What was due before comes first.
      if (queue.due.length > 0 || queue.waiting.length > 0) continue;
      for (const project of listed) {
        const kinds = this.#listDue(project, news, now).filter(isOf);
        if (kinds.length > 0) queue.due.push({ project, kinds });
      }
    }
  }

  /** Reads the watches of a project, and leaves out those that are turned off. */
  async #open({ waiting }: Queue, { project, kinds }: Due, now: number): Promise<void> {
    for (const watch of await readWatches(this.#options.control, project, now)) {
      if (!kinds.includes(watch.kind)) continue;
      if (watch.isEnabled) waiting.push({ project, watch, now, today: dayOf(project.timezone, now) });
      else this.#lookedAt.set(keyOf(project.id, watch.kind), now);
    }
  }

  #listDue({ id, timezone }: Project, news: News, now: number): AlertKind[] {
    const [callsUntil, changedAt] = [news.callsUntil.get(id), news.changedAt.get(id)];
    const kinds = alertKinds.filter((kind) => callsUntil !== undefined || definitions[kind].needsNoCalls);
    const { everyMs } = this.#options;
    return kinds.filter((kind) =>
      isDue({ kind, timezone, now, lookedAt: this.#lookedAt.get(keyOf(id, kind)), callsUntil, changedAt, everyMs }),
    );
  }
}

function isUrgent(kind: AlertKind): boolean {
  const { every } = definitions[kind];
  return 'isUrgent' in every && every.isUrgent === true;
}

const keyOf = (projectId: string, kind: string): string => `${projectId} ${kind}`;

/** How long after a touch calls may be written, in milliseconds: at most 20 seconds between touches, and a batch. */
const touchLastsMs = 30_000;

/** When something that alerts depend on last changed, by project. */
interface News {
  /** Until when calls may have been written; a project without calls has no entry. */
  readonly callsUntil: ReadonlyMap<string, number>;
  /** When settings of alerts, budgets, grants or prices of the past changed. */
  readonly changedAt: ReadonlyMap<string, number>;
}

/** Reads the news of all projects, cheaply: from rows of the control store alone. */
async function readNews(control: ControlStore): Promise<News> {
  const readNewest = async (table: keyof ControlSchema, column: string) => {
    const newest = sql<{ project_id: string; at: number }>`(select project_id, max(${sql.ref(column)}) as at
      from ${sql.table(table)} where ${sql.ref(column)} is not null group by project_id)`;
    return await control.selectFrom(newest.as('newest')).selectAll().execute();
  };
  const [days, ...changes] = await Promise.all([
    readNewest('days', 'touched_at'),
    readNewest('alert_watches', 'changed_at'),
    readNewest('rebuilds', 'finished_at'),
    readNewest('budgets', 'updated_at'),
    readNewest('credit_grants', 'created_at'),
  ]);
  const changedAt = new Map<string, number>();
  for (const { project_id: id, at } of changes.flat()) changedAt.set(id, Math.max(changedAt.get(id) ?? 0, at));
  return { callsUntil: new Map(days.map(({ project_id: id, at }) => [id, at + touchLastsMs])), changedAt };
}

/** How often causes that end without calls are looked at, in milliseconds. */
const trailingEveryMs = 60_000;

const hourMs = 3_600_000;
const hourOf = (timeMs: number): number => Math.floor(timeMs / hourMs);

interface DueQuestion {
  readonly kind: AlertKind;
  /** The project's. In some timezones days do not begin on a full hour. */
  readonly timezone: string;
  readonly now: number;
  /** The clock at the last look; undefined before the first. */
  readonly lookedAt: number | undefined;
  /** Until when calls may have been written; undefined for a project without any. */
  readonly callsUntil: number | undefined;
  /** When settings of alerts, budgets, grants or prices last changed; undefined for never. */
  readonly changedAt: number | undefined;
  /** The shortest interval between two looks, in milliseconds. */
  readonly everyMs: number;
}

/**
 * Whether a look at a project for a kind is due: after a change of settings, and when there are new calls and the
 * interval has passed. Also once in every new hour and day, because causes begin and end with them.
 */
export function isDue({ kind, timezone, now, lookedAt, callsUntil, changedAt, everyMs }: DueQuestion): boolean {
  // The clock may have been set back.
  if (lookedAt === undefined || now < lookedAt) return true;
  if (changedAt !== undefined && changedAt >= lookedAt) return true;
  if (hourOf(now) !== hourOf(lookedAt) || dayOf(timezone, now) !== dayOf(timezone, lookedAt)) return true;
  const { every } = definitions[kind];
  if ('clockMs' in every) return now - lookedAt >= Math.max(everyMs, every.clockMs);
  if (callsUntil === undefined) return false;
  const { intervals, mostMs = Number.POSITIVE_INFINITY, trailingMs = 0 } = every;
  const sinceMs = now - lookedAt;
  if (callsUntil >= lookedAt) return sinceMs >= Math.min(everyMs * intervals, mostMs);
  return callsUntil + trailingMs >= lookedAt && sinceMs >= Math.max(everyMs, trailingEveryMs);
}
