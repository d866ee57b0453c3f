import type { Projects } from '../../accounts/projects.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Day } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Logger } from '../../lib/logger.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  lockProject,
} from '../../storage/control/control-store.ts';
import { type Lease, LeaseLost } from '../../storage/control/lease.ts';
import { isBackupUnderWay } from '../../storage/control/open-backups.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import { requestRemake } from '../../storage/control/stripe-remakes.ts';
import { readAppliedRereads, readRereadProjects } from '../applied-rereads.ts';
import { rereadGenerationOf, toRebuildContexts } from '../assembly/contexts.ts';
import { readSetAsideIds, takeSetAsideBack } from '../assembly/left-out.ts';
import { type CallWriting, writeCalls } from '../assembly/write-calls.ts';
import { type CallRow, costCall } from '../costing/cost-calls.ts';
import { type Generations, readGenerations } from '../generations.ts';
import { callsOf, inForce } from '../in-force.ts';
import { joinCalls } from '../joins/join-calls.ts';
import type { ReportKeys } from '../joins/report-keys.ts';
import { cleanUpGenerations } from './clean-up.ts';
import { ComparisonDraft, type Earned } from './comparison.ts';
import { copyNext, countCalls, isOfPricesAlone, spanOf } from './copy-days.ts';
import { putInForce } from './put-in-force.ts';
import { readDueRebuilds } from './rebuilds.ts';
import { rereadCalls } from './reread.ts';
import { mergeWindow, noteIds, readNextWindow, readSpan } from './windows.ts';

/** The steps of a rebuild. If the process dies after any of them, the next step continues from there. */
export const rebuildSteps = ['start', 'span', 'merge', 'reread', 'calls', 'position', 'diff', 'in-force'] as const;
export type RebuildStep = (typeof rebuildSteps)[number];

export interface RebuilderOptions extends CallWriting {
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  readonly reportKeys: ReportKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What a project's revenue is from `dateFrom` to `dateTo`, inclusive. */
  readonly readEarned: (projectId: string, days: { readonly dateFrom: Day; readonly dateTo: Day }) => Promise<Earned>;
  /** About how many events a step takes; bounds how long assembly waits. */
  readonly maxEvents: number;
  readonly afterStep?: (step: RebuildStep) => void | Promise<void>;
}

/** A step starts no new work after this time, in milliseconds, because assembly waits for the step. */
const stepMs = 150;
/** The pause before a failed rebuild is retried, in milliseconds. */
const retryMs = 1_000;
/** After this many failures in a row a rebuild is abandoned. The generation in force stays. */
const maxFailures = 20;

interface UnderWay {
  failures: number;
  /** When to retry at the earliest, by `performance.now()`. */
  retryAt: number;
  draft: ComparisonDraft | undefined;
  /** The most events in the next step of a reread. */
  rereadEvents: number;
  /** How many calls the days of a reprice have; undefined until they are counted. */
  callsByDay: ReadonlyMap<Day, number> | undefined;
  /** By how much steps are smaller than usual, because steps have failed: they may be too large. */
  smaller: number;
}
/** The number of texts in the first step of a reread. A text has up to a megabyte. */
const firstRereadEvents = 500;
/** In UTF-16 units. To read them then takes about as long as the rest of the step. */
const rereadLength = 8 * 1_048_576;
const fresh: UnderWay = {
  failures: 0,
  retryAt: 0,
  draft: undefined,
  rereadEvents: firstRereadEvents,
  callsByDay: undefined,
  smaller: 1,
};
/**
 * How many calls are copied where one event would be read. Each part of a day reads the whole day: in three parts its calls
 * take twice the processor time (docs/decisions/0047).
 */
const copiedForEvent = 12;

/**
 * Writes new generations of days, next to those in force, and puts each in force at once (reprice, timezone, rebuild).
 *
 * From the start of a rebuild, assembly writes every call that it touches to the new generation too. The steps process
 * the log as it was at the start. So after the last step the new generation has every call of the old one. Each step
 * takes a version before it reads the log. If a step and assembly write the same call, the one that has read more
 * events wins. Where only prices change, steps copy the calls instead, each with its version.
 */
export class Rebuilder implements BackgroundJob {
  readonly name = 'rebuild';
  readonly restsDuringBackup = false;
  readonly #options: RebuilderOptions;
  /** The state of each due rebuild, by id. */
  #underWay = new Map<string, UnderWay>();
  #lastProject = '';

  constructor(options: RebuilderOptions) {
    this.#options = options;
  }

