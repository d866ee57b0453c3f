import { type Asker, askUsage } from '../alerts/numbers/ask.ts';
import { type Day, startOfDay } from '../lib/days.ts';
import { noTerms } from '../lib/units.ts';
import { bucketNames, usageBuckets } from '../lib/usage-buckets.ts';
import { resolveModelPrice } from '../pricing/model-price.ts';
import type { BookInForce } from '../pricing/price-books.ts';
import type { ModelUsage } from './model-usage.ts';
import type { StepDays } from './step.ts';

/** Calls of a model that had no price when they came, and have one now. */
export interface LatePrice {
  readonly model: string;
  readonly calls: number;
  /** The days with such calls: those to reprice. */
  readonly from: Day;
  readonly to: Day;
  /** USD: about what a reprice adds, by the ordinary prices of tokens. */
  readonly cost: number;
}

/** The most models that are looked at: those of most unpriced calls. */
const mostModels = 10;

/** Finds the prices that came late for calls of these days. */
export async function readLatePrices(
  asker: Asker,
  models: readonly ModelUsage[],
  { days, book }: { readonly days: StepDays; readonly book: Pick<BookInForce, 'opened' | 'timezone'> },
): Promise<LatePrice[]> {
  const unpriced = models
    .filter(({ unpricedCalls, model }) => unpricedCalls > 0 && model !== '')
    .toSorted((a, b) => b.unpricedCalls - a.unpricedCalls)
    .slice(0, mostModels);
  const found: LatePrice[] = [];
  for (const { model } of unpriced) {
    const range = { date_from: days.from, date_to: days.to, aggregate: 'day' };
    const rows = await askUsage(asker, { ...range, group_by: 'provider', models: [model] });
    const late = rows.flatMap(({ date_from: day, provider = '', calls, unpriced_calls: count, tokens }) => {
      const cost = count === 0 ? undefined : priceOf({ provider, model, day, tokens }, book);
      return cost === undefined ? [] : [{ day, count, cost: (cost * count) / calls }];
    });
    const [from, to] = [late.at(0)?.day, late.at(-1)?.day];
    if (from === undefined || to === undefined) continue;
    const sumOf = (field: 'count' | 'cost') => late.reduce((sum, one) => sum + one[field], 0);
    found.push({ model, calls: sumOf('count'), from, to, cost: sumOf('cost') });
  }
  return found;
}

interface DayUsage {
  readonly provider: string;
  readonly model: string;
  readonly day: Day;
  /** By bucket, with the API's names. */
  readonly tokens: Readonly<Record<string, number>>;
}

/** What these tokens cost by the price list of now, in USD; undefined where one of them has no price. */
function priceOf(
  { tokens, day, ...called }: DayUsage,
  { opened, timezone }: Pick<BookInForce, 'opened' | 'timezone'>,
): number | undefined {
  const price = resolveModelPrice({ ...called, terms: noTerms, time: startOfDay(timezone, day), day }, opened);
  if ('unpricedReason' in price || price.source === null) return undefined;
  let cost = 0;
  for (const bucket of usageBuckets) {
    const count = tokens[bucketNames[bucket]] ?? 0;
    const rate = price.rates.perMtok[bucket];
    if (count > 0 && rate === null) return undefined;
    cost += (count * Number(rate ?? 0)) / 1_000_000;
  }
  return cost;
}
