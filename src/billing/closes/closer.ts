import { identifyReading } from '../../accounts/key-metrics/readings.ts';
import { readWatermarksOf } from '../../calls/assembly/watermarks.ts';
import { readUnsealedDaysOf } from '../../calls/days.ts';
import { noGeneration } from '../../calls/generations.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { addDays, type Day, startOfDay } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import { pinFacts } from '../../reports/facts/pin-facts.ts';
import { assembledBy } from '../../rollups/retention/assembled.ts';
import type { ReadingSources } from '../../rollups/retention/freezer.ts';
import { sealOf } from '../../rollups/rollups/seal-numbers.ts';
import type { Sealer } from '../../rollups/rollups/sealer.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import {
  type ControlQueries,
  type ControlSources,
  changeRows,
  findRow,
  lockProject,
  requireRow,
} from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { CloseRow } from '../../storage/control/schema/close-rows.ts';
import type { ProjectRow } from '../../storage/control/schema/schema.ts';
import { isRemaking } from '../../storage/control/stripe-remakes.ts';
import { ReadingsDraft } from './readings-draft.ts';

export interface CloserOptions extends ReadingSources, ControlSources {
  readonly store: AnalyticStore;
  readonly lease: Lease;
  readonly logger: Logger;
  readonly sealer: Pick<Sealer, 'sealUpTo'>;
}

/** How a step of a close ends: nothing can be done yet, there is more to do, or the close is made. */
type StepState = 'waits' | 'goes on' | 'ended';

/** Days that are not sealed after this time, in milliseconds, are pinned unsealed, and are sealed afterwards. */
const sealForMs = 20_000;
/** For how long a step starts new work, in milliseconds. Assembly waits for that time and for the work started last. */
const stepMs = 200;

type ClosingProject = Pick<ProjectRow, 'id' | 'type' | 'timezone' | 'frozen_before' | 'base_generation'>;

/** Seals the days of closes, stores readings, and pins everything in one transaction (docs/decisions/0020). */
export class Closer implements BackgroundJob {
  readonly name = 'close';
  readonly restsDuringBackup = false;
  readonly #options: CloserOptions;
  /** The readings of the close that is being made. They are in memory alone: another process starts over. */
  #draft: ReadingsDraft | undefined;

  constructor(options: CloserOptions) {
    this.#options = options;
  }

  /** Takes steps of the closes that wait; true when there is more to do at once. @throws LeaseLost */
  async step(): Promise<boolean> {
    const until = performance.now() + stepMs;
    const waiting = await this.#options.control
      .selectFrom('closes')
      .selectAll()
      .where('closed_at', 'is', null)
      .orderBy('requested_at')
      .execute();
    for (const close of waiting) {
      let state: StepState = 'goes on';
      while (state === 'goes on') {
        state = await this.#carryOn(close);
        if (performance.now() > until) return true;
      }
    }
    return false;
  }

  async #carryOn(close: CloseRow): Promise<StepState> {
    const { control, clock, sealer } = this.#options;
    const { project_id: projectId, through } = close;
    const project = await findRow(control, 'projects', { id: projectId, deleted_at: null });
    if (!project) {
      await control.deleteFrom('closes').where('id', '=', close.id).execute();
      return 'ended';
    }
    if (await isHalfDone(control, projectId)) return 'waits';
    if (await this.#isBehind(close, project)) return 'waits';
    const isPatient = clock() - close.requested_at < sealForMs;
    const unsealed = await readUnsealedDaysOf(control, projectId, through);
    if (isPatient && unsealed.length > 0) {
      await sealer.sealUpTo(projectId, through);
      return 'goes on';
    }
    const draft = await this.#openDraft(close, project);
    if (!draft.isDone) {
      await draft.addMonth();
      return 'goes on';
    }
    return (await this.#pin(close, project, draft)) ? 'ended' : 'goes on';
  }

  /** Whether events of the closed days that were received before the request are not in the calls yet. */
  async #isBehind({ requested_at: requestedAt, through }: CloseRow, project: ClosingProject): Promise<boolean> {
    const { store, control } = this.#options;
    const assembled = assembledBy(await readWatermarksOf(control, project.id));
    const rows = await store.select(
      `SELECT 1 FROM events
        WHERE project = {project:String} AND event_time < fromUnixTimestamp64Milli({before:Int64}, 'UTC')
          AND received_at <= fromUnixTimestamp64Milli({requested_at:Int64}, 'UTC') AND NOT (${assembled.sql})
        LIMIT 1`,
      {
        ...assembled.parameters,
        project: project.id,
        before: startOfDay(project.timezone, addDays(through, 1)),
        requested_at: requestedAt,
      },
    );
    return rows.length > 0;
  }

