import type { Generations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { addDays, type Day, toDayNumber } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type Clause, setOf } from '../../storage/analytic/clause.ts';
import { cellTables } from '../../storage/analytic/tables/rollups.ts';
import { columnsOfRuns, measuresIn } from './cells.ts';
import { grainNames, sealedTag, tablesOf } from './grains.ts';
import { runCellColumns, selectRunCells } from './run-cells.ts';
import { sealColumn, sealOf } from './seal-numbers.ts';
import { selectGrains } from './select-grains.ts';

type Store = Pick<AnalyticStore, 'select' | 'commandOnce'>;

/** Days of one project, within half a year, whose cells are written. */
export interface DaysToSeal {
  readonly projectId: string;
  /** In order. */
  readonly days: readonly Day[];
  readonly generations: Generations;
  /** The tags of calls that the project names as dimensions. */
  readonly tags: readonly string[];
}

/** The most calls sealed at once, because assembly waits meanwhile. */
const maxCallsAtOnce = 100_000;
/** The longest span of days sealed at once. It limits the partitions that one INSERT writes to. */
const maxSpanDays = 184;
const withinMs = 30_000;

/** The first days within half a year that have at most `maxCallsAtOnce` calls in total; at least one day. */
export async function takeDays(
  store: Store,
  { projectId, days, generations }: Omit<DaysToSeal, 'tags'>,
): Promise<Day[]> {
  const [first] = days;
  if (first === undefined) return [];
  const before = addDays(first, maxSpanDays);
  const ofSpan = days.filter((day) => day < before);
  const where = onDays({ projectId, days: ofSpan, generations });
  const counts = await store.select<{ day: string; calls: string }>(
    `SELECT day, count() AS calls FROM calls WHERE ${where.sql} GROUP BY day`,
    where.parameters,
    withinMs,
  );
  const callsByDay = new Map(counts.map(({ day, calls }) => [day, Number(calls)]));
  const taken: Day[] = [];
  let calls = 0;
  for (const day of ofSpan) {
    calls += callsByDay.get(day) ?? 0;
    if (taken.length > 0 && calls > maxCallsAtOnce) break;
    taken.push(day);
  }
  return taken;
}

/** Writes the cells of days under the seals of a new version, with one INSERT per table. */
export async function writeCells(store: Store, wanted: DaysToSeal, version: number): Promise<void> {
  const { generations, tags } = wanted;
  const where = onDays(wanted);
  const parameters = { ...where.parameters, base_generation: generations.base, seal_version: version };
  for (const table of ['narrow_cells', 'cells', ...(tags.length > 0 ? (['tag_cells'] as const) : [])] as const) {
    const columns = ['day', ...cellTables[table], ...measuresIn(table), ...columnsOfRuns('crossing')].join(', ');
    await store.commandOnce(
      `INSERT INTO ${table} (project, grain, seal, ${columns})
          SELECT {project:String}, grain, ${sealColumn}, ${columns} FROM (${selectGrains(table, where)})`,
      { ...parameters, ...(table === 'tag_cells' && { named_tags: tags }) },
    );
  }
  if (tags.length > 0) await markTags(store, wanted, version);
  const runs = selectRunCells(where);
  await store.commandOnce(
    `INSERT INTO run_cells (project, seal, ${runCellColumns})
        SELECT {project:String}, ${sealColumn}, ${runCellColumns} FROM (${runs.sql})`,
    parameters,
  );
  await copyCustomerCells(store, wanted, version);
}

/** Notes which tags the seals have cells of: a day without the calls of one has none that would say so. */
async function markTags(store: Store, { projectId, days, tags }: DaysToSeal, version: number): Promise<void> {
  await store.commandOnce(
    `INSERT INTO tag_cells (project, grain, day, seal, tag_key)
        SELECT {project:String}, '${sealedTag}', toDate(day_number) AS day, ${sealColumn}, tag_key
        FROM (SELECT arrayJoin({sealed_days:Array(UInt16)}) AS day_number, arrayJoin({named_tags:Array(String)}) AS tag_key)`,
    { project: projectId, sealed_days: days.map(toDayNumber), named_tags: tags, seal_version: version },
  );
}

/** Copies `cells` to `customer_cells`. Aggregating the calls again would cost as much as all other tables together. */
async function copyCustomerCells(store: Store, { projectId, days }: DaysToSeal, version: number): Promise<void> {
  const grains = grainNames.filter((grain) => tablesOf(grain).includes('customer_cells'));
  const columns = [
    'day',
    ...cellTables.customer_cells,
    ...measuresIn('customer_cells'),
    ...columnsOfRuns('crossing'),
  ].join(', ');
  await store.commandOnce(
    `INSERT INTO customer_cells (project, grain, seal, ${columns})
        SELECT project, grain, seal, ${columns} FROM cells
        WHERE project = {project:String} AND grain IN {grains:Array(String)} AND day >= {first:Date} AND day <= {last:Date}
          AND seal IN ${setOf('new_seals', 'UInt64', days)}`,
    {
      project: projectId,
      grains,
      first: days[0],
      last: days.at(-1),
      new_seals: days.map((day) => sealOf(version, day)),
    },
  );
}

function onDays({ projectId, days, generations }: Omit<DaysToSeal, 'tags'>): Clause {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new Error('There is no day to seal');
  const span = callsOf(projectId, { dateFrom: first, dateTo: last }, generations);
  return {
    sql: `${span.sql} AND toUInt16(day) IN ${setOf('sealed_days', 'UInt16', days)}`,
    parameters: { ...span.parameters, sealed_days: days.map(toDayNumber) },
  };
}
