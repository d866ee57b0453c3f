import type { Dimension } from '../../lib/dimensions.ts';
import { type CellTag, columnsOfRuns, crossingColumn, type RunsWanted, sumRuns } from '../../rollups/rollups/cells.ts';
import { dimensionsOf, type RunGrain } from '../../rollups/rollups/grains.ts';
import { notCrossing } from '../../rollups/rollups/run-cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { runCellEntries as entries, pieceDimensions } from '../../storage/analytic/tables/rollups.ts';
import {
  type CellScope,
  type CellSource,
  onOpenDays,
  onSealedDays,
  resolveRowsRead,
  selectOpen,
  splitDays,
} from './cells.ts';
import { all, type ValuesFilter } from './where.ts';

/** The grains whose cells can be made from `run_cells`, with any filters. */
export type RowGrain = Extract<RunGrain, 'total' | 'tag' | Dimension>;

export interface RunCellsWanted {
  readonly grain: RowGrain;
  readonly runs: Exclude<RunsWanted, 'none'>;
  /** Filters by any dimension but the user. */
  readonly filters: readonly ValuesFilter[];
  /** The tag of the grain by one. Those whose text stands in columns have no entries. */
  readonly tag: CellTag | undefined;
}

/**
 * Cells for filters that no grain has (docs/decisions/0009), of runs of sealed days and calls of open ones. Frozen and
 * pinned days have no rows of runs.
 */
export function readRunCells(scope: CellScope, { grain, runs, filters, tag }: RunCellsWanted): CellSource {
  const { sealed, open } = splitDays(scope);
  return joinSources(scope, {
    stored: selectRows({ grain, runs, filters, tag, seals: onSealedDays(scope, sealed, 'seals') }),
    ofOpen: selectOpen(scope, open, { grain, measures: ['cost'], runs, filters, tag }),
    columns: ['day', ...dimensionsOf(grain), 'cost', ...columnsOfRuns(runs)],
  });
}

/** The costs of the same calls, with every dimension but the user. */
export function readCostsOfRuns(
  scope: CellScope,
  { filters, tag }: Pick<RunCellsWanted, 'filters' | 'tag'>,
): CellSource {
  const { sealed, open } = splitDays(scope);
  const columns = ['day', ...pieceDimensions, 'cost'];
  const selected = (ofTag: string) => [...columns, ...(tag ? [`${ofTag} AS tag`] : [])].join(', ');
  const where = all([onSealedDays(scope, sealed, 'seals'), ...filters]);
  const calls = all([onOpenDays(scope, open), ...filters]);
  return joinSources(scope, {
    stored: {
      sql: `SELECT ${selected('tag_of_call')} FROM run_cells
        ARRAY JOIN ${[...entries]
          .map(([name, each]) => `${each} AS ${name}`)
          .join(', ')}, costs AS cost${tag ? `, ${entriesOfTag} AS tag_of_call` : ''} WHERE ${where.sql}`,
      parameters: joinParameters(where.parameters, parametersOf(tag)),
    },
    ofOpen: {
      sql: `SELECT ${selected(tag?.value.sql ?? '')} FROM calls FINAL WHERE ${calls.sql}`,
      parameters: joinParameters(calls.parameters, tag?.value.parameters),
    },
    columns: [...columns, ...(tag ? ['tag'] : [])],
  });
}

interface Sources {
  readonly stored: Clause;
  readonly ofOpen: Clause;
  readonly columns: readonly string[];
}

/** Rows of sealed days and of open days, as far as there are any. */
function joinSources(scope: CellScope, { stored, ofOpen, columns }: Sources): CellSource {
  const { sealed, open } = splitDays(scope);
  const parts = [...(sealed.length > 0 || open.length === 0 ? [stored] : []), ...(open.length > 0 ? [ofOpen] : [])];
  return {
    from: `(${parts.map(({ sql }) => `SELECT ${columns.join(', ')} FROM (${sql})`).join(' UNION ALL ')}) AS cells`,
    where: {
      sql: '1',
      parameters: joinParameters(
        open.length > 0 ? { base_generation: scope.generations.base } : {},
        ...parts.map(({ parameters }) => parameters),
      ),
    },
    rows: resolveRowsRead(scope),
  };
}

