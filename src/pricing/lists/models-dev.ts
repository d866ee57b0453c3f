import { z } from 'zod';
import type { CataloguePrices } from '../catalogue-data.ts';
import type { FurtherEntry } from '../further-list.ts';
import { isSelfHosted, sellerOf } from '../sellers.ts';
import { isPrice, isSold, tiered } from './read-prices.ts';

/** The catalogue's names of the list's prices, which are US dollars per million tokens. */
const tokenKeys: readonly (readonly [key: string, catalogue: string])[] = [
  ['input', 'input_mtok'],
  ['output', 'output_mtok'],
  ['cache_read', 'cache_read_mtok'],
  ['cache_write', 'cache_write_mtok'],
  ['reasoning', 'output_reasoning_mtok'],
  ['input_audio', 'input_audio_mtok'],
  ['output_audio', 'output_audio_mtok'],
];

const tier = z.looseObject({ tier: z.looseObject({ size: z.number().int().nonnegative() }) });
const cost = z.looseObject({
  context_over_200k: z.looseObject({}).optional(),
  tiers: z.array(tier).optional(),
});

export const modelsDevData = z.record(
  z.string(),
  z.looseObject({ models: z.record(z.string(), z.looseObject({ cost: cost.optional() })) }),
);

/** The entries of the list's `api.json`. */
export function readModelsDev(data: z.infer<typeof modelsDevData>): FurtherEntry[] {
  return Object.entries(data).flatMap(([seller, { models }]) =>
    isSelfHosted(sellerOf(seller))
      ? []
      : Object.entries(models).flatMap(([model, listed]): FurtherEntry[] => {
          const prices = listed.cost === undefined ? {} : readCost(listed.cost);
          return isSold(prices, model) ? [[seller, model, prices]] : [];
        }),
  );
}

function readCost(listed: z.infer<typeof cost>): CataloguePrices {
  const prices: CataloguePrices = {};
  const sizes = [
    ...(listed.context_over_200k ? [{ start: 200_000, rates: listed.context_over_200k }] : []),
    ...(listed.tiers ?? []).map((rates) => ({ start: rates.tier.size, rates })),
  ];
  const bySize = new Map(sizes.map((size) => [size.start, size]));
  for (const [key, name] of tokenKeys) {
    const base = listed[key];
    if (!isPrice(base) || (base === 0 && key !== 'input' && key !== 'output')) continue;
    const tiers = [...bySize.values()].flatMap(({ start, rates: { [key]: price } }) =>
      isPrice(price) ? [{ start, price }] : [],
    );
    prices[name] = tiered(base, tiers);
  }
  return prices;
}
