import { type Measure, sumOfCells } from '../../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../../storage/analytic/clause.ts';
import { usageColumns } from '../../../storage/analytic/tables/usage-columns.ts';
import { type CellSource, readCells, splitScopeOf, wholeRows } from '../../asking/cells.ts';
import { joinRecords, type PagePlan, type PlacedRecord, readInSteps } from '../../asking/page.ts';
import { afterCursor, keyOfRows } from '../../asking/period-sql.ts';
import { joinPeriods } from '../../asking/periods.ts';
import type { AnswerSources } from '../../asking/sources.ts';
import type { AsOf } from '../../facts/as-of.ts';

/** What a simulation counts of calls, with the cells' measures that add up to it: usage has many more. */
const measuresOf = { calls: ['calls'], tokens: usageColumns } as const satisfies Readonly<
  Record<string, readonly Measure[]>
>;

export type Counted = keyof typeof measuresOf;

/** The calls or tokens of a customer in a period. */
export interface CountRecord extends PlacedRecord {
  readonly count: bigint;
}

const grain = 'customer';

/** Reads the first records of a page, by period and customer, and at least one more if there are more. */
export async function readCounts(
  { project, generations }: AsOf,
  counted: Counted,
  plan: PagePlan,
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
): Promise<readonly CountRecord[]> {
  const measures = measuresOf[counted];
  return await readInSteps(plan, undefined, async (part) => {
    const period = joinPeriods(part.periods);
    if (!period) return [];
    const scopes = splitScopeOf(grain, { projectId: project.id, period, generations });
    const rows = scopes.map(async (scope) => {
      const source = readCells(scope, { grain, measures, filters: [] });
      return await answerCache.select<PlacedRecord & { readonly count_text: string }>(
        selectCounts(source, measures, part),
        [source],
      );
    });
    return joinRecords(part, (await Promise.all(rows)).flat(), (ofRow) => ({
      count: ofRow.reduce((sum, { count_text: text }) => sum + BigInt(text), 0n),
    }));
  });
}

function selectCounts({ from, where }: CellSource, measures: readonly Measure[], plan: PagePlan): Clause {
  const after = afterCursor(plan);
  const key = keyOfRows(plan, { sql: 'customer', parameters: {} });
  return {
    sql: `
      SELECT ${key.select}, toString(${measures.map((measure) => sumOfCells(measure)).join(' + ')}) AS count_text
      FROM ${from}
      WHERE (${where.sql}) AND (${after.sql})
      ${key.end}
      ${wholeRows}`,
    parameters: joinParameters(where.parameters, after.parameters, key.parameters),
  };
}
