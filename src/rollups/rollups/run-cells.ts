import type { Clause } from '../../storage/analytic/clause.ts';
import { runCellEntries, runCellKeys } from '../../storage/analytic/tables/rollups.ts';
import { areCrossing, featureRun, runHash } from './cells.ts';

/** The `crossing_run` of a row whose run does not cross. */
export const notCrossing = "toFixedString('', 16)";

/** The columns of `run_cells` that are selected from calls, in order. */
export const runCellColumns = ['day', ...runCellKeys, 'crossing_run', ...Object.values(runCellEntries), 'costs'].join(
  ', ',
);

const entries = Object.entries(runCellEntries);
const names = entries.map(([name]) => name).join(', ');

/**
 * Selects the rows of `run_cells`: one for each feature run, day and customer, with provider, model and cost of each of
 * its calls. So a run that does not cross has one row. Calls without a feature are in no feature run, so their costs
 * are only summed. Needs the parameters `project` and `base_generation`.
 */
export const selectRunCells = (where: Clause): Clause => ({
  sql: `
      SELECT day, customer, part_feature AS feature, if(${areCrossing}, ${featureRun}, ${notCrossing}) AS crossing_run,
        ${entries.map(([name, each]) => `groupArray(${name}) AS ${each}`).join(', ')}, groupArray(cost) AS costs
      FROM (
        SELECT day, customer, feature AS part_feature, ${runHash} AS run_hash, ${names}, cost
        FROM calls FINAL
        WHERE ${where.sql} AND feature != ''
      )
      GROUP BY day, customer, part_feature, run_hash
      UNION ALL
      SELECT day, customer, '', ${notCrossing}, ${entries.map(([name]) => `[${name}]`).join(', ')}, [sum(cost)]
      FROM calls FINAL
      WHERE ${where.sql} AND feature = ''
      GROUP BY day, customer, ${names}`,
  parameters: where.parameters,
});
