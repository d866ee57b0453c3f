import { countOf, type FrozenReading, identifyReading, type Reading } from '../../accounts/key-metrics/readings.ts';
import { readTagDimensions } from '../../accounts/tag-dimensions.ts';
import { readWatermarksOf, type Watermark } from '../../calls/assembly/watermarks.ts';
import { type Generations, readGenerations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import type { Clock } from '../../lib/clock.ts';
import { addDays, type Day, dayOf, type Period, startOfDay, toDay, toDayNumber } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { pieceDimensions } from '../../storage/analytic/tables/rollups.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  lockProject,
  requireRow,
} from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { ProjectRow } from '../../storage/control/schema/schema.ts';
import { selectPiecesOfNamedRuns } from '../rollups/cells.ts';
import { sealColumn, sealOf } from '../rollups/seal-numbers.ts';
import { assembledBy, hasUnassembled } from './assembled.ts';
import { copyCells } from './copy-days.ts';
import { readingColumns } from './frozen-readings.ts';

/** The readings that key metrics need, and how to read them from the events. */
export interface ReadingSources {
  readonly listReadings: (projectId: string) => Promise<readonly Reading[]>;
  readonly sumReadings: (query: {
    readonly projectId: string;
    readonly timezone: string;
    readonly days: Period;
    readonly readings: readonly Reading[];
    readonly upTo: Clause;
  }) => AsyncIterable<readonly FrozenReading[]>;
}

export interface FreezerOptions extends ReadingSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when days of a project were frozen. */
  readonly onFrozen: (projectId: string) => void;
}

/** The most calls frozen at once; bounds how long assembly waits. */
const maxCallsAtOnce = 200_000;
/** A step starts no new work after this time, in milliseconds, because assembly waits for the step. */
const stepMs = 150;
/** While more urgent work waits, the pause after a step is this multiple of the step's duration. */
const restPerWork = 4;
/** The pause before the next attempt at a project that can't be frozen yet, in milliseconds. */
const retryMs = 2_000;
const withinMs = 30_000;

type Retention = Pick<ProjectRow, 'timezone' | 'retention_days' | 'frozen_before'>;
type Candidate = Retention & Pick<ProjectRow, 'id' | 'type' | 'tag_dimensions'>;

/** Days to freeze: all days before `before` that are not frozen yet. */
interface Wanted {
  readonly project: Candidate;
  /** The first of these days with calls or custom events; undefined when none has any. */
  readonly first: Day | undefined;
  readonly before: Day;
  readonly days: readonly { readonly day: Day; readonly touched: number; readonly seal: number }[];
}

/**
 * Freezes days that are older than their project's retention (docs/decisions/0010). It writes their totals under new
 * seals. Then one transaction makes these seals valid and raises the horizon. No call of a day before the horizon is
 * read or written. A crash in between leaves rows that no answer reads. The `Clearer` deletes events and calls later.
 */
export class Freezer implements BackgroundJob {
  readonly name = 'freeze';
  readonly restsDuringBackup = true;
  readonly #options: FreezerOptions;
  readonly #waitsUntil = new Map<string, number>();
  #restsUntil = 0;

  constructor(options: FreezerOptions) {
    this.#options = options;
  }

