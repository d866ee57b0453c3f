import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { readGenerations } from '../generations.ts';

/** How long an answer may still be reading a seal that went out of use, in milliseconds. */
const inUseMs = 120_000;
/** How often is looked for such seals, in milliseconds. */
const everyMs = 60_000;

/** Deletes rollups that no answer reads any more: those of days that were touched or sealed anew, and of seals cut short. */
export class SealCleaner {
  readonly #store: Pick<AnalyticStore, 'select' | 'command'>;
  readonly #control: ControlStore;
  readonly #clock: Clock;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** When each seal was first found out of use, by project. */
  #outOfUse = new Map<string, Map<number, number>>();

  constructor({
    store,
    control,
    clock,
  }: {
    readonly store: Pick<AnalyticStore, 'select' | 'command'>;
    readonly control: ControlStore;
    readonly clock: Clock;
  }) {
    this.#store = store;
    this.#control = control;
    this.#clock = clock;
  }

  /** Looks for them now and then, and deletes those that have been out of use for long enough. */
  async step(): Promise<void> {
    const now = this.#clock();
    if (now - this.#lookedAt < everyMs) return;
    this.#lookedAt = now;
    const projects = await this.#control.selectFrom('projects').select('id').where('deleted_at', 'is', null).execute();
    for (const { id } of projects) await this.#clean(id, now);
  }

  async #clean(project: string, now: number): Promise<void> {
    const { seals } = await readGenerations(this.#control, project);
    const found = await this.#store.select<{ seal: string }>(
      `SELECT DISTINCT seal FROM cells
        WHERE project = {project:String} AND seal NOT IN (SELECT arrayJoin({seals:Array(UInt64)}))`,
      { project, seals: [...seals.values()] },
    );
    const known = this.#outOfUse.get(project);
    const outOfUse = new Map(found.map(({ seal }) => [Number(seal), known?.get(Number(seal)) ?? now]));
    this.#outOfUse.set(project, outOfUse);
    const old = [...outOfUse].filter(([, since]) => now - since >= inUseMs).map(([seal]) => seal);
    if (old.length === 0) return;
    for (const table of ['cells', 'crossing_pieces']) {
      // The engine goes on with it by itself, also after a restart.
      await this.#store.command(
        `ALTER TABLE ${table} DELETE WHERE project = {project:String} AND seal IN (SELECT arrayJoin({seals:Array(UInt64)}))`,
        { project, seals: old },
      );
    }
  }
}