  /** The draft that was begun, or a new one if the data from which it is computed has changed. */
  async #openDraft(close: CloseRow, project: ClosingProject): Promise<ReadingsDraft> {
    const { store, control, lease, listReadings, sumReadings } = this.#options;
    const readings = project.type === 'internal' ? await listReadings(project.id) : [];
    const identity = [close.id, project.timezone, project.frozen_before ?? '', ...readings.map(identifyReading)].join(
      ' ',
    );
    if (this.#draft?.identity === identity) return this.#draft;
    const version = await lease.nextVersion();
    // From here on, clean-up keeps the seals of this version.
    await control.updateTable('closes').set({ readings_version: version }).where('id', '=', close.id).execute();
    this.#draft = await ReadingsDraft.begin(
      { store, sumReadings },
      { identity, version, project, readings },
      close.through,
    );
    return this.#draft;
  }

  /** Pins everything; false, with nothing changed, when the project changed meanwhile. @throws LeaseLost */
  async #pin(close: CloseRow, project: ClosingProject, draft: ReadingsDraft): Promise<boolean> {
    const { control, lease, clock, logger } = this.#options;
    const { id, project_id: projectId, through } = close;
    const days = await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await lockProject(transaction, projectId);
      const current = await requireRow(transaction, 'projects', { id: projectId });
      const isSame =
        current.timezone === project.timezone &&
        current.frozen_before === project.frozen_before &&
        current.base_generation === project.base_generation;
      if (!isSame || current.deleted_at !== null || (await isHalfDone(transaction, projectId))) return undefined;
      const pinned = await pinDays(transaction, close, project.frozen_before);
      await pinReadings(transaction, close, draft, new Set(pinned));
      await pinFacts(transaction, { closeId: id, projectId, through });
      await changeRows(
        transaction,
        'closes',
        { id },
        {
          closed_at: clock(),
          timezone: project.timezone,
          base_generation: project.base_generation,
          frozen_before: project.frozen_before,
        },
      );
      await transaction.updateTable('projects').set({ closed_through: through }).where('id', '=', projectId).execute();
      return pinned.length;
    });
    if (days === undefined) return false;
    this.#draft = undefined;
    logger.info({ project: projectId, close: id, through, days }, 'days were closed');
    return true;
  }
}

/** Whether calls or revenue are between two states: an erasure deletes, or entries from Stripe are computed again. */
const isHalfDone = async (control: ControlQueries, projectId: string): Promise<boolean> =>
  (await isErasing(control, projectId)) || (await isRemaking(control, projectId));

/** Whether an erasure has begun to delete. Until it ends, the calls are neither those before it nor those after it. */
const isErasing = async (control: ControlQueries, projectId: string): Promise<boolean> =>
  (await control
    .selectFrom('erasures')
    .select('id')
    .where('project_id', '=', projectId)
    .where('finished_at', 'is', null)
    .where('step', '>', 0)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Rows per statement: SQLite takes at most 32,766 values. */
const chunkRows = 4_000;

/** Pins the days that have calls, and returns them. Of frozen days only the seals are left. */
async function pinDays(
  transaction: ControlQueries,
  { id, project_id: projectId, through }: CloseRow,
  frozenBefore: Day | null,
): Promise<Day[]> {
  const days = await transaction
    .selectFrom('days')
    .select(['day', 'generation', 'touched', 'sealed', 'seal'])
    .where('project_id', '=', projectId)
    .where('day', '<=', through)
    .orderBy('day')
    .execute();
  const rows = days.map(({ day, generation, touched, sealed, seal }) => {
    const isFrozen = frozenBefore !== null && day < frozenBefore;
    return {
      close_id: id,
      project_id: projectId,
      day,
      generation: isFrozen ? noGeneration : generation,
      seal: isFrozen || touched === sealed ? seal : 0,
      readings: isFrozen ? seal : 0,
    };
  });
  for (const chunk of chunksOf(rows, chunkRows)) {
    await transaction.insertInto('close_days').values(chunk).execute();
  }
  return days.map(({ day }) => day);
}

/** Pins the readings of the days that have any. A day without calls has nothing else to pin. */
async function pinReadings(
  transaction: ControlQueries,
  { id, project_id: projectId }: CloseRow,
  { version, daysRead }: ReadingsDraft,
  pinned: ReadonlySet<Day>,
): Promise<void> {
  for (const day of daysRead) {
    const seal = sealOf(version, day);
    if (pinned.has(day)) {
      await changeRows(transaction, 'close_days', { close_id: id, day }, { readings: seal });
    } else {
      const row = { close_id: id, project_id: projectId, day, generation: noGeneration, seal, readings: seal };
      await transaction.insertInto('close_days').values(row).execute();
    }
  }
}
