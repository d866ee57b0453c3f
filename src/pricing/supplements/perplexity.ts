import type { Supplement } from '../supplement-data.ts';

const sizes = ['low', 'medium', 'high'] as const;

type Model = { input: number; output: number; requests: readonly [low: number, medium: number, high: number] };

/** Prices of tokens and, by the size of the search context, of 1,000 requests. */
const models: Readonly<Record<string, Model>> = {
  sonar: { input: 1, output: 1, requests: [5, 8, 12] },
  'sonar-pro': { input: 3, output: 15, requests: [6, 10, 14] },
  'sonar-reasoning': { input: 1, output: 5, requests: [5, 8, 12] },
  'sonar-reasoning-pro': { input: 2, output: 8, requests: [6, 10, 14] },
};

export const perplexitySupplements: readonly Supplement[] = [
  perplexity({ when: { service_tier: ['default', 'auto', 'standard'] }, tokens: { factor: '1' } }),
  ...Object.entries(models).flatMap(([model, { input, output, requests }]) =>
    sizes.map((size, index) =>
      perplexity({
        ...(model === 'sonar-reasoning' && { note: 'LiteLLM quotes 14 for the high size, the provider’s page 12.' }),
        match: { equals: model },
        when: { search_context_size: [size] },
        tokens: { prices: { input_mtok: input, output_mtok: output, requests_kcount: requests[index] ?? 0 } },
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
