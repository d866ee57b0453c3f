import { readWatermarksOf } from '../../calls/assembly/watermarks.ts';
import { type Generations, readGenerations } from '../../calls/generations.ts';
import { inForce } from '../../calls/in-force.ts';
import { type PinnedCalls, readPinnedCalls, unlessPinned } from '../../calls/pins/pinned-calls.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Day, startOfDay } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { changeOf, runStatement, type Statement } from '../../storage/analytic/deletion.ts';
import { projectTables } from '../../storage/analytic/project-tables.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { ProjectRow } from '../../storage/control/schema/schema.ts';
import { isUnnamedRun } from '../rollups/cells.ts';
import { assembledBy, hasUnassembled } from './assembled.ts';

export interface ClearerOptions {
  readonly store: Pick<AnalyticStore, 'select' | 'command' | 'isDeleting'>;
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long answers may still read the calls of a day after it was frozen, in milliseconds. */
  readonly graceMs: number;
  /** Called when events and calls were deleted. */
  readonly onCleared?: () => void;
}

/** The most calls whose events are deleted at once, because the engine holds their ids in memory. */
const maxCallsAtOnce = 1_000_000;
/** The most projects handled in one step; each takes a few statements. */
const maxProjectsAtOnce = 20;
/** The timestamp of an event is at most this far ahead of its receipt (D3.9). */
const aheadMs = 24 * 3_600_000;

type Clearing = Pick<ProjectRow, 'id' | 'timezone' | 'cleared_before' | 'clearing_before' | 'clearing_step'> & {
  readonly frozen_before: Day;
};

/**
 * Deletes the events and calls of frozen days. Its steps never wait, because the engine deletes in the background, also
 * after a restart. A deletion begins when the one before has finished. The process may stop at any point.
 */
export class Clearer implements BackgroundJob {
  readonly name = 'clear';
  readonly restsDuringBackup = true;
  readonly #options: ClearerOptions;

  constructor(options: ClearerOptions) {
    this.#options = options;
  }

  /** Takes one step for some projects; true when more can be done at once. @throws LeaseLost */
  async step(): Promise<boolean> {
    const { store, control, clock, graceMs } = this.#options;
    const projects = await control
      .selectFrom('projects')
      .select(['id', 'timezone', 'frozen_before', 'cleared_before', 'clearing_before', 'clearing_step'])
      .where('frozen_before', 'is not', null)
      .where('frozen_at', '<=', clock() - graceMs)
      .where('deleted_at', 'is', null)
      .where((project) =>
        project.or([
          project('cleared_before', 'is', null),
          project('cleared_before', '<', project.ref('frozen_before')),
        ]),
      )
      .orderBy('frozen_at')
      .limit(maxProjectsAtOnce)
      .execute();
    if (projects.length === 0 || (await store.isDeleting(projectTables))) return false;
    let isFurther = false;
    for (const project of projects) {
      const { frozen_before } = project;
      if (frozen_before !== null && (await this.#takeStep({ ...project, frozen_before }))) isFurther = true;
    }
    return isFurther;
  }

  async #takeStep(project: Clearing): Promise<boolean> {
    const { store, control, logger, onCleared } = this.#options;
    const { id, timezone, clearing_before: before, clearing_step: step } = project;
    if (before === null) {
      await this.#update(id, { clearing_before: await this.#findEnd(project), clearing_step: 0 });
      return true;
    }
    const watermarks = await readWatermarksOf(control, id);
    const startMs = startOfDay(timezone, before);
    // Assembly must first record which of these events are late, because late events are not deleted yet.
    if (await hasUnassembled(store, id, { beforeMs: startMs, watermarks })) return false;
    const generations = await readGenerations(control, id);
    const next = statements({
      after: project.cleared_before,
      before,
      startMs,
      generations,
      assembled: assembledBy(watermarks),
      pinned: await readPinnedCalls(control, id),
    })[step];
    if (!next) {
      await this.#update(id, { cleared_before: before, clearing_before: null, clearing_step: 0 });
      logger.info({ project: id, before }, 'events and calls of frozen days were deleted');
      onCleared?.();
      return true;
    }
    for (const statement of next) await runStatement(store, statement, { project: id });
    await this.#update(id, { clearing_step: step + 1 });
    return true;
  }

  /** The day before which to delete. The days up to it have at most `maxCallsAtOnce` calls, or are a single day. */
  async #findEnd({ id, frozen_before: frozenBefore, cleared_before: after }: Clearing): Promise<Day> {
    const counts = await this.#options.store.select<{ day: Day; calls: string }>(
      `SELECT day, count() AS calls FROM calls WHERE project = {project:String} AND day >= {after:Date} AND day < {before:Date} GROUP BY day ORDER BY day`,
      { project: id, after: after ?? firstDay, before: frozenBefore },
    );
    let sum = 0;
    for (const [index, { day, calls }] of counts.entries()) {
      sum += Number(calls);
      if (index > 0 && sum > maxCallsAtOnce) return day;
    }
    return frozenBefore;
  }

  async #update(id: string, change: Partial<ProjectRow>): Promise<void> {
    const { control, lease } = this.#options;
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await transaction.updateTable('projects').set(change).where('id', '=', id).execute();
    });
  }
}