  /** A short step of one rebuild, projects by turns; true when there is more to do. @throws LeaseLost */
  async step(): Promise<boolean> {
    const { control, store, clock } = this.#options;
    const due = await this.#readDue();
    if (due.length === 0) return await cleanUpGenerations({ store, control, now: clock() });
    const ready = due.filter((rebuild) => this.#stateOf(rebuild).retryAt <= performance.now());
    let rebuild = ready.find(({ project_id: project }) => project > this.#lastProject) ?? ready[0];
    if (!rebuild) return false;
    const { id } = rebuild;
    this.#lastProject = rebuild.project_id;
    const until = performance.now() + stepMs;
    while (rebuild && (await this.#tryToCarryOn(rebuild)) && performance.now() < until) {
      rebuild = (await this.#readDue()).find((next) => next.id === id);
    }
    return true;
  }

  async #readDue(): Promise<RebuildRow[]> {
    const due = await readDueRebuilds(this.#options.control);
    this.#underWay = new Map(due.map(({ id }) => [id, this.#underWay.get(id) ?? { ...fresh }]));
    return due;
  }

  /** Takes one step of a rebuild; false when it failed. */
  async #tryToCarryOn(rebuild: RebuildRow): Promise<boolean> {
    const underWay = this.#stateOf(rebuild);
    try {
      await this.#carryOn(rebuild);
      underWay.failures = 0;
      underWay.smaller = Math.max(1, underWay.smaller / 2);
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      underWay.failures += 1;
      underWay.smaller *= 4;
      underWay.retryAt = performance.now() + retryMs;
      this.#options.logger.error({ err: error, rebuild: rebuild.id }, 'a rebuild failed; it will be tried again');
      if (underWay.failures >= maxFailures) {
        await this.#fail(rebuild, `It failed ${maxFailures} times; the log of the service has the cause.`);
      }
      return false;
    }
  }

  #stateOf({ id }: RebuildRow): UnderWay {
    const underWay = this.#underWay.get(id);
    if (!underWay) throw new Error(`The rebuild ${id} is not due`);
    return underWay;
  }

  async #carryOn(rebuild: RebuildRow): Promise<void> {
    if (!(await this.#options.projects.find(rebuild.project_id))) return await this.#fail(rebuild, 'deleted');
    if (rebuild.state === 'queued') return await this.#start(rebuild);
    if (rebuild.mark === null || rebuild.position === null) return await this.#measure(rebuild);
    if (rebuild.position >= rebuild.mark) return await this.#finish(rebuild);
    if (isOfPricesAlone(rebuild)) return await this.#copy(rebuild, rebuild.position, rebuild.mark);
    await this.#take(rebuild, rebuild.position, rebuild.mark);
  }

  /** From now on assembly writes the new generation too, whose days are in the timezone in force or the new one. */
  async #start(rebuild: RebuildRow): Promise<void> {
    const { store, control, logger } = this.#options;
    const generations = await readGenerations(control, rebuild.project_id);
    const { timezone } = generations;
    // Copy the runs before any call is written: a call that continues a run of frozen days must be found to cross.
    if (rebuild.date_from === null) await copyFrozenRuns(store, rebuild, generations);
    // Its log is read from the beginning, so ids that could not be assembled are tried again.
    if (rebuild.kind === 'rebuild') await takeSetAsideBack(control, rebuild.project_id);
    await this.#update(rebuild, {
      state: 'running',
      ...(rebuild.kind !== 'timezone' && { timezone }),
    });
    logger.info({ rebuild: rebuild.id, kind: rebuild.kind }, 'a rebuild begins');
    await this.#options.afterStep?.('start');
  }

