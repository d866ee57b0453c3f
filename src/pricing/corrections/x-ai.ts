import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { litellmPrices } from './sources.ts';

const llmPrices = 'https://github.com/simonw/llm-prices/blob/main/data/xai.json';

export const xaiCorrections: readonly Correction[] = [
  {
    ...tiered('grok-4-0709', '^grok-4(?:-0709|-latest)?$', { input: 3, cached: 0.75, output: 15 }),
    source: llmPrices,
  },
  {
    ...tiered('grok-4-fast', '^grok-4-fast(?:-non)?(?:-reasoning)?(?:-latest)?$', {
      input: 0.2,
      cached: 0.05,
      output: 0.5,
    }),
    source: llmPrices,
  },
  tiered('grok-4-1-fast', '^grok-4-1-fast(?:-non)?(?:-reasoning)?(?:-latest)?$', {
    input: 0.2,
    cached: 0.05,
    output: 0.5,
  }),
  {
    provider: 'x-ai',
    source: 'https://docs.x.ai/developers/models/grok-4.20-0309.md',
    checkedOn: '2026-11-21',
    reason: 'The catalogue does not know all names of the model; it has the day on which the price fell.',
    model: {
      id: 'grok-4.20',
      match: {
        regex: '^grok-4\\.20(?:-(?:0309|reasoning|non-reasoning|0309-reasoning|0309-non-reasoning))?(?:-latest)?$',
      },
      prices: [{ prices: grok420(2, 6) }, { constraint: { start_date: '2026-04-30' }, prices: grok420(1.25, 2.5) }],
    },
  },
  {
    provider: 'x-ai',
    source: 'https://github.com/bitrouter/bitrouter/pull/674',
    checkedOn: '2026-11-21',
    reason:
      'The catalogue has the cached price of today also for the time until which the old one is known to have held.',
    model: {
      id: 'grok-4.5',
      match: { regex: '^grok-4\\.5(?:-\\d{8}|-latest)?$' },
      prices: [{ prices: grok45(0.5) }, { constraint: { start_date: '2026-07-10' }, prices: grok45(0.3) }],
    },
  },
];

function grok420(input: number, output: number): CataloguePrices {
  const doubledAt200k = (price: number) => ({ base: price, tiers: [{ start: 199_999, price: 2 * price }] });
  return {
    input_mtok: doubledAt200k(input),
    cache_read_mtok: doubledAt200k(0.2),
    output_mtok: doubledAt200k(output),
  };
}

function grok45(cached: number): CataloguePrices {
  const doubledAt200k = (price: number) => ({ base: price, tiers: [{ start: 199_999, price: 2 * price }] });
  return {
    input_mtok: doubledAt200k(2),
    cache_read_mtok: doubledAt200k(cached),
    output_mtok: doubledAt200k(6),
  };
}

/** For prompts above 128,000 tokens, input and output cost twice as much; cached tokens cost the same. */
function tiered(id: string, regex: string, rates: { input: number; cached: number; output: number }): Correction {
  const doubled = (price: number) => ({ base: price, tiers: [{ start: 128_000, price: 2 * price }] });
  const match: CatalogueModel['match'] = { regex };
  const prices: CataloguePrices = {
    input_mtok: doubled(rates.input),
    cache_read_mtok: rates.cached,
    output_mtok: doubled(rates.output),
  };
  return {
    provider: 'x-ai',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the price of prompts above 128,000 tokens.',
    model: { id, match, prices },
  };
}
