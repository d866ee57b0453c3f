import type { Day } from '../../lib/days.ts';
import { parseJson } from '../../lib/json.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { type Measure, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/usage-columns.ts';
import { identifyClose } from '../asking/body.ts';
import { type CellSource, readCells, readingWhole } from '../asking/cells.ts';
import { type CostBasis, readCostBasis } from '../asking/cost-basis.ts';
import {
  type Page,
  type PagedQuestion,
  type PagePlan,
  type PlacedRecord,
  readRecords,
  toPage,
} from '../asking/page.ts';
import { afterCursor, keyOfRows } from '../asking/period-sql.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { toTokens, toUnits, type UnitCounts } from '../asking/usage-fields.ts';
import type { AsOf } from '../facts/as-of.ts';

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
    return await sources.answerCache.select<ChargeRecord>(selectCharges(cells, basis, part), [cells]);
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

/** A charge as the store returns it: money and whole numbers as text. */
interface ChargeRecord extends PlacedRecord {
  /** A JSON array: provider, model, customer, and the category of the charge. */
  readonly value: string;
  readonly sum_calls: string;
  readonly gross: string;
  readonly net: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
}

const chargeMeasures: readonly Measure[] = ['calls', 'cost', ...usageColumns, 'units'];

/** A charge for each day, provider, model and customer, and another for what free credits cover of it. */
function selectCharges(cells: CellSource, basis: CostBasis, plan: PagePlan): Clause {
  const after = afterCursor(plan);
  const key = keyOfRows(plan, undefined);
  const group = 'group_provider, group_model, group_customer';
  return {
    sql: `
      SELECT period, toJSONString([group_provider, group_model, group_customer, category]) AS value,
        sum_calls, gross, net, tokens, sum_units
      FROM (
        SELECT ${key.select}, toString(provider) AS group_provider, toString(model) AS group_model,
          toString(customer) AS group_customer, sum(cost) AS gross, sum(${basis.expression}) AS net,
          ${['calls', 'units'].map((measure) => `${sumOfCells(measure)} AS sum_${measure}`).join(', ')},
          [${usageColumns.map((column) => sumOfCells(column)).join(', ')}] AS tokens
        FROM ${cells.from} ${basis.join}
        WHERE ${cells.where.sql}
        GROUP BY period, ${group}
      )
      ARRAY JOIN if(net < gross, ['credit', 'usage'], ['usage']) AS category
      WHERE ${after.sql}
      ORDER BY period, value LIMIT {limit:UInt32}
      ${readingWhole}`,
    parameters: joinParameters(cells.where.parameters, basis.parameters, after.parameters, key.parameters, {
      limit: plan.limit + 1,
    }),
  };
}
