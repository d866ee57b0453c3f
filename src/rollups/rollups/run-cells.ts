import { tagsOfColumns } from '../../calls/call-tags.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { runCellEntries, runCellKeys } from '../../storage/analytic/tables/rollups.ts';
import { areCrossing, featureRun, runHash } from './cells.ts';

/** The `crossing_run` of a row whose run does not cross. */
export const notCrossing = "toFixedString('', 16)";

/** The columns of `run_cells` that are selected from calls, in order. */
export const runCellColumns = [
  'day',
  ...runCellKeys,
  'crossing_run',
  ...Object.values(runCellEntries),
  'costs',
  'tags',
].join(', ');

const entries = Object.entries(runCellEntries);
const names = entries.map(([name]) => name).join(', ');

/** The tags of some calls by key, an entry for each call, but for those whose text stands in columns. */
const entriesOfTags = `CAST((
          arrayFilter(tag -> tag NOT IN (${tagsOfColumns.map((tag) => `'${tag}'`).join(', ')}), groupUniqArrayArray(mapKeys(call_tags))) AS keys,
          arrayMap(tag -> arrayMap(of_call -> of_call[tag], groupArray(call_tags)), keys)
        ), 'Map(LowCardinality(String), Array(String))')`;

/**
 * Selects the rows of `run_cells`: one for each feature run, day and customer, with provider, model, cost and tags of
 * each of its calls. So a run that does not cross has one row. Calls without a feature are in no feature run, so those of
 * a customer have one row, and the costs of equal ones are summed. Needs the parameters `project` and `base_generation`.
 */
export const selectRunCells = (where: Clause): Clause => ({
  sql: `
      SELECT day, customer, part_feature AS feature, if(${areCrossing}, ${featureRun}, ${notCrossing}) AS crossing_run,
        ${entries.map(([name, each]) => `groupArray(${name}) AS ${each}`).join(', ')}, groupArray(cost) AS costs,
        ${entriesOfTags} AS tags
      FROM (
        SELECT day, customer, feature AS part_feature, ${runHash} AS run_hash, ${names}, cost, calls.tags AS call_tags
        FROM calls FINAL
        WHERE ${where.sql} AND feature != ''
      )
      GROUP BY day, customer, part_feature, run_hash
      UNION ALL
      SELECT day, customer, '', ${notCrossing}, ${entries.map(([name]) => `groupArray(${name})`).join(', ')},
        groupArray(equal_cost), ${entriesOfTags}
      FROM (
        SELECT day, customer, ${names}, sum(cost) AS equal_cost, calls.tags AS call_tags
        FROM calls FINAL
        WHERE ${where.sql} AND feature = ''
        GROUP BY day, customer, ${names}, call_tags
      )
      GROUP BY day, customer`,
  parameters: where.parameters,
});
