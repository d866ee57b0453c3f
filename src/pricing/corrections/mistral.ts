import type { CatalogueModel, Correction } from '../catalogue-data.ts';
import { modelsDev } from './sources.ts';

const llmPricesPull = 'https://github.com/simonw/llm-prices/pull/63';

/** Mistral moves its `-latest` names to newer models without notice. */
export const mistralCorrections: readonly Correction[] = [
  {
    provider: 'mistral',
    source: llmPricesPull,
    checkedOn: '2026-11-21',
    reason:
      'The alias moved from Mistral Large 2.1 to Mistral Large 3 on its release; the catalogue has the old prices.',
    model: {
      id: 'mistral-large-latest',
      match: { equals: 'mistral-large-latest' },
      prices: [
        { prices: { input_mtok: 2, output_mtok: 6 } },
        {
          constraint: { start_date: '2025-12-02' },
          prices: { input_mtok: 0.5, cache_read_mtok: 0.05, output_mtok: 1.5 },
        },
        // No list has moved it on to the preview of Mistral Large 4, whose prices are by its own name.
      ],
    },
  },
  {
    provider: 'mistral',
    source: 'https://github.com/promptfoo/promptfoo/pull/9929',
    checkedOn: '2026-11-21',
    reason: 'The alias moved to Mistral Medium 3.5, as the catalogue knows of `mistral-medium-latest`, with its date.',
    model: {
      id: 'mistral-medium',
      match: { equals: 'mistral-medium' },
      prices: [
        { prices: { input_mtok: 0.4, cache_read_mtok: 0.04, output_mtok: 2 } },
        {
          constraint: { start_date: '2026-06-16' },
          prices: { input_mtok: 1.5, cache_read_mtok: 0.15, output_mtok: 7.5 },
        },
      ],
    },
  },
  {
    provider: 'mistral',
    source: llmPricesPull,
    checkedOn: '2026-11-21',
    reason: 'The catalogue does not know the alias, which moved to Ministral 3 3B on its release.',
    model: {
      id: 'ministral-3b-latest',
      match: { equals: 'ministral-3b-latest' },
      prices: [
        { prices: { input_mtok: 0.04, output_mtok: 0.04 } },
        {
          constraint: { start_date: '2025-12-02' },
          prices: { input_mtok: 0.1, cache_read_mtok: 0.01, output_mtok: 0.1 },
        },
      ],
    },
  },
  unlisted('devstral-medium-2507', { input_mtok: 0.4, output_mtok: 2 }),
  unlisted('devstral-medium-latest', { input_mtok: 0.4, output_mtok: 2 }),
  unlisted('devstral-latest', { input_mtok: 0.4, output_mtok: 2 }),
];

function unlisted(id: string, prices: CatalogueModel['prices']): Correction {
  return {
    provider: 'mistral',
    source: modelsDev,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the model.',
    model: { id, match: { regex: `^${id}(?:-\\d{4})?$` }, prices },
  };
}
