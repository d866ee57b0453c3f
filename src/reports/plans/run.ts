import { z } from 'zod';
import { byName } from '../../lib/by-name.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { toDayNumber } from '../../lib/days.ts';
import { moneyField, nullableMoneyField, rowDays, sharedCostField } from '../../lib/http/row-fields.ts';
import { divideToNumber, type Money, toJsonNumber, type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { type NamesOfGroup, readNamesOfGroup } from '../asking/group.ts';
import { type Page, type PagePlan, type PeriodRecord, toPage } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { calcMargin } from '../margin/calc-margin.ts';
import { type MarginRecord, readMarginRecords } from '../margin/records.ts';
import { calcPlan, costPercentiles, type Plan, type Sums } from './calc-plan.ts';
import { type FeatureCosts, keyOfPlan, mostFeatures, readFeatureCosts } from './feature-costs.ts';
import type { PlansQuestion } from './parse.ts';
import { byPeriod, readAll } from './read-all.ts';

const count = z.number().int();
const share = z.number().nullable();

const sumsFields = {
  revenue: moneyField('USD earned on the days of the row.'),
  cost: moneyField('USD; less free AI credits when `apply_credits` is true.'),
  margin: moneyField('`revenue` − `cost`.'),
};

export const planRow = z.object({
  ...rowDays,
  plan: z.string().describe('A value of the tag; "" for customers without it.'),
  customers: count.describe('Customers with a call or revenue in the period, without calls that name no customer.'),
  ...sumsFields,
  shared_cost: sharedCostField,
  margin_pct: z.number().describe('100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.'),
  cost_per_customer: z
    .object({
      ...byName(
        costPercentiles.map((percent) => `p${percent}` as const),
        (name) => moneyField(`USD: the cost of the customer at this percentile (${name.slice(1)}), by nearest rank.`),
      ),
      most: moneyField('USD: the cost of the dearest customer.'),
    })
    .describe('The cost of single customers in the period; 0 without customers.'),
  below_zero: count.describe('Customers that cost more than they paid.'),
  below_zero_share: z.number().describe('Their share of the customers, from 0 to 1.'),
  below_target: count
    .nullable()
    .describe('Customers whose margin is below the target, or zero; null without a target.'),
  below_target_share: share.describe('Their share of the customers, from 0 to 1; null without a target.'),
  dearest_tenth: z
    .object({ customers: count, ...sumsFields })
    .describe('The most expensive tenth of the customers, rounded up to whole customers.'),
  features: z
    .array(z.object({ feature: z.string(), cost: moneyField('USD') }))
    .nullable()
    .describe(
      `The features that cost most, at most ${mostFeatures}, without shared costs; null after credits if calls of the days are deleted.`,
    ),
  other_features_cost: nullableMoneyField(
    'USD: the cost of all other features, without shared costs; null if `features` is.',
  ),
});

export type PlanRow = z.input<typeof planRow>;

/** A plan's row before it is formatted. */
interface PlanRecord extends PeriodRecord {
  readonly plan: Plan;
  /** What its customers have of the shared costs. */
  readonly shared: Money;
}

/** Reads a page as planned: every plan with a customer in a period, in the order of the plans' names. */
export async function runPlans(
  asOf: AsOf,
  question: PlansQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<Page<PlanRow>> {
  const names = await readNamesOfGroup(asOf.facts, `customer_tag:${question.planTag}`);
  const target = question.targetPct ?? asOf.project.atRiskBelowPct;
  const records: PlanRecord[] = [];
  const ofCustomers = readAll(plan, (part) => readMarginRecords(asOf, question, part, sources));
  for await (const customers of byPeriod(ofCustomers)) {
    records.push(...toPlans(customers, names, target).filter((record) => isAfter(record, plan)));
    if (records.length > plan.limit) break;
  }
  records.splice(plan.limit + 1);
  const [first = 0, last = 0] = [records[0]?.period, records.at(-1)?.period];
  const features = await readFeatureCosts(
    asOf,
    question,
    {
      // With those between that have no record: their calls would count in the period before.
      periods: plan.periods.filter(({ dateFrom: from }) => first <= toDayNumber(from) && toDayNumber(from) <= last),
      value: names.value,
      plans: [...new Set(records.map(({ value }) => value))],
    },
    sources,
  );
  return toPage(plan, true, records, ({ dateFrom, dateTo }, record) => {
    if (!record) throw new Error('A row of a plan has a record');
    const { period, value } = record;
    return {
      date_from: dateFrom,
      date_to: dateTo,
      plan: value,
      ...toPlanFields(record.plan),
      ...(question.includeShared && { shared_cost: toJsonNumber(record.shared) }),
      ...(features ? toFeatures(features.get(keyOfPlan(period, value))) : noFeatures),
    };
  });
}

/** The plans of the customers of a period, in order. */
function toPlans(
  customers: readonly MarginRecord[],
  { groupOf }: NamesOfGroup,
  targetPct: number | null,
): PlanRecord[] {
  const byPlan = Map.groupBy(customers, ({ value }) => groupOf(value));
  return [...byPlan]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([value, members]) => ({
      period: members[0]?.period ?? 0,
      value,
      plan: calcPlan(
        members.map((member) => ({ ...member, customer: member.value })),
        targetPct,
      ),
      shared: members.reduce((sum, { shared = 0n }) => sum + shared, 0n),
    }));
}

/** Whether a record comes after the last row of the page before. */
function isAfter({ period, value }: PlanRecord, { periods, afterValue }: PagePlan): boolean {
  const [first] = periods;
  if (afterValue === undefined || !first || period !== toDayNumber(first.dateFrom)) return true;
  return compareCodePoints(value, afterValue) > 0;
}

const toSums = ({ revenue, cost }: Sums) => ({
  revenue: wideToJsonNumber(revenue),
  cost: wideToJsonNumber(cost),
  margin: wideToJsonNumber(revenue - cost),
});

function toPlanFields(plan: Plan) {
  const { customers, costAt, mostCost, belowZero, belowTarget, dearestTenth } = plan;
  const shareOf = (part: number) => divideToNumber(BigInt(part), BigInt(Math.max(1, customers)));
  const costOf = (cost: WideMoney | undefined) => wideToJsonNumber(cost ?? 0n);
  return {
    customers,
    ...toSums(plan),
    margin_pct: calcMargin(plan.revenue, plan.cost, null).marginPct,
    cost_per_customer: {
      p10: costOf(costAt.get(10)),
      p50: costOf(costAt.get(50)),
      p90: costOf(costAt.get(90)),
      p99: costOf(costAt.get(99)),
      most: costOf(mostCost),
    },
    below_zero: belowZero,
    below_zero_share: shareOf(belowZero),
    below_target: belowTarget ?? null,
    below_target_share: belowTarget === undefined ? null : shareOf(belowTarget),
    dearest_tenth: { customers: dearestTenth.customers, ...toSums(dearestTenth) },
  };
}

const noFeatures = { features: null, other_features_cost: null };

const toFeatures = ({ dearest, others }: FeatureCosts = { dearest: [], others: 0n }) => ({
  features: dearest.map(({ feature, cost }) => ({ feature, cost: wideToJsonNumber(cost) })),
  other_features_cost: wideToJsonNumber(others),
});