  /** Freezes some days; true when there may be more. While `isBusy`, it rests most of the time. @throws LeaseLost */
  async step({ isBusy }: { readonly isBusy: boolean } = { isBusy: false }): Promise<boolean> {
    const { control, clock } = this.#options;
    const now = clock();
    if (isBusy && now < this.#restsUntil) return false;
    const startedAt = performance.now();
    let isFurther = false;
    const projects = await control
      .selectFrom('projects')
      .select(['id', 'type', 'timezone', 'retention_days', 'frozen_before', 'tag_dimensions'])
      .where('retention_days', 'is not', null)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    for (const project of projects) {
      const target = targetOf(project, now);
      if (target === undefined || (this.#waitsUntil.get(project.id) ?? 0) > now) continue;
      const wanted = await this.#findDays(project, target);
      const isFrozen = wanted !== undefined && (await this.#freeze(wanted));
      if (isFrozen) this.#waitsUntil.delete(project.id);
      else this.#waitsUntil.set(project.id, now + retryMs);
      isFurther ||= isFrozen;
      if (performance.now() - startedAt > stepMs) break;
    }
    this.#restsUntil = clock() + restPerWork * (performance.now() - startedAt);
    return isFurther;
  }

  /** The next days to freeze; undefined while the first is unsealed, or a rebuild or an erasure needs the calls. */
  async #findDays(project: Candidate, target: Day): Promise<Wanted | undefined> {
    const { control } = this.#options;
    if (await isNeeded(control, project.id)) return undefined;
    const days = await readDays(control, project, target);
    // An unsealed day must be sealed before it and later days can be frozen.
    const open = days.find(({ touched, sealed, tags }) => touched !== sealed || tags !== project.tag_dimensions)?.day;
    const end = open ?? target;
    const sealed = days.filter(({ day }) => day < end);
    const busy = await this.#readBusy(project, sealed);
    const firstEvent = project.type === 'internal' ? await this.#findFirstEvent(project, end) : undefined;
    const [first] = [busy[0]?.day, firstEvent].filter((day) => day !== undefined).sort();
    const before = first === undefined ? end : endOfStep(first, end, busy);
    if (project.frozen_before !== null && before <= project.frozen_before) return undefined;
    return { project, first, before, days: sealed.filter(({ day }) => day < before) };
  }

  /** The days that have calls, and how many each has. */
  async #readBusy(project: Candidate, days: readonly DayState[]): Promise<BusyDay[]> {
    if (days.length === 0) return [];
    const counts = await this.#options.store.select<{ day: Day; calls: string }>(
      `SELECT day, sum(calls) AS calls FROM narrow_cells
        WHERE project = {project:String} AND grain = 'total' AND seal IN (SELECT arrayJoin({seals:Array(UInt64)}))
        GROUP BY day ORDER BY day`,
      { project: project.id, seals: days.map(({ seal }) => seal) },
      withinMs,
    );
    return counts.map(({ day, calls }) => ({ day, calls: Number(calls) }));
  }

  /** The first unfrozen day before `target` with a custom event. */
  async #findFirstEvent({ id, timezone, frozen_before: from }: Candidate, target: Day): Promise<Day | undefined> {
    const [found] = await this.#options.store.select<{ events: string; first: string }>(
      `SELECT count() AS events, toUnixTimestamp64Milli(min(event_time)) AS first FROM events
        WHERE project = {project:String} AND phase = 'custom' AND ${beforeTime} AND event_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')`,
      { project: id, before: startOfDay(timezone, target), from: from === null ? 0 : startOfDay(timezone, from) },
      withinMs,
    );
    return found && Number(found.events) > 0 ? dayOf(timezone, Number(found.first)) : undefined;
  }

  async #freeze(wanted: Wanted): Promise<boolean> {
    const { store, control, lease, logger, onFrozen } = this.#options;
    const { project, before, days } = wanted;
    const watermarks = await readWatermarksOf(control, project.id);
    const unassembled = { beforeMs: startOfDay(project.timezone, before), watermarks };
    if (await hasUnassembled(store, project.id, unassembled)) return false;
    const startedAt = performance.now();
    const version = await lease.nextVersion();
    if (days.length > 0 && wanted.first !== undefined) {
      const generations = await readGenerations(control, project.id);
      await copyCells(store, { projectId: project.id, days, version });
      await this.#writePieces(wanted, generations, version);
    }
    const { readings, daysRead } = await this.#writeReadings(wanted, watermarks, version);
    // If events for these days arrived meanwhile, stop. They are assembled first; then the next attempt reads the days.
    const now = await readWatermarksOf(control, project.id);
    if (
      await hasUnassembled(store, project.id, {
        ...unassembled,
        watermarks: [...watermarks, ...added(watermarks, now)],
      })
    )
      return false;
    const isFrozen = await this.#putInForce(wanted, { version, readings, daysRead });
    if (!isFrozen) return false;
    onFrozen(project.id);
    const elapsedMs = Math.round(performance.now() - startedAt);
    logger.info({ project: project.id, before, days: days.length, elapsedMs }, 'days were frozen');
    return true;
  }

  async #writePieces({ project, days }: Wanted, generations: Generations, version: number): Promise<void> {
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) return;
    const span = callsOf(project.id, { dateFrom: first.day, dateTo: last.day }, generations);
    const columns = ['day', 'run_hash', ...pieceDimensions, 'tags', 'cost'].join(', ');
    const ofDays = {
      sql: `${span.sql} AND toUInt16(day) IN (SELECT arrayJoin({frozen_days:Array(UInt16)}))`,
      parameters: { ...span.parameters, frozen_days: days.map(({ day }) => toDayNumber(day)) },
    };
    const { sql, parameters } = selectPiecesOfNamedRuns(ofDays, readTagDimensions(project.tag_dimensions));
    await this.#options.store.commandOnce(
      `INSERT INTO frozen_pieces (project, seal, ${columns}) SELECT {project:String}, ${sealColumn}, ${columns} FROM (${sql})`,
      { ...parameters, seal_version: version },
    );
  }

  /** Writes the readings of custom events. Returns the key metric readings now kept, and the days with any reading. */
  async #writeReadings(
    { project, first, before }: Wanted,
    watermarks: readonly Watermark[],
    version: number,
  ): Promise<{ readings: readonly Reading[]; daysRead: ReadonlySet<Day> }> {
    const { store, listReadings, sumReadings } = this.#options;
    const daysRead = new Set<Day>();
    if (project.type !== 'internal') return { readings: [], daysRead };
    const defined = await listReadings(project.id);
    if (first === undefined) return { readings: defined, daysRead };
    const upTo = assembledBy(watermarks);
    const types = await store.select<{ event_type: string }>(
      `SELECT DISTINCT toString(event_type) AS event_type FROM events
        WHERE project = {project:String} AND phase = 'custom' AND ${beforeTime} AND event_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')`,
      {
        project: project.id,
        before: startOfDay(project.timezone, before),
        from: startOfDay(project.timezone, first),
      },
      withinMs,
    );
    if (types.length === 0) return { readings: defined, daysRead };
    const byIdentity = new Map(
      [...types.map(({ event_type: type }) => countOf(type)), ...defined].map((one) => [identifyReading(one), one]),
    );
    const query = {
      projectId: project.id,
      timezone: project.timezone,
      days: { dateFrom: first, dateTo: addDays(before, -1) },
      readings: [...byIdentity.values()],
      upTo,
    };
    for await (const kept of sumReadings(query)) {
      if (kept.length === 0) continue;
      const rows = kept.map((reading) => {
        const day = toDay(reading.dayNumber);
        daysRead.add(day);
        return { ...reading, projectId: project.id, day, seal: sealOf(version, day) };
      });
      await store.insertRows('frozen_readings', readingColumns, rows);
    }
    return { readings: defined, daysRead };
  }

  /** Makes the new seals valid. If the project or a day changed meanwhile, does nothing: false. @throws LeaseLost */
  async #putInForce(
    { project, before, days }: Wanted,
    written: { readonly version: number; readonly readings: readonly Reading[]; readonly daysRead: ReadonlySet<Day> },
  ): Promise<boolean> {
    const { control, lease, clock } = this.#options;
    const { version, readings, daysRead } = written;
    return await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await lockProject(transaction, project.id);
      const now = clock();
      const current = await requireRow(transaction, 'projects', { id: project.id });
      const target = targetOf(current, now);
      const isSame = current.timezone === project.timezone && current.frozen_before === project.frozen_before;
      if (!isSame || current.deleted_at !== null || target === undefined || target < before) return false;
      if (await isNeeded(transaction, project.id)) return false;
      const found = await readDays(transaction, project, before);
      const isUntouched = ({ day, touched, sealed, seal }: DayState) =>
        touched === sealed && days.some((one) => one.day === day && one.touched === touched && one.seal === seal);
      if (found.length !== days.length || !found.every(isUntouched)) return false;
      const known = new Set(days.map(({ day }) => day));
      const sealedAnew = { touched: 1, touched_at: now, sealed: 1 };
      for (const { day } of days) {
        await changeRows(transaction, 'days', { project_id: project.id, day }, { seal: sealOf(version, day) });
      }
      for (const day of daysRead) {
        if (known.has(day)) continue;
        const row = { project_id: project.id, day, generation: 0, ...sealedAnew, seal: sealOf(version, day) };
        await transaction.insertInto('days').values(row).execute();
      }
      await noteKept(transaction, { projectId: project.id, from: project.frozen_before, before, readings });
      await changeRows(transaction, 'projects', { id: project.id }, { frozen_before: before, frozen_at: now });
      return true;
    });
  }
}

