import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { litellmPrices, modelsDev } from './sources.ts';

/** Providers with only a few corrections each. */
export const otherCorrections: readonly Correction[] = [
  // Azure sells DeepSeek's and other models at its own prices; the catalogue uses the makers' prices.
  azure('gpt-oss-120b', { input_mtok: 0.15, output_mtok: 0.6 }),
  azure('deepseek-r1', { input_mtok: 1.35, output_mtok: 5.4 }, '(?:-0528)?'),
  azure('deepseek-v3-0324', { input_mtok: 1.14, output_mtok: 4.56 }),
  azure('deepseek-v3.1', { input_mtok: 1.23, output_mtok: 4.94 }),
  azure('deepseek-v3.2', { input_mtok: 0.58, output_mtok: 1.68 }),
  azure('deepseek-v4-pro', { input_mtok: 1.74, output_mtok: 3.48 }),
  azure('deepseek-v4-flash', { input_mtok: 0.19, output_mtok: 0.51 }),
  azure('grok-3-mini', { input_mtok: 0.25, output_mtok: 1.27 }),

  correction('groq', 'openai/gpt-oss-safeguard-20b', {
    source: litellmPrices,
    reason: 'The catalogue takes it for GPT-OSS 120B, which costs twice as much.',
    prices: { input_mtok: 0.075, cache_read_mtok: 0.037, output_mtok: 0.3 },
  }),

  // A request without a search context size gets the smallest.
  perplexity('sonar', { input_mtok: 1, output_mtok: 1, requests_kcount: 5 }),
  perplexity('sonar-pro', { input_mtok: 3, output_mtok: 15, requests_kcount: 6 }),
  perplexity('sonar-reasoning', { input_mtok: 1, output_mtok: 5, requests_kcount: 5 }),
  perplexity('sonar-reasoning-pro', { input_mtok: 2, output_mtok: 8, requests_kcount: 6 }),

  unlisted('cohere', 'command-a-reasoning-08-2025', modelsDev, { input_mtok: 2.5, output_mtok: 10 }),
  unlisted('cohere', 'command-a-vision-07-2025', modelsDev, { input_mtok: 2.5, output_mtok: 10 }),
  unlisted('cohere', 'command-a-translate-08-2025', modelsDev, { input_mtok: 2.5, output_mtok: 10 }),
  unlisted('cohere', 'command-a-plus-05-2026', modelsDev, { input_mtok: 2.5, output_mtok: 10 }),
  unlisted('cohere', 'command-r7b-arabic-02-2025', modelsDev, { input_mtok: 0.0375, output_mtok: 0.15 }),
  unlisted('cohere', 'embed-english-v3.0', litellmPrices, { input_mtok: 0.1 }),
  unlisted('cohere', 'embed-english-light-v3.0', litellmPrices, { input_mtok: 0.1 }),
  unlisted('cohere', 'embed-multilingual-v3.0', litellmPrices, { input_mtok: 0.1 }),

  unlisted('together', 'deepseek-ai/DeepSeek-V3', modelsDev, { input_mtok: 1.25, output_mtok: 1.25 }),
  unlisted('together', 'deepseek-ai/DeepSeek-V3.1', litellmPrices, { input_mtok: 0.6, output_mtok: 1.7 }),
  unlisted('together', 'deepseek-ai/DeepSeek-R1', modelsDev, { input_mtok: 3, output_mtok: 7 }),
  unlisted('together', 'openai/gpt-oss-20b', modelsDev, { input_mtok: 0.05, output_mtok: 0.2 }),

  unlisted('fireworks', 'accounts/fireworks/models/llama-v3p3-70b-instruct', litellmPrices, {
    input_mtok: 0.9,
    output_mtok: 0.9,
  }),
  unlisted('fireworks', 'accounts/fireworks/models/llama-v3p1-405b-instruct', litellmPrices, {
    input_mtok: 3,
    output_mtok: 3,
  }),
];

function azure(id: string, prices: CataloguePrices, versions = ''): Correction {
  return {
    ...correction('azure', id, {
      source: litellmPrices,
      reason: 'The catalogue has a price that is not the one of Azure.',
      prices,
    }),
    model: { id, match: { regex: `^${id.replaceAll('.', '\\.')}${versions}$` }, prices },
  };
}

function perplexity(id: string, prices: CataloguePrices): Correction {
  return correction('perplexity', id, {
    source: 'https://developer.puter.com/tutorials/perplexity-api-pricing/',
    reason: 'The catalogue charges every request for the largest search context, which has to be asked for.',
    prices,
  });
}

function unlisted(provider: string, id: string, source: string, prices: CataloguePrices): Correction {
  return correction(provider, id, { source, reason: 'The catalogue lacks the model.', prices });
}

function correction(
  provider: string,
  id: string,
  { source, reason, prices }: { source: string; reason: string; prices: CatalogueModel['prices'] },
): Correction {
  return { provider, source, checkedOn: '2026-11-21', reason, model: { id, match: { equals: id }, prices } };
}
