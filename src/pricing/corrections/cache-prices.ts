import type { CataloguePrices } from '../catalogue-data.ts';

/** US dollars per million plain tokens. */
type PlainPrices = { input: number; output: number };

/** Anthropic's multiples of the input price: cache reads a tenth, writes 1.25 for five minutes and 2 for an hour. */
export function cachePrices({ input, output }: PlainPrices): Record<CacheKey, number> {
  return {
    input_mtok: input,
    cache_read_mtok: rounded(input * 0.1),
    cache_write_mtok: rounded(input * 1.25),
    cache_write_1h_mtok: rounded(input * 2),
    output_mtok: output,
  };
}

/** The same, with a higher price of every kind for prompts of more than `above` tokens. */
export function surcharged(base: PlainPrices, dear: PlainPrices & { above: number }): CataloguePrices {
  const [low, high] = [cachePrices(base), cachePrices(dear)];
  const tier = (key: CacheKey) => ({ base: low[key], tiers: [{ start: dear.above, price: high[key] }] });
  return {
    input_mtok: tier('input_mtok'),
    cache_read_mtok: tier('cache_read_mtok'),
    cache_write_mtok: tier('cache_write_mtok'),
    cache_write_1h_mtok: tier('cache_write_1h_mtok'),
    output_mtok: tier('output_mtok'),
  };
}

type CacheKey = 'input_mtok' | 'cache_read_mtok' | 'cache_write_mtok' | 'cache_write_1h_mtok' | 'output_mtok';

/** Rounds off the noise of float arithmetic. */
function rounded(price: number): number {
  return Number(price.toPrecision(12));
}