/** The values of a tag in the calls of a row. */
const entriesOfTag = "arrayResize(tags[{run_tag:String}], length(costs), '')";
const parametersOf = (tag: CellTag | undefined) => (tag ? { run_tag: tag.key } : {});

/** Rows of more calls are grouped by a map: the time to compare each call with each value grows with their square. */
const mostCompared = 100;

/** Cells of a grain from rows of `run_cells`. Filters by dimensions with entries select among the calls of each row. */
function selectRows({ grain, runs, filters, tag, seals }: RunCellsWanted & { readonly seals: Clause }): Clause {
  const [grouped] = dimensionsOf(grain);
  const ofCalls = filters.filter(({ dimension }) => entries.has(dimension));
  // The arrays are most of a row's bytes, so they are read only for rows that pass the other filters.
  const ofRows = all([seals, ...filters.filter(({ dimension }) => !entries.has(dimension))]);
  const keep = keepEntries(ofCalls);
  const key = ['day', ...(grouped ? [grouped] : [])].join(', ');
  const crossing = `, groupArrayIf((crossing_run, row_cost), crossing_run != ${notCrossing}) AS ${crossingColumn}`;
  const selectKept = (columns: string, size = '') => `
          SELECT ${columns}, feature AS run_feature, crossing_run, ${keep('costs')} AS kept_costs
          FROM run_cells PREWHERE ${ofRows.sql}${size}`;
  const ofEach = grouped === 'tag' ? entriesOfTag : grouped && entries.get(grouped);
  const names = `day, ${keep(ofEach || '')} AS kept_names`;
  const byMap = `
        SELECT day, sum_of.1 AS tag, run_feature, crossing_run, sum_of.2 AS row_cost
        FROM (${selectKept(names, ` AND length(costs) > ${mostCompared}`)})
        ARRAY JOIN CAST(arrayReduce('sumMap', arrayMap((name, cost) -> map(name, cost), kept_names, kept_costs)), 'Array(Tuple(String, Decimal(38, 12)))') AS sum_of`;
  const rows = ofEach
    ? `
        SELECT day, value AS ${grouped}, run_feature, crossing_run,
          arraySum(arrayFilter((cost, name) -> name = value, kept_costs, kept_names)) AS row_cost
        FROM (${selectKept(names, grouped === 'tag' ? ` AND length(costs) <= ${mostCompared}` : '')})
        ARRAY JOIN arrayDistinct(kept_names) AS value
        ${grouped === 'tag' ? `UNION ALL ${byMap}` : ''}`
    : `
        SELECT ${key}, run_feature, crossing_run, arraySum(kept_costs) AS row_cost
        FROM (${selectKept(key)}) WHERE notEmpty(kept_costs)`;
  return {
    sql: `
      SELECT ${key}, sum(row_cost) AS cost, ${sumRuns({ feature: 'run_feature', cost: 'row_cost' }).join(', ')}
        ${runs === 'crossing' ? crossing : ''}
      FROM (${rows})
      GROUP BY ${key}`,
    parameters: joinParameters(ofRows.parameters, parametersOf(tag), ...ofCalls.map(({ parameters }) => parameters)),
  };
}

/** SQL that keeps the entries of an array whose calls pass the filters; their columns are the lambda's arguments. */
function keepEntries(filters: readonly ValuesFilter[]): (array: string) => string {
  const dimensions = filters.map(({ dimension }) => dimension);
  if (dimensions.length === 0) return (array) => array;
  const [names, others] = [dimensions.join(', '), dimensions.map((dimension) => entries.get(dimension)).join(', ')];
  return (array) => `arrayFilter((entry, ${names}) -> ${all(filters).sql}, ${array}, ${others})`;
}
