import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/retention/require-calls.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import type { AsOf } from '../../closes/as-of.ts';
import type { Period } from '../../lib/days.ts';
import { divideToNumber, parseWideMoney, type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import { readCellFilters } from '../call-filters.ts';
import { resolveRowsRead, splitDays } from '../cells.ts';
import { readDailyGross } from '../daily-gross.ts';
import type { AnalyticsSources } from '../sources.ts';
import { all, ofTaggedRuns } from '../where.ts';
import { type WasteBound, type WasteCause, wasteBounds, wasteCauses, wasteDefinitions } from './causes.ts';
import type { Alternatives, WasteQuestion } from './parse.ts';
import { listRates, priceListOf, type WasteRates } from './rates.ts';
import { ofCauses, selectWaste, type WasteRecord } from './sql.ts';

export type WasteSources = AnalyticsSources & { readonly priceBooks: Pick<PriceBooks, 'ofProject'> };

/** The wasted money of a range, with the API's field names. */
export interface Waste {
  readonly total_cost: number;
  readonly calls: number;
  /** Exact amounts alone. */
  readonly wasted: number;
  /** With upper bounds. */
  readonly wasted_at_most: number;
  readonly share: number;
  readonly rows: WasteRow[];
}

interface WasteRow {
  readonly cause: WasteCause;
  readonly bound: WasteBound;
  readonly calls: number;
  readonly amount: number;
  readonly share: number;
  readonly definition: string;
}

/**
 * Reads the cost of the calls of a range, and how much of it was wasted, by cause (D23).
 * @throws Problem `beyond_retention` when calls of the range are deleted, `invalid_body` for an unpriced alternative
 */
export async function runWaste(
  asOf: AsOf,
  { filters, alternatives }: Omit<WasteQuestion, 'dateFrom' | 'dateTo'>,
  range: Period,
  sources: WasteSources,
): Promise<Waste> {
  const { generations, facts } = asOf;
  const { calls, rates } = await readScope(asOf, { range, alternatives }, sources);
  const where = all([
    ...(await readCellFilters(facts, filters)),
    ...(filters.runTags ? [ofTaggedRuns(calls, filters.runTags)] : []),
  ]);
  const scope = { projectId: facts.projectId, period: range, generations };
  const { sql, parameters } = selectWaste({ calls, where, rates });
  // Calls of sealed days don't change while their seals are in force.
  const statement = { sql, parameters: { ...parameters, seals: splitDays(scope).sealed } };
  const records = await sources.answerCache.select<WasteRecord>(statement, [{ rows: resolveRowsRead(scope) }]);
  return toWaste(records, alternatives);
}

/**
 * The condition for the calls of these causes of waste, which are found over the range.
 * @throws Problem as `runWaste` does
 */
export async function whereWasted(
  asOf: AsOf,
  { range, causes, alternatives }: { range: Period; causes: readonly WasteCause[]; alternatives: Alternatives },
  sources: WasteSources,
): Promise<Clause> {
  return ofCauses(await readScope(asOf, { range, alternatives }, sources), causes);
}

/** All calls of the range, and the rates of their models. */
async function readScope(
  { project, generations }: AsOf,
  { range, alternatives }: { readonly range: Period; readonly alternatives: Alternatives },
  { answerCache, priceBooks, clock }: WasteSources,
): Promise<{ readonly calls: Clause; readonly rates: readonly WasteRates[] }> {
  requireCalls(generations, range);
  const [gross, { newest: book }] = await Promise.all([
    readDailyGross(answerCache, project.id, { period: range, generations }),
    priceBooks.ofProject(project.id),
  ]);
  const models = new Map(gross.map(({ provider, model }) => [JSON.stringify([provider, model]), { provider, model }]));
  return {
    calls: callsOf(project.id, range, generations),
    rates: listRates([...models.values()], alternatives, priceListOf(range, book, clock())),
  };
}

/** Converts an amount in 1e-18 USD to 1e-30 USD. */
const toWide = (amount: string | undefined): WideMoney => BigInt(amount ?? 0) * 10n ** 12n;

function toWaste(records: readonly WasteRecord[], alternatives: Alternatives): Waste {
  const byCause = new Map(records.map((record) => [record.cause, record]));
  const total = records.reduce((sum, { sum_cost }) => sum + parseWideMoney(sum_cost), 0n);
  const shareOf = (amount: WideMoney) => (total === 0n ? 0 : divideToNumber(amount, total));
  const shown = wasteCauses.filter((cause) => cause !== 'dearer_model' || alternatives.size > 0);
  const sumOf = (bounds: readonly WasteBound[]) =>
    shown
      .filter((cause) => bounds.includes(wasteDefinitions[cause].bound))
      .reduce((sum, cause) => sum + toWide(byCause.get(cause)?.sum_amount), 0n);
  const wasted = sumOf(['exact']);
  return {
    total_cost: wideToJsonNumber(total),
    calls: records.reduce((sum, { sum_calls }) => sum + Number(sum_calls), 0),
    wasted: wideToJsonNumber(wasted),
    wasted_at_most: wideToJsonNumber(sumOf(wasteBounds)),
    share: shareOf(wasted),
    rows: shown.map((cause) => {
      const record = byCause.get(cause);
      const amount = toWide(record?.sum_amount);
      return {
        cause,
        bound: wasteDefinitions[cause].bound,
        calls: Number(record?.sum_calls ?? 0),
        amount: wideToJsonNumber(amount),
        share: shareOf(amount),
        definition: wasteDefinitions[cause].definition,
      };
    }),
  };
}
