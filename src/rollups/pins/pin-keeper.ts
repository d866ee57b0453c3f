import { readTagDimensions } from '../../accounts/tag-dimensions.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import { type ControlStore, changeRows, deleteRows } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { ProjectRow } from '../../storage/control/schema/schema.ts';
import { sealOf } from '../rollups/seal-numbers.ts';
import { takeDays, writeCells } from '../rollups/write-cells.ts';
import { type MadeClose, readPinnedGenerations } from './pinned-generations.ts';

export interface PinKeeperOptions {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly lease: Lease;
}

/** Seals days that closes pin unsealed, and deletes copies that no close pins any more. */
export class PinKeeper implements BackgroundJob {
  readonly name = 'pins';
  readonly restsDuringBackup = true;
  readonly #options: PinKeeperOptions;

  constructor(options: PinKeeperOptions) {
    this.#options = options;
  }

  /** Takes one step; true when there is more to do. @throws LeaseLost */
  async step(): Promise<boolean> {
    return (await this.#seal()) || (await this.#deleteCopies());
  }

  async #seal(): Promise<boolean> {
    const { store, control, lease } = this.#options;
    const close = await this.#findUnsealed();
    if (!close) return false;
    const { project_id: projectId } = close;
    const generations = await readPinnedGenerations(control, close);
    const days = await takeDays(store, { projectId, days: generations.openDays.toSorted(), generations });
    if (days.length === 0) return false;
    const version = await lease.nextVersion();
    const tags = readTagDimensions(close.tag_dimensions);
    await writeCells(store, { projectId, days, generations, tags }, version);
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      for (const day of days) {
        // Other closes that pin the day in this generation use the same cells.
        await changeRows(
          transaction,
          'close_days',
          { project_id: projectId, day, generation: generations.byDay.get(day) ?? 0, seal: 0 },
          { seal: sealOf(version, day) },
        );
      }
    });
    return true;
  }

  /** A close with a day that is not sealed. */
  async #findUnsealed(): Promise<
    (MadeClose & Pick<ProjectRow, 'tag_dimensions'> & { readonly project_id: string }) | undefined
  > {
    return await this.#options.control
      .selectFrom('close_days')
      .innerJoin('closes', 'closes.id', 'close_days.close_id')
      .innerJoin('projects', 'projects.id', 'closes.project_id')
      .select(['closes.id', 'closes.project_id', 'closes.through', 'closes.timezone', 'closes.base_generation'])
      .select(['closes.frozen_before', 'projects.tag_dimensions'])
      .where('close_days.seal', '=', 0)
      .where('projects.deleted_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
  }

  async #deleteCopies(): Promise<boolean> {
    const { store, control } = this.#options;
    const unused = await control
      .selectFrom('pinned_copies')
      .select(['project_id', 'generation'])
      .where('generation', '>', 0)
      .where((copy) =>
        copy.not(
          copy.exists(
            copy
              .selectFrom('close_days')
              .select('close_days.day')
              .whereRef('close_days.project_id', '=', 'pinned_copies.project_id')
              .whereRef('close_days.generation', '=', 'pinned_copies.generation'),
          ),
        ),
      )
      .limit(1)
      .executeTakeFirst();
    if (!unused) return false;
    const { project_id: project, generation } = unused;
    // The engine deletes in the background, also after a restart. Answers that started on the copy start over.
    await store.command(
      'ALTER TABLE calls DELETE WHERE project = {project:String} AND generation = {generation:UInt64}',
      { project, generation },
    );
    await deleteRows(control, 'pinned_copies', { project_id: project, generation });
    return true;
  }
}
