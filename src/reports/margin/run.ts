import type { Project } from '../../accounts/projects.ts';
import type { Day, Period } from '../../lib/days.ts';
import { widen, wideToJsonNumber } from '../../lib/money.ts';
import { type Page, type PagePlan, toPage } from '../asking/page.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { calcMargin, type RiskStatus } from './calc-margin.ts';
import type { MarginQuestion } from './parse.ts';
import { type MarginRecord, readMarginRecords } from './records.ts';

/** A margin row (section 2.3), with the API's field names. */
export interface MarginRow {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly customer?: string;
  readonly revenue: number;
  readonly cost: number;
  readonly margin: number;
  readonly margin_pct: number;
  readonly risk_status: RiskStatus;
}

/** Reads a page as planned. */
export async function runMargin(
  asOf: AsOf,
  question: MarginQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<Page<MarginRow>> {
  const { isGrouped } = question;
  const records = await readMarginRecords(asOf, question, plan, sources);
  return toPage(plan, isGrouped, records, (period, record) => toRow(asOf.project, isGrouped, period, record));
}

/** Converts amounts, which are exact up to here, to doubles. This is the only rounding (D5.1). */
function toRow(
  { atRiskBelowPct }: Project,
  isGrouped: boolean,
  period: Period,
  record: MarginRecord | undefined,
): MarginRow {
  const revenue = widen(record?.revenue ?? 0n);
  const cost = record?.cost ?? 0n;
  const { margin, marginPct, riskStatus } = calcMargin(revenue, cost, atRiskBelowPct);
  return {
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...(isGrouped && record && { customer: record.value }),
    revenue: wideToJsonNumber(revenue),
    cost: wideToJsonNumber(cost),
    margin: wideToJsonNumber(margin),
    margin_pct: marginPct,
    risk_status: riskStatus,
  };
}
