import { compareCodePoints } from '../../lib/code-points.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { stepsInTurns } from '../../lib/in-turns.ts';
import { parseJson } from '../../lib/json.ts';
import { type Money, parseWideMoney, type WideMoney, widen } from '../../lib/money.ts';
import type { Slices } from '../../lib/slices.ts';
import { type Measure, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { identifyClose, identifyShared } from '../asking/body.ts';
import { type CellSource, readCells, wholeRows } from '../asking/cells.ts';
import { type CostBasis, readCostBasis } from '../asking/cost-basis.ts';
import {
  compareRecords,
  type Page,
  type PagedQuestion,
  type PagePlan,
  type PlacedRecord,
  readRecords,
  toPage,
} from '../asking/page.ts';
import { afterCursor, keyOfRows } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { toTokens, toUnits, type UnitCounts } from '../asking/usage-fields.ts';
import { allocate, calcEarned } from '../facts/allocation.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { SharedCost } from '../facts/shared-costs.ts';
import { planShares } from '../shared-costs/join-shares.ts';

/** A provider's charge for a customer's calls to a model on a day, or the part of it that free credits cover. */
export interface Charge {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly customer: string;
  /** `shared` for what a shared cost costs on a day: it is of no customer or model. */
  readonly category: 'usage' | 'credit' | 'shared';
  readonly shared?: { readonly id: string; readonly name: string };
  /** Below 0 for a credit. */
  readonly cost: WideMoney;
  readonly calls: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
}

export interface ChargesQuestion extends PagedQuestion {
  readonly includeShared: boolean;
}

/** A question for all charges of a range of days, from a query string. */
export function parseCharges(
  projectId: string,
  {
    date_from: dateFrom,
    date_to: dateTo,
    as_of: asOf,
    include_shared: includeShared,
  }: { date_from: Day; date_to?: Day | undefined; as_of?: string | undefined; include_shared: boolean },
): ChargesQuestion {
  return {
    dateFrom,
    dateTo,
    granularity: 'day',
    isGrouped: true,
    rangeFault: 'invalid_query',
    identity: ['charges', projectId, dateFrom, dateTo, ...identifyClose(asOf), ...identifyShared(includeShared)],
    includeShared,
  };
}

/**
 * Reads a page of charges in order of day, provider, model and customer. A credit comes before its usage, and shared costs
 * are where calls without a provider are, if they are asked for.
 */
export async function runCharges(
  asOf: AsOf,
  { includeShared }: Pick<ChargesQuestion, 'includeShared'>,
  plan: PagePlan,
  sources: Pick<AnswerSources, 'answerCache'>,
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
  const entries = includeShared ? await readSharedOf(asOf, plan) : [];
  const shared = await stepsInTurns(calcSharedCharges(entries, planShares(plan, records)));
  const placed = [...records, ...shared].sort(compareRecords).slice(0, plan.limit + 1);
  return toPage(plan, true, placed, ({ dateFrom }, record) => toCharge(dateFrom, record));
}

async function readSharedOf({ facts }: AsOf, { periods }: PagePlan): Promise<readonly SharedCost[]> {
  const days = joinPeriods(periods);
  return days ? await facts.readSharedCosts(days) : [];
}

/** A shared cost on one of its days. */
interface SharedRecord extends PlacedRecord {
  readonly value: string;
  readonly shared: Charge;
}

/** The first charges for shared costs, a day each, after the cursor: as many as a page needs. */
function* calcSharedCharges(
  entries: readonly SharedCost[],
  { periods, afterValue, limit }: PagePlan,
): Slices<SharedRecord[]> {
  const allocated = entries.map((entry) => ({
    entry,
    allocation: allocate(entry.amount, { from: toDayNumber(entry.dateFrom), to: toDayNumber(entry.dateTo) }),
  }));
  const records: SharedRecord[] = [];
  for (const [at, { dateFrom: day }] of periods.entries()) {
    if (records.length > limit) break;
    const period = toDayNumber(day);
    for (const { entry, allocation } of allocated) {
      yield;
      const cost = calcEarned(allocation, { from: period, to: period });
      const value = JSON.stringify(['', '', '', 'shared', entry.externalId]);
      const isBefore = at === 0 && afterValue !== undefined && compareCodePoints(value, afterValue) <= 0;
      if (cost !== 0n && !isBefore) records.push({ period, value, shared: toSharedCharge(day, entry, cost) });
    }
  }
  return records;
}

const toSharedCharge = (day: Day, { externalId, name, scope }: SharedCost, cost: Money): Charge => ({
  ...{ day, model: '', customer: '', category: 'shared', cost: widen(cost), calls: 0, tokens: {}, units: {} },
  provider: scope.providers?.length === 1 ? (scope.providers[0] ?? '') : '',
  shared: { id: externalId, name },
});

function toCharge(day: Day, record: ChargeRecord | SharedRecord | undefined): Charge {
  if (!record) throw new Error('A grouped page has a record for every row');
  if ('shared' in record) return record.shared;
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
      ${wholeRows}`,
    parameters: joinParameters(cells.where.parameters, basis.parameters, after.parameters, key.parameters, {
      limit: plan.limit + 1,
    }),
  };
}
