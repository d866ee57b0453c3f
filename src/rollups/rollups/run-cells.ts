import { tagsOfColumns } from '../../calls/costing/call-tags.ts';
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
  ...runCellEntries.values(),
  'costs',
  'tags',
  'has_tags',
].join(', ');

const names = [...runCellEntries.keys()].join(', ');
const entries = [...runCellEntries].map(([name, column]) => `groupArray(${name}) AS ${column}`).join(', ');

/** Rows of more calls, or whose calls have more keys of tags, keep none: each key takes an entry for each call. */
const mostCalls = 100_000;
const mostKeys = 32;

/** The tags of some calls by key, an entry for each call, but for those whose text stands in columns; and whether they are kept. */
const entriesOfTags = `arrayFilter(
          tag -> tag NOT IN (${tagsOfColumns.map((tag) => `'${tag}'`).join(', ')}),
          groupUniqArrayArray(${mostKeys + tagsOfColumns.length + 1})(mapKeys(call_tags))
        ) AS keys,
        count() <= ${mostCalls} AND length(keys) <= ${mostKeys} AS has_tags,
        CAST((
          if(has_tags, keys, emptyArrayString()) AS kept,
          arrayMap(tag -> arrayMap(of_call -> of_call[tag], groupArray(${mostCalls})(call_tags)), kept)
        ), 'Map(LowCardinality(String), Array(String))') AS tags`;

/** Of a customer without features, calls with other keys of tags are in other rows, and so are many calls. */
const shareOfCalls = 'mapKeys(call_tags), sipHash64(call_tags) % 32';

/**
 * Selects the rows of `run_cells`: one for each feature run, day and customer, with the entries, cost and tags of
 * each of its calls. So a run that does not cross has one row. Calls without a feature are in no feature run, so those of
 * a customer have a few rows, and the costs of equal ones are summed. Needs the parameters `project` and `base_generation`.
 */
export const selectRunCells = (where: Clause): Clause => ({
  sql: `
      SELECT day, customer, part_feature AS feature, if(${areCrossing}, ${featureRun}, ${notCrossing}) AS crossing_run,
        ${entries}, groupArray(cost) AS costs,
        ${entriesOfTags}
      FROM (
        SELECT day, customer, feature AS part_feature, ${runHash} AS run_hash, ${names}, cost, calls.tags AS call_tags
        FROM calls FINAL
        WHERE ${where.sql} AND feature != ''
      )
      GROUP BY day, customer, part_feature, run_hash
      UNION ALL
      SELECT day, customer, '', ${notCrossing}, ${entries},
        groupArray(equal_cost), ${entriesOfTags}
      FROM (
        SELECT day, customer, ${names}, sum(cost) AS equal_cost, calls.tags AS call_tags
        FROM calls FINAL
        WHERE ${where.sql} AND feature = ''
        GROUP BY day, customer, ${names}, call_tags
      )
      GROUP BY day, customer, ${shareOfCalls}`,
  parameters: where.parameters,
});
