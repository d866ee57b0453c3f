import { z } from 'zod';
import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import type { Period } from '../../lib/days.ts';
import { quotientField } from '../../lib/http/row-fields.ts';
import { divideToNumber, parseWideMoney, type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { noTerms, type RateTerm, readTerms } from '../../lib/units.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { readCellFilters } from '../asking/call-filters.ts';
import { type CellScope, resolveRowsRead, splitDays } from '../asking/cells.ts';
import { readDailyGross } from '../asking/cost-basis.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { all, ofTaggedRuns } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type WasteBound, type WasteCause, wasteBounds, wasteCauses, wasteDefinitions } from './causes.ts';
import type { Alternatives, WasteQuestion } from './parse.ts';
import { type CalledModel, listRates, priceListOf, type WasteRates } from './rates.ts';
import { ofCauses, selectTermed, selectWaste, type WasteRecord } from './sql.ts';

export type WasteSources = AnswerSources & { readonly priceBooks: Pick<PriceBooks, 'ofProject'> };

const money = z.number().describe('USD; the nearest double of the exact sum.');
const count = z.number().int();
const share = z.number().describe('The share of `total_cost`, from 0 to 1; 0 when nothing was spent.');

export const wasteSchema = z.object({
  total_cost: money.describe('USD: the gross cost of the selected calls.'),
  calls: count.describe('The selected calls.'),
  wasted: money.describe('USD: the sum of the exact amounts, without upper bounds.'),
  wasted_at_most: money.describe('USD: the sum of all amounts, upper bounds included; at most `total_cost`.'),
  share: share.describe('The share of `wasted` in `total_cost`, from 0 to 1; 0 when nothing was spent.'),
  rows: z
    .array(
      z.object({
        cause: z.enum(wasteCauses),
        bound: z.enum(wasteBounds).describe('`upper`: what was wasted is at most the amount.'),
        calls: count.describe('The filter `waste` of `POST /api/calls/` lists them.'),
        // Finer than money has digits: it is a product of counts and prices.
        amount: quotientField('USD; the nearest double of the exact sum.'),
        share,
        definition: z.string().describe('What the cause counts, in one sentence.'),
      }),
    )
    .describe(
      'Every cause in a fixed order. A call counts under the first cause that applies. `dearer_model` only with `alternatives`.',
    ),
});

export type Waste = z.output<typeof wasteSchema>;

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
  return toWaste(await readWasteRecords(asOf, { filters, alternatives }, range, sources), alternatives);
}

/** The calls of a range by cause, those of `dearer_model` by model. @throws Problem as `runWaste` does */
export async function readWasteRecords(
  asOf: AsOf,
  { filters, alternatives }: Omit<WasteQuestion, 'dateFrom' | 'dateTo'>,
  range: Period,
  sources: WasteSources,
): Promise<readonly WasteRecord[]> {
  const { generations, facts } = asOf;
  const { calls, rates } = await readScope(asOf, { range, alternatives }, sources);
  const where = all([
    ...(await readCellFilters(facts, filters)),
    ...(filters.runTags ? [ofTaggedRuns(calls, filters.runTags)] : []),
  ]);
  const scope = { projectId: facts.projectId, period: range, generations };
  return await selectCalls<WasteRecord>(selectWaste({ calls, where, rates }), scope, sources);
}

/** The rows of a statement over the calls of a scope. Those of sealed days don't change while their seals are in force. */
async function selectCalls<Row extends object>(
  { sql, parameters }: Clause,
  scope: CellScope,
  { answerCache }: Pick<WasteSources, 'answerCache'>,
): Promise<readonly Row[]> {
  const statement = { sql, parameters: { ...parameters, seals: splitDays(scope).sealed } };
  return await answerCache.select<Row>(statement, [{ rows: resolveRowsRead(scope) }]);
}

/** What each model cost above its alternative, in USD. */
export const listDearer = (records: readonly WasteRecord[]) =>
  records
    .filter(({ cause }) => cause === 'dearer_model')
    .map(({ of_model: model, sum_amount }) => ({ model, amount: wideToJsonNumber(toWide(sum_amount)) }));

/** The calls of these causes, which are found over the range. @throws Problem as `runWaste` does */
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
  const calls = callsOf(project.id, range, generations);
  const scope = { projectId: project.id, period: range, generations };
  const [gross, termed, { newest: book }] = await Promise.all([
    readDailyGross(answerCache, project.id, { period: range, generations }),
    selectCalls<Record<'provider' | 'model' | RateTerm, string>>(selectTermed(calls), scope, { answerCache }),
    priceBooks.ofProject(project.id),
  ]);
  const models = new Map(
    [
      ...gross.map(({ provider, model }): CalledModel => ({ provider, model, terms: noTerms })),
      ...termed.map(({ provider, model, ...terms }): CalledModel => ({ provider, model, terms: readTerms(terms) })),
    ].map((called) => [JSON.stringify(called), called]),
  );
  return { calls, rates: await listRates([...models.values()], alternatives, priceListOf(range, book, clock())) };
}

/** Converts an amount in 1e-18 USD to 1e-30 USD. */
const toWide = (amount: string): WideMoney => BigInt(amount) * 10n ** 12n;

export function toWaste(records: readonly WasteRecord[], alternatives: Alternatives): Waste {
  const byCause = Map.groupBy(records, ({ cause }) => cause);
  const amountOf = (cause: WasteCause): WideMoney =>
    (byCause.get(cause) ?? []).reduce((sum, { sum_amount }) => sum + toWide(sum_amount), 0n);
  const total = records.reduce((sum, { sum_cost }) => sum + parseWideMoney(sum_cost), 0n);
  const shareOf = (amount: WideMoney) => (total === 0n ? 0 : divideToNumber(amount, total));
  const shown = wasteCauses.filter((cause) => cause !== 'dearer_model' || alternatives.size > 0);
  const sumOf = (bounds: readonly WasteBound[]) =>
    shown
      .filter((cause) => bounds.includes(wasteDefinitions[cause].bound))
      .reduce((sum, cause) => sum + amountOf(cause), 0n);
  const wasted = sumOf(['exact']);
  return {
    total_cost: wideToJsonNumber(total),
    calls: records.reduce((sum, { sum_calls }) => sum + Number(sum_calls), 0),
    wasted: wideToJsonNumber(wasted),
    wasted_at_most: wideToJsonNumber(sumOf(wasteBounds)),
    share: shareOf(wasted),
    rows: shown.map((cause) => {
      const amount = amountOf(cause);
      return {
        cause,
        bound: wasteDefinitions[cause].bound,
        calls: (byCause.get(cause) ?? []).reduce((sum, { sum_calls }) => sum + Number(sum_calls), 0),
        amount: wideToJsonNumber(amount),
        share: shareOf(amount),
        definition: wasteDefinitions[cause].definition,
      };
    }),
  };
}
