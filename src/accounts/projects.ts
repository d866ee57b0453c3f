import type { Clock } from '../lib/clock.ts';
import type { Day } from '../lib/days.ts';
import { ExpiringCache } from '../lib/expiring-cache.ts';
import { newId } from '../lib/ids.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  findRow,
  lockStore,
} from '../storage/control/control-store.ts';
import type { ProjectRow } from '../storage/control/schema/schema.ts';
import { readTagDimensions, spellTagDimensions } from './tag-dimensions.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly type: 'revenue' | 'internal';
  /** IANA name. The project's days and periods are in this timezone (D6.1). */
  readonly timezone: string;
  /** The new timezone while the project's days are being rebuilt for it; usually null. */
  readonly pendingTimezone: string | null;
  /** Percent: a positive margin below it is at risk (D8.3); null for never. */
  readonly atRiskBelowPct: number | null;
  /** How many days before today events and calls are kept; null for ever. */
  readonly retentionDays: number | null;
  /** Whether prompts and answers that spans and log records carry are stored (D14.5). */
  readonly keepContent: boolean;
  /** Whether reports that share no id are joined where they are alike (D27.6). */
  readonly joinAlike: boolean;
  /** The tags of calls that are rolled up as dimensions (D28.3). */
  readonly tagDimensions: readonly string[];
  /** The first day whose events and calls are kept; earlier days are frozen. Null when all are kept. */
  readonly keptFrom: Day | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

type Settings = Pick<
  Project,
  'name' | 'atRiskBelowPct' | 'retentionDays' | 'keepContent' | 'joinAlike' | 'tagDimensions'
>;
export type NewProject = Pick<Project, 'name' | 'type' | 'timezone' | 'atRiskBelowPct'> & Partial<Settings>;
/** Undefined leaves a setting as it is. */
export type ProjectChange = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

/** How long an instance may use a cached project, in milliseconds (D1.4). */
const cacheMs = 5_000;

/** Makes a project's first price book, and the project with it; false when `insert` made none. */
export interface FirstPriceBook {
  activateForNew(projectId: string, insert: (transaction: ControlQueries) => Promise<boolean>): Promise<boolean>;
}

/** The projects that are not deleted. */
export class Projects {
  readonly #control: ControlStore;
  readonly #clock: Clock;
  readonly #cache = new ExpiringCache<Project>(cacheMs);

  constructor(control: ControlStore, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
  }

  async list(): Promise<Project[]> {
    const rows = await this.#control
      .selectFrom('projects')
      .selectAll()
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map(toProject);
  }

  /** The project, or undefined when there is none or it was deleted. */
  async find(id: string): Promise<Project | undefined> {
    return await this.#cache.get(id, async () => {
      const row = await findRow(this.#control, 'projects', { id, deleted_at: null });
      return row && toProject(row);
    });
  }

  /** Drops the project from the cache, after other code has changed it. */
  forget(id: string): void {
    this.#cache.forget(id);
  }

  async create(project: NewProject, priceBooks: FirstPriceBook): Promise<Project> {
    const row = this.#newRow(project);
    await priceBooks.activateForNew(row.id, async (transaction) => {
      await transaction.insertInto('projects').values(row).execute();
      return true;
    });
    return toProject(row);
  }

  /**
   * Undefined when the store ever had a project, however many instances try at once. `complete` runs in the
   * transaction.
   */
  async createFirst(
    project: NewProject,
    priceBooks: FirstPriceBook,
    complete: (transaction: ControlQueries, project: Project) => Promise<void>,
  ): Promise<Project | undefined> {
    const row = this.#newRow(project);
    const isFirst = await priceBooks.activateForNew(row.id, async (transaction) => {
      await lockStore(transaction);
      const earlier = await transaction.selectFrom('projects').select('id').limit(1).executeTakeFirst();
      if (earlier) return false;
      await transaction.insertInto('projects').values(row).execute();
      await complete(transaction, toProject(row));
      return true;
    });
    return isFirst ? toProject(row) : undefined;
  }

  #newRow(project: NewProject): ProjectRow {
    return {
      id: newId('prj'),
      name: project.name,
      type: project.type,
      timezone: project.timezone,
      pending_timezone: null,
      base_generation: 0,
      at_risk_below_pct: project.atRiskBelowPct,
      retention_days: project.retentionDays ?? null,
      keep_content: project.keepContent === true ? 1 : 0,
      join_alike: project.joinAlike === false ? 0 : 1,
      tag_dimensions: spellTagDimensions(project.tagDimensions ?? []),
      frozen_before: null,
      frozen_at: null,
      cleared_before: null,
      clearing_before: null,
      clearing_step: 0,
      closed_through: null,
      created_at: this.#clock(),
      deleted_at: null,
      purged_at: null,
    };
  }

  async change(id: string, change: ProjectChange): Promise<Project | undefined> {
    const row = await this.#control
      .updateTable('projects')
      .set({
        // Kysely leaves out what is undefined.
        name: change.name,
        at_risk_below_pct: change.atRiskBelowPct,
        retention_days: change.retentionDays,
        keep_content: change.keepContent === undefined ? undefined : Number(change.keepContent),
        join_alike: change.joinAlike === undefined ? undefined : Number(change.joinAlike),
        tag_dimensions: change.tagDimensions && spellTagDimensions(change.tagDimensions),
        // An UPDATE needs at least one column, even for an empty change.
        id,
      })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    this.#cache.forget(id);
    return row && toProject(row);
  }

  /** Marks the project as deleted: its keys and clients stop working, and a purge deletes its data later. */
  async delete(id: string): Promise<boolean> {
    const deleted = { deleted_at: this.#clock() };
    const isDeleted = await changeRows(this.#control, 'projects', { id, deleted_at: null }, deleted);
    this.#cache.forget(id);
    return isDeleted;
  }
}

const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  type: row.type,
  timezone: row.timezone,
  pendingTimezone: row.pending_timezone,
  atRiskBelowPct: row.at_risk_below_pct,
  retentionDays: row.retention_days,
  keepContent: row.keep_content === 1,
  joinAlike: row.join_alike === 1,
  tagDimensions: readTagDimensions(row.tag_dimensions),
  keptFrom: row.frozen_before,
  createdAt: row.created_at,
});
