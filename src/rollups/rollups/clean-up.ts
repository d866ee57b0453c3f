import type { Clock } from '../../lib/clock.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { cellTableNames } from '../../storage/analytic/tables/rollups.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { versionOf } from './seal-numbers.ts';

/** How long answers may still read a seal that is out of use, in milliseconds. */
const inUseMs = 120_000;
/** How often to look for unused seals, in milliseconds. */
const everyMs = 60_000;
/** The time limit of the query, in milliseconds. */
const withinMs = 30_000;

export interface SealCleanerSources {
  readonly store: Pick<AnalyticStore, 'select' | 'command'>;
  readonly control: ControlStore;
  readonly clock: Clock;
}

/** Deletes rollups that no answer reads: of days that were touched or sealed again, and of interrupted sealing. */
export class SealCleaner {
  readonly #sources: SealCleanerSources;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** When each seal was first found out of use. */
  #outOfUse = new Map<number, number>();

  constructor(sources: SealCleanerSources) {
    this.#sources = sources;
  }

  /** Looks for unused seals every `everyMs`, and deletes the rows of those unused for `inUseMs`. */
  async step(): Promise<void> {
    const { store, control, clock } = this.#sources;
    const now = clock();
    if (now - this.#lookedAt < everyMs) return;
    this.#lookedAt = now;
    // Two statements for all projects, because assembly waits for them. `narrow_cells` is written first, so it has
    // every seal, except those of frozen days without calls. These are in `frozen_readings`.
    const stored = await store.select<{ seal: string }>(
      'SELECT DISTINCT seal FROM narrow_cells UNION DISTINCT SELECT DISTINCT seal FROM frozen_readings',
      {},
      withinMs,
    );
    const current = await control
      .selectFrom('days')
      .innerJoin('projects', 'projects.id', 'days.project_id')
      .select('days.seal')
      .where((day) =>
        day.or([
          day('days.sealed', '=', day.ref('days.touched')),
          // A frozen day always uses its seal: nothing else is left of the day.
          day('days.day', '<', day.ref('projects.frozen_before')),
        ]),
      )
      .execute();
    const pinned = await control.selectFrom('close_days').select(['seal', 'readings']).distinct().execute();
    const closing = await control
      .selectFrom('closes')
      .select('readings_version')
      .where('closed_at', 'is', null)
      .execute();
    const inUse = new Set([
      ...current.map(({ seal }) => seal),
      ...pinned.flatMap(({ seal, readings }) => [seal, readings]),
    ]);
    // A close that is being made has readings under seals that no day names yet.
    const versions = new Set(closing.map(({ readings_version: version }) => version));
    const outOfUse = stored
      .map(({ seal }) => Number(seal))
      .filter((seal) => !inUse.has(seal) && !versions.has(versionOf(seal)));
    this.#outOfUse = new Map(outOfUse.map((seal) => [seal, this.#outOfUse.get(seal) ?? now]));
    const old = outOfUse.filter((seal) => now - (this.#outOfUse.get(seal) ?? now) >= inUseMs);
    if (old.length === 0) return;
    for (const table of [...cellTableNames, 'run_cells', 'frozen_pieces', 'frozen_readings']) {
      // The engine deletes in the background, also after a restart.
      await store.command(`ALTER TABLE ${table} DELETE WHERE seal IN (SELECT arrayJoin({seals:Array(UInt64)}))`, {
        seals: old,
      });
    }
  }
}
