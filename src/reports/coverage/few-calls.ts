import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';

/** Calls of a model, as the store returns them: whole numbers and money as text. */
type Counted<Column extends string> = Readonly<Record<Column | 'provider' | 'model' | 'calls' | 'cost', string>>;

/** The most models of a list. */
export const mostModels = 1_000;

/**
 * Counts calls for which a column that is rarely set is as `condition` says, by model and a column, most calls first.
 * Whether there are any is read from the small column first: that spares most projects sorting all versions of calls.
 */
export async function countFew<Column extends string>(
  store: Pick<AnalyticStore, 'select'>,
  calls: Clause,
  { condition, by }: { readonly condition: string; readonly by: Column },
): Promise<readonly Counted<Column>[]> {
  const where = `WHERE ${calls.sql} AND ${condition}`;
  const [any] = await store.select<{ calls: string }>(`SELECT count() AS calls FROM calls ${where}`, calls.parameters);
  if (Number(any?.calls ?? 0) === 0) return [];
  return await store.select<Counted<Column>>(
    `SELECT toString(provider) AS provider, toString(model) AS model, toString(${by}) AS ${by},
      toString(count()) AS calls, toString(sum(cost)) AS cost
    FROM calls FINAL ${where} GROUP BY provider, model, ${by} ORDER BY count() DESC, provider, model`,
    calls.parameters,
  );
}
