import type { Period } from '../../lib/days.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { type Clause, joinParameters, setOf } from '../../storage/analytic/clause.ts';
import { type CellSource, readCostTable, resolveGrain, splitDays } from '../asking/cells.ts';
import { type CostBasis, dimensionsOfBasis, readCostBasis } from '../asking/cost-basis.ts';
import { periodOfCall } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { oneOf } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { PlansQuestion } from './parse.ts';

/** The most features that a plan's row lists. */
export const mostFeatures = 20;

/** The dearest features of a plan in a period, and what the others cost together. */
export interface FeatureCosts {
  readonly dearest: readonly { readonly feature: string; readonly cost: WideMoney }[];
  readonly others: WideMoney;
}

interface FeatureCostsWanted {
  readonly periods: readonly Period[];
  readonly value: Clause;
  readonly plans: readonly string[];
}

interface FeatureCostsRow {
  readonly period: number;
  readonly value: string;
  readonly cost_text: string;
  readonly dearest: readonly (readonly [feature: string, cost: string])[];
}

/**
 * Reads what features cost, by the first day of a period and the plan, as `keyOfPlan` has them. Undefined where only deleted
 * calls could tell: what credits cover of them.
 */
export async function readFeatureCosts(
  { project, generations, facts }: AsOf,
  { customers, usedFeatures, applyCredits }: PlansQuestion,
  wanted: FeatureCostsWanted,
  sources: AnswerSources,
): Promise<ReadonlyMap<string, FeatureCosts> | undefined> {
  const days = joinPeriods(wanted.periods);
  if (!days) return new Map();
  const basis = await readCostBasis(sources, { generations, facts, period: days, applyCredits });
  const scope = { projectId: project.id, period: days, generations };
  const dimensions = ['customer', 'feature', ...dimensionsOfBasis(basis)] as const;
  const isOfCalls = resolveGrain(new Set(dimensions), { withRuns: false }) === undefined;
  if (isOfCalls && splitDays(scope).frozen.length > 0) return undefined;
  const table = readCostTable(scope, { dimensions, filters: customers ? [oneOf('customer', customers)] : [] });
  const statement = selectFeatureCosts({ table, basis, usedFeatures }, wanted);
  const rows = await sources.answerCache.select<FeatureCostsRow>(statement, [table]);
  return new Map(
    rows.map(({ period, value, cost_text, dearest }) => {
      const listed = dearest.map(([feature, cost]) => ({ feature, cost: parseWideMoney(cost) }));
      const others = listed.reduce((left, { cost }) => left - cost, parseWideMoney(cost_text));
      return [keyOfPlan(period, value), { dearest: listed, others }];
    }),
  );
}

export const keyOfPlan = (period: number, plan: string): string => `${period} ${plan}`;

interface CostsOfFeatures {
  readonly table: CellSource;
  readonly basis: CostBasis;
  /** Only customers that used one of these in the period (D8.5). */
  readonly usedFeatures: readonly string[] | undefined;
}

/** Costs by period and plan, with those of the dearest features. Equal costs are in the order of the names. */
function selectFeatureCosts(
  { table, basis, usedFeatures }: CostsOfFeatures,
  { periods, value, plans }: FeatureCostsWanted,
): Clause {
  const period = periodOfCall(periods);
  const used = usedFeatures && oneOf('feature', usedFeatures, 'used_features');
  const kept = used ? `max(${used.sql}) OVER (PARTITION BY period, customer)` : '1';
  return {
    sql: `
      SELECT period, value, toString(sum(part)) AS cost_text,
        arrayMap(one -> (one.2, toString(one.1)),
          arraySlice(arraySort(one -> (-one.1, one.2), groupArray((part, feature))), 1, ${mostFeatures})) AS dearest
      FROM (
        SELECT period, value, feature, sum(of_customer) AS part
        FROM (
          SELECT ${period.sql} AS period, ${value.sql} AS value, customer, feature,
            sum(${basis.expression}) AS of_customer, ${kept} AS is_kept
          FROM ${table.from} ${basis.join}
          WHERE ${table.where.sql}
          GROUP BY period, value, customer, feature
        )
        WHERE is_kept AND value IN ${setOf('plans', 'String', plans)}
        GROUP BY period, value, feature
      )
      GROUP BY period, value`,
    parameters: joinParameters(
      table.where.parameters,
      basis.parameters,
      period.parameters,
      value.parameters,
      used?.parameters,
      { plans },
    ),
  };
}
