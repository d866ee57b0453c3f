import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import { type Clause, setOf } from '../../clickhouse/clause.ts';
import type { ControlStore } from '../../control/control-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { toDayNumber } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Lease } from '../assembly/lease.ts';
import type { BackgroundJob } from '../background-job.ts';
import { type Generations, readGenerations } from '../generations.ts';
import { callsOf } from '../in-force.ts';
import {
  allMeasures,
  columnsOfRuns,
  crossingColumn,
  measuresOf,
  noneCrossing,
  runColumns,
  selectCells,
} from './cells.ts';
import { SealCleaner } from './clean-up.ts';
import { noteSealed, readUnsealedDays, type UnsealedDay } from './days.ts';
import { type CellTable, cellTables, dimensionsOf, type Grain, grainNames, isRunGrain, tablesOf } from './grains.ts';
import { sealColumn, sealOf } from './seal-numbers.ts';
import type { TouchedDays } from './touched-days.ts';

export interface SealerOptions {
  readonly store: Pick<AnalyticStore, 'select' | 'command' | 'commandOnce'>;
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly touchedDays: TouchedDays;
  /** How long a day must be untouched before it is sealed, in milliseconds. */
  readonly quietMs: number;
  readonly onSealed?: (days: number) => void;
}

/** The most calls sealed at once; bounds how long assembly waits. */
const maxCallsAtOnce = 100_000;
/** The most days considered at once. */
const maxDaysAtOnce = 1_000;
const withinMs = 30_000;
/** The pause after a step while more urgent work waits, as a multiple of the time that the step took. */
const restPerWork = 4;

/**
 * Seals days that are over and quiet: writes their rollups under a new seal, then makes the seal valid unless the day
 * was touched meanwhile. A crash in between leaves rows that no answer reads. A seal gets its rows once; a retry uses a
 * new seal.
 */
export class Sealer implements BackgroundJob {
  readonly name = 'seal';
  readonly restsDuringBackup = false;
  readonly #options: SealerOptions;
  readonly #cleaner: SealCleaner;
  #waitsUntil = 0;

  constructor(options: SealerOptions) {
    this.#options = options;
    this.#cleaner = new SealCleaner(options);
  }

