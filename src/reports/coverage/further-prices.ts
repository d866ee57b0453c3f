import { callsOf } from '../../calls/in-force.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import type { Period } from '../../lib/days.ts';
import { type Money, readMoney, toJsonNumber } from '../../lib/money.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { PriceSource } from '../../pricing/rates.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { countFew, mostModels } from './few-calls.ts';
import type { Coverage } from './wire.ts';

type FurtherPrices = Coverage['further_prices'];
type PricedModel = FurtherPrices['models'][number];

const none: FurtherPrices = { calls: 0, cost: 0, lists: [], models: [] };

/** Counts the calls whose price is from a further list, by list and by model, most calls first. */
export async function readFurtherPrices(
  { project, generations }: Pick<AsOf, 'project' | 'generations'>,
  range: Period,
  { store, priceBooks }: Pick<AnswerSources, 'store'> & { readonly priceBooks: PriceBooks },
): Promise<FurtherPrices> {
  const calls = callsOf(project.id, range, generations);
  const rows = await countFew(store, calls, { condition: "cost_source = 'further_list'", by: 'price_book' });
  if (rows.length === 0) return none;
  const books = await priceBooks.ofProject(project.id);
  const models = new Map<string, Omit<PricedModel, 'calls' | 'cost'> & { calls: number; sum: Money }>();
  for (const row of rows) {
    const { provider, model } = row;
    const further = books.find(row.price_book)?.opened.catalogue.findFurther(provider, model);
    const source = sourceOf(further?.entry?.list, further?.units?.source);
    const key = JSON.stringify([provider, model, source.list, source.version]);
    const known = models.get(key);
    const sum = (known?.sum ?? 0n) + readMoney(row.cost);
    const disagreeing = (further?.disagreeing ?? []).map(({ list, version, input, output, prices }) => ({
      list,
      version,
      input_per_mtok: input,
      output_per_mtok: output,
      prices,
    }));
    models.set(key, { provider, model, ...source, disagreeing, calls: (known?.calls ?? 0) + Number(row.calls), sum });
  }
  const byCalls = [...models.values()].sort(
    (a, b) => b.calls - a.calls || compareCodePoints(a.provider, b.provider) || compareCodePoints(a.model, b.model),
  );
  const lists = new Map<string, { calls: number; sum: Money }>();
  for (const { list, calls: count, sum } of byCalls) {
    const before = lists.get(list) ?? { calls: 0, sum: 0n };
    lists.set(list, { calls: before.calls + count, sum: before.sum + sum });
  }
  return {
    calls: byCalls.reduce((total, model) => total + model.calls, 0),
    cost: toJsonNumber(byCalls.reduce((total, { sum }) => total + sum, 0n)),
    lists: [...lists].map(([list, { calls: count, sum }]) => ({ list, calls: count, cost: toJsonNumber(sum) })),
    models: byCalls.slice(0, mostModels).map(({ sum, ...model }) => ({ ...model, cost: toJsonNumber(sum) })),
  };
}

/** The list and its version; the empty string for a book that is no more. */
function sourceOf(
  list: { readonly name: string; readonly version: string } | null | undefined,
  ofUnits: PriceSource | undefined,
): { list: string; version: string } {
  if (list) return { list: list.name, version: list.version };
  return ofUnits?.kind === 'further_list'
    ? { list: ofUnits.list, version: ofUnits.version }
    : { list: '', version: '' };
}