/** Before every call. */
const firstDay = '1970-01-01';

interface Deletion {
  /** The day before which events and calls are already deleted, except calls that closes pin. */
  readonly after: Day | null;
  /** The day before which events and calls are deleted, and its start in milliseconds since 1970. */
  readonly before: Day;
  readonly startMs: number;
  readonly generations: Generations;
  /** The condition for assembled events. The late ones among them are recorded. */
  readonly assembled: Clause;
  readonly pinned: PinnedCalls;
}

/**
 * The statements of a deletion, by step. Each can be repeated.
 *
 * - Events of an id are deleted if the id has a call on these days and none on a later day.
 * - A custom event is deleted by its own time. If it was repeated later, it stays as long as the repetition, because it
 *   keeps the repetition from counting (D9.1).
 * - Late events and events without a call are deleted if they were received more than 24 hours before `startMs` and no
 *   newer event has their id.
 */
function statements({ after, before, startMs, generations, assembled, pinned }: Deletion): Statement[][] {
  const current = inForce(generations);
  const parameters = {
    after: after ?? firstDay,
    before,
    start: startMs,
    received_before: startMs - aheadMs,
    gone: 'retention',
    repeated: 'retention: repeated later',
  };
  const beforeStart = "event_time < fromUnixTimestamp64Milli({start:Int64}, 'UTC')";
  const since = (column: string) => `${column} >= fromUnixTimestamp64Milli({received_before:Int64}, 'UTC')`;
  const ofProject = 'project = {project:String}';
  const onDays = 'day >= {after:Date} AND day < {before:Date}';
  const noted = (name: string) =>
    `event_id IN (SELECT event_id FROM erased_ids WHERE ${ofProject} AND erasure = {${name}:String})`;
  const stillKnown = `event_id IN (SELECT event_id FROM event_ids WHERE ${ofProject} AND ${since('last_received_at')}
    AND event_id IN (SELECT event_id FROM event_ids WHERE ${ofProject} AND NOT (${since('first_received_at')})))`;
  const clause = (sql: string, more: Clause['parameters'] = {}): Clause => ({
    sql,
    parameters: { ...parameters, ...more },
  });
  const deleteFrom = (table: string, where: string, more?: Clause['parameters']): Statement => ({
    ...changeOf(table, 'DELETE', where),
    parameters: { ...parameters, ...more },
  });
  return [
    [
      clause(
        `INSERT INTO erased_ids SELECT DISTINCT project, {gone:String}, event_id FROM calls
        WHERE ${ofProject} AND ${onDays} AND event_id NOT IN (
          SELECT event_id FROM calls FINAL WHERE ${ofProject} AND day >= {before:Date} AND ${current.sql}
            AND event_id IN (SELECT event_id FROM calls WHERE ${ofProject} AND ${onDays})
        )`,
        current.parameters,
      ),
      clause(
        `INSERT INTO erased_ids SELECT DISTINCT project, {repeated:String}, event_id FROM events
        WHERE ${ofProject} AND phase = 'custom' AND NOT (${beforeStart}) AND event_id IN (
          SELECT event_id FROM events WHERE ${ofProject} AND phase = 'custom' AND ${beforeStart}
        )`,
      ),
    ],
    [
      deleteFrom(
        'events',
        `if(phase = 'custom',
        ${beforeStart} AND NOT (${noted('repeated')}) AND (NOT (${since('received_at')}) OR (${assembled.sql} AND (writer, seq) NOT IN (
          SELECT writer, seq FROM late_events WHERE ${ofProject}
        ))),
        ${noted('gone')} OR (NOT (${since('received_at')}) AND NOT (${stillKnown})))`,
        assembled.parameters,
      ),
      deleteFrom('event_contents', `${noted('gone')} OR (NOT (${since('received_at')}) AND NOT (${stillKnown}))`),
    ],
    [
      deleteFrom('condensed_ids', `${noted('gone')} OR NOT (${since('last_received_at')})`),
      deleteFrom('event_ids', `${noted('gone')} OR (NOT (${since('first_received_at')}) AND NOT (${stillKnown}))`),
      deleteFrom('report_keys', `NOT (${since('ended_at')})`),
      // Unnamed runs get no further calls. Named runs stay known, so a later call joins the same run.
      deleteFrom(
        'runs',
        `run_hash IN (SELECT sipHash128(run) FROM calls WHERE ${ofProject} AND ${onDays} AND (${isUnnamedRun}))`,
      ),
      deleteFrom('late_events', `NOT (${since('received_at')})`),
    ],
    [
      // Calls that a close pins stay as long as the close.
      deleteFrom('calls', unlessPinned('day < {before:Date}', pinned), pinned.calls?.parameters),
      deleteFrom('erased_ids', 'erasure IN ({gone:String}, {repeated:String})'),
    ],
  ];
}
