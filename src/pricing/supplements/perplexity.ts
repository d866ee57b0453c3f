import type { Supplement } from '../supplement-data.ts';

/** US dollars for 1,000 requests, by the size of the search context. A request that names none has the low size. */
const requests: Readonly<Record<string, Readonly<Record<'low' | 'medium' | 'high', number>>>> = {
  sonar: { low: 5, medium: 8, high: 12 },
  'sonar-pro': { low: 6, medium: 10, high: 14 },
  'sonar-reasoning': { low: 5, medium: 8, high: 12 },
  'sonar-reasoning-pro': { low: 6, medium: 10, high: 14 },
};

export const perplexitySupplements: readonly Supplement[] = [
  perplexity({ when: { service_tier: ['default', 'auto', 'standard'] }, tokens: { factor: '1' } }),
  ...Object.entries(requests).flatMap(([model, prices]) =>
    Object.entries(prices).map(([size, usd]) =>
      perplexity({
        ...(model === 'sonar-reasoning' && { note: 'LiteLLM quotes 14 for the high size, the provider’s page 12.' }),
        match: { equals: model },
        when: { search_context_size: [size] },
        units: { requests: { usd, per: 1_000 } },
      }),
    ),
  ),
  perplexity({
    note: 'The price of a request includes its searches and citations.',
    match: { regex: '^sonar(?:-pro|-reasoning|-reasoning-pro)?$' },
    units: { search_queries: { usd: 0, per: 1 }, citation_tokens: { usd: 0, per: 1 } },
  }),
  perplexity({
    match: { equals: 'sonar-deep-research' },
    units: { search_queries: { usd: 5, per: 1_000 }, citation_tokens: { usd: 2, per: 1_000_000 } },
  }),
  perplexity({
    note: 'Tools of the Agent API.',
    units: { web_searches: { usd: 5, per: 1_000 }, web_fetches: { usd: 0.5, per: 1_000 } },
  }),
];

function perplexity(supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'>): Supplement {
  return {
    kind: 'supplement',
    providers: ['perplexity'],
    source: 'https://docs.perplexity.ai/docs/getting-started/pricing',
    checkedOn: '2026-11-24',
    ...supplement,
  };
}