interface BusyDay {
  readonly day: Day;
  readonly calls: number;
}

/** The end (exclusive) of a step from `first`: at most one month and `maxCallsAtOnce` calls, at least one day. */
function endOfStep(first: Day, end: Day, busy: readonly BusyDay[]): Day {
  const nextMonth = `${addDays(`${first.slice(0, 7)}-01`, 32).slice(0, 7)}-01`;
  const last = nextMonth < end ? nextMonth : end;
  let sum = 0;
  for (const [index, { day, calls }] of busy.entries()) {
    if (day >= last) break;
    sum += calls;
    if (index > 0 && sum > maxCallsAtOnce) return day;
  }
  return last;
}

const beforeTime = "event_time < fromUnixTimestamp64Milli({before:Int64}, 'UTC')";

/** The day before which days are to be frozen; undefined when there is nothing to freeze. */
function targetOf(
  { timezone, retention_days: retentionDays, frozen_before: frozenBefore }: Retention,
  now: number,
): Day | undefined {
  if (retentionDays === null) return undefined;
  const target = addDays(dayOf(timezone, now), -retentionDays);
  return frozenBefore === null || frozenBefore < target ? target : undefined;
}

interface DayState {
  readonly day: Day;
  readonly touched: number;
  readonly sealed: number;
  readonly seal: number;
  readonly tags: string;
}

