import type { Project, Projects } from '../../accounts/projects.ts';
import { dayOf } from '../../lib/days.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { isDue } from './due.ts';
import { type AlertKind, alertKinds, definitions } from './kinds/kinds.ts';
import type { Look } from './look.ts';
import { type News, readNews } from './news.ts';
import { beginWatches, readWatches } from './watches.ts';

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

/**
 * Decides what to look at next. Its state is in memory alone, so a new holder of the lease looks at everything first.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  /** The clock at the last look of a project for a kind. */
  readonly #lookedAt = new Map<string, number>();
  readonly #begun = new Set<string>();
  #refreshedAt: number | undefined;
  /** Projects that are to be looked at, and for what. */
  #due: Due[] = [];
  /** The looks at the project that was last taken from `#due`. */
  #waiting: Look[] = [];

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** The next look; undefined while none is due. */
  async next(): Promise<Look | undefined> {
    const now = this.#options.clock();
    while (this.#waiting.length === 0) {
      if (this.#due.length === 0 && this.#isStale(now)) {
        this.#refreshedAt = now;
        await this.#refresh(now);
      }
      const due = this.#due.shift();
      if (!due) return undefined;
      await this.#open(due, now);
    }
    const look = this.#waiting.shift();
    if (!look) return undefined;
    this.#lookedAt.set(keyOf(look.project.id, look.watch.kind), now);
    return { ...look, now, today: dayOf(look.project.timezone, now) };
  }

  /** Forgets a look, because what it found was not stored. */
  lookAgain({ project, watch }: Look): void {
    this.#lookedAt.delete(keyOf(project.id, watch.kind));
  }

  /** After the first look of a day that was about the days before too, looks once more, at today alone. */
  noteSettled(look: Look): void {
    const { watch, today } = look;
    if (!definitions[watch.kind].looksBack || watch.lookedDay === undefined || watch.lookedDay === today) return;
    this.#waiting.unshift({ ...look, watch: { ...watch, lookedDay: today } });
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
    for (const project of listed) {
      const kinds = this.#listDue(project, news, now);
      if (kinds.length > 0) this.#due.push({ project, kinds });
    }
  }

  /** Reads the watches of a project, and leaves out those that are turned off. */
  async #open({ project, kinds }: Due, now: number): Promise<void> {
    for (const watch of await readWatches(this.#options.control, project, now)) {
      if (!kinds.includes(watch.kind)) continue;
      if (watch.isEnabled) this.#waiting.push({ project, watch, now, today: dayOf(project.timezone, now) });
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

const keyOf = (projectId: string, kind: string): string => `${projectId} ${kind}`;