  /** Records where in the log the rebuild begins and ends. */
  async #measure(rebuild: RebuildRow): Promise<void> {
    const { store, control } = this.#options;
    const { project_id: projectId, date_from: dateFrom, date_to: dateTo } = rebuild;
    if (isOfPricesAlone(rebuild)) {
      await this.#update(rebuild, spanOf(await this.#countCalls(rebuild)));
      return await this.#options.afterStep?.('span');
    }
    const calls =
      dateFrom === null || dateTo === null
        ? undefined
        : callsOf(projectId, { dateFrom, dateTo }, await readGenerations(control, projectId));
    const span = await readSpan(store, projectId, calls);
    await this.#update(rebuild, {
      position: span?.after ?? 0,
      mark: span?.to ?? 0,
      events_total: span?.events ?? 0,
    });
    await this.#options.afterStep?.('span');
  }

  async #countCalls(rebuild: RebuildRow): Promise<ReadonlyMap<Day, number>> {
    const underWay = this.#stateOf(rebuild);
    underWay.callsByDay ??= await countCalls(this.#options, rebuild);
    return underWay.callsByDay;
  }

  /** Copies the next calls into the new generation. */
  async #copy(rebuild: RebuildRow, position: number, mark: number): Promise<void> {
    const { maxEvents, afterStep } = this.#options;
    const callsByDay = await this.#countCalls(rebuild);
    const most = (copiedForEvent * maxEvents) / this.#stateOf(rebuild).smaller;
    const next = await copyNext(this.#options, rebuild, { position, callsByDay, most });
    await afterStep?.('calls');
    const { position: after, copied } = next ?? { position: mark, copied: 0 };
    await this.#update(rebuild, { position: after, events_done: rebuild.events_done + copied });
    await afterStep?.('position');
  }

  /** Takes the next events, and writes the calls that begin with them to the new generation. */
  async #take(rebuild: RebuildRow, position: number, mark: number): Promise<void> {
    const { store, control, lease, priceBooks, afterStep } = this.#options;
    const { project_id: projectId } = rebuild;
    const underWay = this.#stateOf(rebuild);
    const isReread = rebuild.reread === 1;
    const most = isReread ? Math.min(this.#options.maxEvents, underWay.rereadEvents) : this.#options.maxEvents;
    const maxEvents = Math.ceil(most / underWay.smaller);
    // Taken before the log is read, as in assembly.
    const version = await lease.nextVersion();
    const window = await readNextWindow(store, { projectId, after: position, to: mark }, maxEvents);
    if (!window) return await this.#update(rebuild, { position: mark });
    if (rebuild.kind === 'rebuild') await noteIds(store, window);
    const projects = await readRereadProjects(control);
    const merged = await mergeWindow({ store, projects, setAside: await readSetAsideIds(control) }, window);
    if (rebuild.kind === 'rebuild') await this.#options.reportKeys.note(merged.keys);
    await afterStep?.('merge');
    const contexts = toRebuildContexts(rebuild, {
      books: await priceBooks.ofProject(projectId),
      generations: await readGenerations(control, projectId),
      rereads: await readAppliedRereads(control, projectId),
      joinsAlike: (await this.#options.projects.find(projectId))?.joinAlike ?? true,
    });
    const [context] = contexts;
    const all = [...merged.calls, ...merged.related];
    const read = isReread ? await rereadCalls(store, all, { rebuild, version, context }) : { calls: all, length: 0 };
    await afterStep?.('reread');
    // How many events have texts of about `rereadLength` in total, judged by the texts of this step.
    const fitting = Math.ceil((maxEvents * rereadLength) / Math.max(read.length, 1));
    underWay.rereadEvents = Math.min(fitting, 4 * maxEvents);
    const rows: CallRow[] = [];
    for (const each of contexts) {
      const joined = await joinCalls(read.calls, merged.spans, each);
      // The calls of other windows were read to decide which reports are of one request.
      await inTurns(joined.slice(0, merged.calls.length), (call) => rows.push(...costCall(call, version, each)));
    }
    await writeCalls(this.#options, rows);
    await afterStep?.('calls');
    await this.#update(rebuild, { position: window.to, events_done: rebuild.events_done + window.events });
    await afterStep?.('position');
  }

  async #finish(rebuild: RebuildRow): Promise<void> {
    const { store, control, logger, projects, priceBooks, clock, lease, touchedDays, afterStep } = this.#options;
    const generations = await readGenerations(control, rebuild.project_id);
    const keptFrom = generations.frozenBefore;
    const rows = rowsOfBoth(rebuild, generations);
    const underWay = this.#stateOf(rebuild);
    underWay.draft ??= await ComparisonDraft.begin(store, rows);
    if (await underWay.draft.addMonth(store, rows)) return;
    const diff = underWay.draft.finish(rebuild, { keptFrom, earned: await this.#readEarned(rebuild, keptFrom) });
    const filledDays = await this.#readFilledDays(rebuild);
    await afterStep?.('diff');
    const isFinished = await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await lockProject(transaction, rebuild.project_id);
      if (await mustWaitForBackup(transaction, rebuild, clock())) return false;
      if (rebuild.dry_run === 0) await putInForce(transaction, rebuild, { filledDays, keptFrom }, clock());
      if (rebuild.kind === 'timezone') await requestRemake(transaction, rebuild.project_id);
      await changeRows(
        transaction,
        'rebuilds',
        { id: rebuild.id },
        { state: 'done', finished_at: clock(), comparison: JSON.stringify(diff), events_done: rebuild.events_total },
      );
      return true;
    });
    if (!isFinished) {
      underWay.retryAt = performance.now() + retryMs;
      return;
    }
    touchedDays.forgetAll();
    projects.forget(rebuild.project_id);
    await afterStep?.('in-force');
    // For events received from now on, the effective days of overrides are in the new timezone.
    if (rebuild.kind === 'timezone') await priceBooks.activateFor(rebuild.project_id);
    const outcome = rebuild.dry_run === 0 ? 'is in force' : 'was tried';
    logger.info(
      { rebuild: rebuild.id, kind: rebuild.kind, before: diff.before, after: diff.after },
      `a rebuild ${outcome}`,
    );
  }

  /** The revenue of a project of type revenue on the days of a reprice, for the margins in its comparison. */
  async #readEarned(rebuild: RebuildRow, keptFrom: Day | undefined): Promise<Earned | undefined> {
    const { project_id: projectId, date_from: from, date_to: dateTo } = rebuild;
    if (from === null || dateTo === null) return undefined;
    const project = await this.#options.projects.find(projectId);
    if (project?.type !== 'revenue') return undefined;
    const dateFrom = keptFrom !== undefined && keptFrom > from ? keptFrom : from;
    return await this.#options.readEarned(projectId, { dateFrom, dateTo });
  }

  async #readFilledDays({ project_id: project, generation }: RebuildRow): Promise<Day[]> {
    const rows = await this.#options.store.select<{ day: Day }>(
      'SELECT DISTINCT day FROM calls WHERE project = {project:String} AND generation = {generation:UInt64} ORDER BY day',
      { project, generation },
    );
    return rows.map(({ day }) => day);
  }

  async #update(rebuild: RebuildRow, change: Partial<RebuildRow>): Promise<void> {
    const { control, lease } = this.#options;
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      await transaction.updateTable('rebuilds').set(change).where('id', '=', rebuild.id).execute();
    });
  }

  async #fail(rebuild: RebuildRow, failure: string): Promise<void> {
    const { control, lease, clock, projects, logger } = this.#options;
    await control.transaction().execute(async (transaction: ControlQueries) => {
      await lease.confirm(transaction);
      await changeRows(transaction, 'rebuilds', { id: rebuild.id }, { state: 'failed', failure, finished_at: clock() });
      if (rebuild.kind !== 'timezone') return;
      await changeRows(transaction, 'projects', { id: rebuild.project_id }, { pending_timezone: null });
    });
    projects.forget(rebuild.project_id);
    logger.error({ rebuild: rebuild.id, kind: rebuild.kind, failure }, 'a rebuild was given up; nothing has changed');
  }
}