/** The unfrozen days before `before` that may have calls. */
const readDays = async (
  control: ControlQueries,
  { id, frozen_before: from }: Candidate,
  before: Day,
): Promise<DayState[]> =>
  await control
    .selectFrom('days')
    .select(['day', 'touched', 'sealed', 'seal', 'tags'])
    .where('project_id', '=', id)
    .where('day', '<', before)
    .$if(from !== null, (query) => query.where('day', '>=', from ?? ''))
    .orderBy('day')
    .execute();

/** Whether an unfinished rebuild or erasure of the project still needs the calls. */
async function isNeeded(control: ControlQueries, projectId: string): Promise<boolean> {
  const rebuild = await control
    .selectFrom('rebuilds')
    .select('id')
    .where('project_id', '=', projectId)
    .where('state', 'in', ['queued', 'running'])
    .limit(1)
    .executeTakeFirst();
  const erasure = await control
    .selectFrom('erasures')
    .select('id')
    .where('project_id', '=', projectId)
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return rebuild !== undefined || erasure !== undefined;
}

/** Records which readings the newly frozen days keep. Every frozen day keeps counts, so these need no record. */
async function noteKept(
  transaction: ControlQueries,
  kept: {
    readonly projectId: string;
    readonly from: Day | null;
    readonly before: Day;
    readonly readings: readonly Reading[];
  },
): Promise<void> {
  const { projectId, from, before, readings } = kept;
  for (const reading of readings) {
    if (reading.aggregation === 'count') continue;
    const row = { project_id: projectId, reading: identifyReading(reading) };
    const ofBefore = { ...row, kept_before: from ?? '' };
    if (await changeRows(transaction, 'kept_readings', ofBefore, { kept_before: before })) continue;
    await transaction
      .insertInto('kept_readings')
      .values({ ...row, kept_from: from ?? '', kept_before: before })
      .execute();
  }
}

/** The watermarks of new writers, set to 0: none of their events was read. */
const added = (before: readonly Watermark[], now: readonly Watermark[]): Watermark[] =>
  now.filter(({ writer }) => !before.some((one) => one.writer === writer)).map((one) => ({ ...one, seq: 0 }));
