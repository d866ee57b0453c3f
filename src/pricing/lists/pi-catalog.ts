import { z } from 'zod';
import type { CataloguePrices } from '../catalogue-data.ts';
import type { FurtherEntry } from '../further-list.ts';
import { isSelfHosted, sellerOf } from '../sellers.ts';
import { isPrice, isSold } from './read-prices.ts';

/** The catalogue's names of the list's prices, which are US dollars per million tokens. 0 for a cache is no price. */
const tokenKeys = [
  ['input', 'input_mtok'],
  ['output', 'output_mtok'],
  ['cacheRead', 'cache_read_mtok'],
  ['cacheWrite', 'cache_write_mtok'],
] as const;

export const piCatalogData = z.record(
  z.string(),
  z.record(z.string(), z.looseObject({ cost: z.looseObject({}).optional() })),
);

/** The entries of the list's `models.json`. */
export function readPiCatalog(data: z.infer<typeof piCatalogData>): FurtherEntry[] {
  return Object.entries(data).flatMap(([seller, models]) =>
    isSelfHosted(sellerOf(seller))
      ? []
      : Object.entries(models).flatMap(([model, { cost = {} }]): FurtherEntry[] => {
          const prices: CataloguePrices = {};
          for (const [key, name] of tokenKeys) {
            const price = cost[key];
            if (isPrice(price) && (price > 0 || !key.startsWith('cache'))) prices[name] = price;
          }
          return isSold(prices, model) ? [[seller, model, prices]] : [];
        }),
  );
}
