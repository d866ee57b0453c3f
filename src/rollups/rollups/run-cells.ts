import type { Clause } from '../../storage/analytic/clause.ts';
import { areCrossing, featureRun, runHash } from './cells.ts';

/** The `crossing_run` of a row whose run does not cross. */
export const notCrossing = "toFixedString('', 16)";

/** The columns of `run_cells` that are selected from calls, in order. */
export const runCellColumns = 'day, customer, feature, crossing_run, providers, models, costs';

/**
 * Selects the rows of `run_cells`: one for each feature run, day and customer, with provider, model and cost of each of
 * its calls. So a run that does not cross has one row. Calls without a feature are in no feature run, so their costs
 * are only summed. Needs the parameters `project` and `base_generation`.
 */
export const selectRunCells = (where: Clause): Clause => ({
  sql: `
      SELECT day, customer, part_feature AS feature, if(${areCrossing}, ${featureRun}, ${notCrossing}) AS crossing_run,
        groupArray(provider) AS providers, groupArray(model) AS models, groupArray(cost) AS costs
      FROM (
        SELECT day, customer, feature AS part_feature, ${runHash} AS run_hash, provider, model, cost
        FROM calls FINAL
        WHERE ${where.sql} AND feature != ''
      )
      GROUP BY day, customer, part_feature, run_hash
      UNION ALL
      SELECT day, customer, '', ${notCrossing}, [provider], [model], [sum(cost)]
      FROM calls FINAL
      WHERE ${where.sql} AND feature = ''
      GROUP BY day, customer, provider, model`,
  parameters: where.parameters,
});
