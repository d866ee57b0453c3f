import { z } from 'zod';
import { askedField, moneyField, rowDays, sharedCostField } from '../../lib/http/row-fields.ts';
import { toJsonNumber, widen, wideToJsonNumber } from '../../lib/money.ts';
import { tagField } from '../asking/group.ts';
import { type Page, type PagePlan, toPeriodPage } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { calcMargin, riskStatuses } from './calc-margin.ts';
import type { MarginQuestion } from './parse.ts';
import { readMarginRecords } from './records.ts';

export const marginRow = z.object({
  ...rowDays,
  customer: askedField(z.string(), 'group_by', 'customer'),
  tag: tagField,
  revenue: moneyField('USD earned on the days of the row.'),
  cost: moneyField('USD; less free AI credits when `apply_credits` is true.'),
  shared_cost: sharedCostField,
  margin: moneyField('`revenue` − `cost`.'),
  margin_pct: z.number().describe('100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.'),
  risk_status: z
    .enum(riskStatuses)
    .describe("`unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`."),
});

export type MarginRow = z.output<typeof marginRow>;

/** Reads a page as planned. Amounts are exact up to its rows: their conversion is the only rounding (D5.1). */
export async function runMargin(
  asOf: AsOf,
  question: MarginQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<Page<MarginRow>> {
  const records = await readMarginRecords(asOf, question, plan, sources);
  return toPeriodPage(plan, question, records, (record) => {
    const revenue = widen(record?.revenue ?? 0n);
    const cost = record?.cost ?? 0n;
    const { margin, marginPct, riskStatus } = calcMargin(revenue, cost, asOf.project.atRiskBelowPct);
    return {
      revenue: wideToJsonNumber(revenue),
      cost: wideToJsonNumber(cost),
      ...(question.includeShared && { shared_cost: toJsonNumber(record?.shared ?? 0n) }),
      margin: wideToJsonNumber(margin),
      margin_pct: marginPct,
      risk_status: riskStatus,
    };
  });
}