/**
 * Whether to wait until a backup has ended. A backup copies the later contents first and the control store later. A reread
 * that takes effect in between would be in force in the backup without its contents.
 */
const mustWaitForBackup = async (transaction: ControlQueries, { reread }: RebuildRow, now: number): Promise<boolean> =>
  reread === 1 && (await isBackupUnderWay(transaction, now));

/** The condition for rows in force and rows of the new generations, on the days that the rebuild covers. */
function rowsOfBoth(rebuild: RebuildRow, generations: Generations): Clause {
  const { project_id: project, date_from: from, date_to: to, generation } = rebuild;
  const current = inForce(generations);
  const days = from !== null && to !== null ? 'AND day >= {from:Date} AND day <= {to:Date}' : '';
  const { frozenBefore: keptFrom } = generations;
  const kept = keptFrom === undefined ? '' : 'AND day >= {kept_from:Date}';
  return {
    sql: `project = {project:String} ${days} ${kept} AND (${current.sql} OR generation IN ({new_generation:UInt64}, {reread_generation:UInt64}))`,
    parameters: {
      ...current.parameters,
      project,
      new_generation: generation,
      reread_generation: rereadGenerationOf(rebuild) ?? generation,
      ...(days && { from, to }),
      ...(kept && { kept_from: keptFrom }),
    },
  };
}

/** Copies the recorded runs of frozen days from the generation in force to the new one. Can be repeated. */
async function copyFrozenRuns(
  store: RebuilderOptions['store'],
  { project_id: project, generation }: RebuildRow,
  { base, frozenBefore: keptFrom }: Generations,
): Promise<void> {
  if (keptFrom === undefined) return;
  const known = 'project = {project:String} AND base_generation = {base_generation:UInt64}';
  const parameters = { project, base_generation: base, new_generation: generation };
  await store.command(
    `INSERT INTO crossing_runs (project, base_generation, run_hash)
      SELECT project, {new_generation:UInt64}, run_hash FROM crossing_runs WHERE ${known}`,
    parameters,
  );
  await store.command(
    `INSERT INTO runs (project, base_generation, run_hash, first_day, last_day, first_customer, last_customer)
      SELECT project, {new_generation:UInt64}, run_hash, first_day, last_day, first_customer, last_customer
      FROM runs WHERE ${known} AND first_day < {kept_from:Date}`,
    { ...parameters, kept_from: keptFrom },
  );
}