  /**
   * Seals some days; true when there may be more. While more urgent work waits, sealing gets a small share of the time.
   */
  async step({ isBusy }: { readonly isBusy: boolean } = { isBusy: false }): Promise<boolean> {
    const { control, clock, lease, logger, quietMs } = this.#options;
    const now = clock();
    if (isBusy && performance.now() < this.#waitsUntil) return false;
    const waiting = await readUnsealedDays(control, { quietSince: now - quietMs, now, most: maxDaysAtOnce });
    const projectId = waiting[0]?.projectId;
    if (projectId === undefined) {
      await this.#cleaner.step();
      return false;
    }
    const generations = await readGenerations(control, projectId);
    const days = await this.#takeSome(projectId, waiting, generations);
    if (days.length === 0) return false;
    const version = await lease.nextVersion();
    const startedAt = performance.now();
    await this.#writeCells(days, generations, version);
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      for (const day of days) await noteSealed(transaction, day, sealOf(version, day.day));
    });
    this.#options.touchedDays.forgetAll();
    this.#waitsUntil = performance.now() + restPerWork * (performance.now() - startedAt);
    this.#options.onSealed?.(days.length);
    const elapsedMs = Math.round(performance.now() - startedAt);
    logger.debug({ days: days.length, from: days[0]?.day, elapsedMs }, 'days were sealed');
    return true;
  }

  /** The first days, in one month, that together have at most `maxCallsAtOnce` calls, and at least one day. */
  async #takeSome(projectId: string, days: readonly UnsealedDay[], generations: Generations): Promise<UnsealedDay[]> {
    const month = days[0]?.day.slice(0, 7);
    const ofMonth = days.filter(({ day }) => day.startsWith(month ?? '-'));
    const [first, last] = [ofMonth[0], ofMonth.at(-1)];
    if (!first || !last) return [];
    const where = callsOf(projectId, { dateFrom: first.day, dateTo: last.day }, generations);
    const counts = await this.#options.store.select<{ day: string; calls: string }>(
      `SELECT day, count() AS calls FROM calls WHERE ${where.sql} GROUP BY day`,
      where.parameters,
      withinMs,
    );
    const callsByDay = new Map(counts.map(({ day, calls }) => [day, Number(calls)]));
    const taken: UnsealedDay[] = [];
    let calls = 0;
    for (const day of ofMonth) {
      calls += callsByDay.get(day.day) ?? 0;
      if (taken.length > 0 && calls > maxCallsAtOnce) break;
      taken.push(day);
    }
    return taken;
  }

  /** One INSERT per table: one part, and one wait for the disk. */
  async #writeCells(days: readonly UnsealedDay[], generations: Generations, version: number): Promise<void> {
    const where = onDays(days, generations);
    const parameters = { ...where.parameters, base_generation: generations.base, seal_version: version };
    for (const table of ['narrow_cells', 'cells'] as const) {
      const dimensions = cellTables[table];
      const columns = ['day', ...dimensions, ...allMeasures, ...columnsOfRuns('crossing')].join(', ');
      const grains = grainNames
        .filter((grain) => tablesOf(grain).includes(table))
        .map((grain) => selectGrain(grain, table, where));
      await this.#options.store.commandOnce(
        `INSERT INTO ${table} (project, grain, seal, ${columns})
          SELECT {project:String}, grain, ${sealColumn}, ${columns} FROM (${grains.join(' UNION ALL ')})`,
        parameters,
      );
    }
    await this.#copyCustomerCells(days, version);
  }

  /**
   * Copies `cells` to `customer_cells`: aggregating the calls again would cost as much as all other tables together.
   */
  async #copyCustomerCells(days: readonly UnsealedDay[], version: number): Promise<void> {
    const [first, last] = [days[0], days.at(-1)];
    const grains = grainNames.filter((grain) => tablesOf(grain).includes('customer_cells'));
    const columns = [
      'day',
      ...cellTables.customer_cells,
      ...measuresOf('customer', 'customer_cells'),
      ...columnsOfRuns('crossing'),
    ].join(', ');
    await this.#options.store.commandOnce(
      `INSERT INTO customer_cells (project, grain, seal, ${columns})
        SELECT project, grain, seal, ${columns} FROM cells
        WHERE project = {project:String} AND grain IN {grains:Array(String)} AND day >= {first:Date} AND day <= {last:Date}
          AND seal IN ${setOf('new_seals', 'UInt64', days)}`,
      {
        project: first?.projectId,
        grains,
        first: first?.day,
        last: last?.day,
        new_seals: days.map(({ day }) => sealOf(version, day)),
      },
    );
  }
}

/** SQL for the cells of a grain with every column of a table; columns that the grain lacks are empty. */
function selectGrain(grain: Grain, table: CellTable, where: Clause): string {
  const own: ReadonlySet<string> = new Set(dimensionsOf(grain));
  const measures = new Set(measuresOf(grain, table));
  const hasRuns = isRunGrain(grain);
  const { sql } = selectCells({ grain, measures: [...measures], runs: hasRuns ? 'crossing' : 'none', where });
  const columns = [
    ...cellTables[table].map((name) => (own.has(name) ? `toString(${name}) AS ${name}` : `'' AS ${name}`)),
    ...allMeasures.map((measure) =>
      measures.has(measure) ? measure : `fromUnixTimestamp64Milli(0, 'UTC') AS ${measure}`,
    ),
    ...(hasRuns
      ? columnsOfRuns('crossing')
      : [...runColumns.map((name) => `0 AS ${name}`), `${noneCrossing} AS ${crossingColumn}`]),
  ];
  return `SELECT '${grain}' AS grain, day, ${columns.join(', ')} FROM (${sql})`;
}

function onDays(days: readonly UnsealedDay[], generations: Generations) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new Error('There is no day to seal');
  const span = callsOf(first.projectId, { dateFrom: first.day, dateTo: last.day }, generations);
  return {
    sql: `${span.sql} AND toUInt16(day) IN ${setOf('sealed_days', 'UInt16', days)}`,
    parameters: { ...span.parameters, sealed_days: days.map(({ day }) => toDayNumber(day)) },
  };
}
