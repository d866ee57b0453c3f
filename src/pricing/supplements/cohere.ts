import type { Supplement } from '../supplement-data.ts';

const rerankNote =
  'The price page shows the price only to its own scripts since 2026; other lists quote it, and Bedrock and Azure have the same.';

/** A search unit is one query with up to 100 documents. */
export const cohereSupplements: readonly Supplement[] = [
  cohere('', { when: { service_tier: ['default', 'standard', 'auto'] }, tokens: { factor: '1' } }),
  cohere('^rerank-(?!v4\\.0-pro)', { note: rerankNote, units: { search_units: { usd: 2, per: 1000 } } }),
  cohere('^rerank-v4\\.0-pro', {
    note: 'Some lists have the 2.00 of the other models; Azure, which sells it at the price of the maker, has 2.50.',
    units: { search_units: { usd: 2.5, per: 1000 } },
  }),
  cohere('^embed-(?:english|multilingual)(?:-light)?-v3\\.0', { units: { images: { usd: 0.0001, per: 1 } } }),
];

function cohere(model: string, supplement: Partial<Supplement>): Supplement {
  return {
    kind: 'supplement',
    providers: ['cohere'],
    source: 'https://cohere.com/pricing',
    checkedOn: '2026-11-24',
    ...(model === '' ? {} : { match: { regex: model } }),
    ...supplement,
  };
}
