import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CellScope, type CellsWanted, readCells } from './cells.ts';
import type { PagePlan } from './page.ts';

export interface PageOfCells {
  readonly plan: PagePlan;
  readonly scope: CellScope;
  readonly cells: Pick<CellsWanted, 'grain' | 'filters' | 'tag'>;
  /** Of a row. */
  readonly value: Clause;
}

/**
 * The plan with no value after those of the page, where one sealed day of the first period has as many: then the cells of
 * others are not added up. It reads few rows, since cells of a tag are in the order of its values within a day.
 */
export async function limitValues(
  { plan, scope, cells, value }: PageOfCells,
  answerCache: AnswerCache,
): Promise<PagePlan> {
  const [first] = plan.periods;
  if (first === undefined || first.dateFrom === first.dateTo) return plan;
  const day = [...scope.generations.seals.keys()].find((sealed) => sealed >= first.dateFrom && sealed <= first.dateTo);
  if (day === undefined) return plan;
  const { afterValue } = plan;
  const after: Clause =
    afterValue === undefined
      ? { sql: '1', parameters: {} }
      : { sql: 'value > {after_value:String}', parameters: { after_value: afterValue } };
  const source = readCells({ ...scope, period: { dateFrom: day, dateTo: day } }, { ...cells, measures: ['cost'] });
  const found = await answerCache.select<{ value: string }>(
    {
      sql: `SELECT DISTINCT ${value.sql} AS value FROM ${source.from}
        WHERE (${source.where.sql}) AND (${after.sql}) ORDER BY value LIMIT {limit:UInt32}`,
      parameters: joinParameters(source.where.parameters, value.parameters, after.parameters, {
        limit: plan.limit + 1,
      }),
    },
    [source],
  );
  const last = found[plan.limit]?.value;
  return last === undefined ? plan : { ...plan, periods: [first], upToValue: last };
}
