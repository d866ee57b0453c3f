import type { Day } from '../../lib/days.ts';
import { parseJson } from '../../lib/json.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { identifyClose } from '../asking/body.ts';
import { readCells } from '../asking/cells.ts';
import { readCostBasis } from '../asking/cost-basis.ts';
import { type Page, type PagedQuestion, type PagePlan, readRecords, toPage } from '../asking/page.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { toTokens } from '../asking/tokens.ts';
import { toUnits } from '../asking/units.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type ChargeRecord, chargeMeasures, selectCharges } from './sql.ts';

/** A provider's charge for a customer's calls to a model on a day, or the part of it that free credits cover. */
export interface Charge {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly customer: string;
  readonly category: 'usage' | 'credit';
  /** Below 0 for a credit. */
  readonly cost: WideMoney;
  readonly calls: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
}

/** A question for all charges of a range of days, from a query string. */
export function parseCharges(
  projectId: string,
  {
    date_from: dateFrom,
    date_to: dateTo,
    as_of: asOf,
  }: { date_from: Day; date_to?: Day | undefined; as_of?: string | undefined },
): PagedQuestion {
  return {
    dateFrom,
    dateTo,
    granularity: 'day',
    isGrouped: true,
    rangeFault: 'invalid_query',
    identity: ['charges', projectId, dateFrom, dateTo, ...identifyClose(asOf)],
  };
}

/** Reads a page of charges in order of day, provider, model and customer. A credit comes before its usage. */
export async function runCharges(
  asOf: AsOf,
  plan: PagePlan,
  sources: Pick<AnalyticsSources, 'answerCache'>,
): Promise<Page<Charge>> {
  const { project, generations, facts } = asOf;
  const records = await readRecords(plan, { isAtOnce: false, most: undefined }, async (part, period) => {
    const basis = await readCostBasis(sources, { generations, facts, period, applyCredits: true });
    const cells = readCells(
      { projectId: project.id, period, generations },
      { grain: 'customer_price', measures: chargeMeasures, filters: [] },
    );
    return await sources.answerCache.select<ChargeRecord>(selectCharges({ cells, basis, plan: part }), [cells]);
  });
  return toPage(plan, true, records, ({ dateFrom }, record) => toCharge(dateFrom, record));
}

function toCharge(day: Day, record: ChargeRecord | undefined): Charge {
  if (!record) throw new Error('A grouped page has a record for every row');
  // The statement writes this JSON.
  const [provider, model, customer, category] = parseJson(record.value) as [string, string, string, Charge['category']];
  const [gross, net] = [parseWideMoney(record.gross), parseWideMoney(record.net)];
  return {
    day,
    provider,
    model,
    customer,
    category,
    cost: category === 'usage' ? gross : net - gross,
    calls: Number(record.sum_calls),
    tokens: toTokens(record.tokens),
    units: toUnits(record.sum_units),
  };
}
