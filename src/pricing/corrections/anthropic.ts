import type { CatalogueModel, Correction } from '../catalogue-data.ts';
import { cachePrices, surcharged } from './cache-prices.ts';

const priceList = 'https://platform.claude.com/docs/en/about-claude/pricing';

export const anthropicCorrections: readonly Correction[] = [
  {
    provider: 'anthropic',
    source: 'https://docs.anthropic.com/en/docs/about-claude/pricing',
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the price of prompts above 200,000 tokens.',
    model: {
      id: 'claude-sonnet-4-0',
      match: {
        or: [
          { starts_with: 'claude-sonnet-4-2025' },
          { starts_with: 'claude-sonnet-4-0' },
          { starts_with: 'claude-sonnet-4@' },
          { equals: 'claude-sonnet-4' },
          { starts_with: 'claude-4-sonnet' },
        ],
      },
      prices: surcharged({ input: 3, output: 15 }, { above: 200_000, input: 6, output: 22.5 }),
    },
  },
  {
    provider: 'anthropic',
    source: 'https://github.com/kurofune/claudit/releases/tag/v1.9.2',
    checkedOn: '2026-11-21',
    reason: 'The catalogue takes it for Sonnet 5, whose cache reads stayed dearer.',
    model: {
      id: 'claude-sonnet-5-5',
      match: named('claude-sonnet-5', '5'),
      prices: [
        { prices: cachePrices({ input: 2, output: 10 }) },
        {
          constraint: { start_date: '2026-10-07' },
          prices: { ...cachePrices({ input: 2, output: 10 }), cache_read_mtok: 0.1 },
        },
      ],
    },
  },
  {
    provider: 'anthropic',
    source: priceList,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the model, which few may use.',
    model: {
      id: 'claude-mythos-5-1',
      match: named('claude-mythos-5', '1'),
      prices: { ...cachePrices({ input: 10, output: 50 }), cache_read_mtok: 0.25 },
    },
  },
  {
    provider: 'anthropic',
    source: priceList,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the model, which few may use.',
    model: {
      id: 'claude-mythos-5',
      match: { regex: '^claude-mythos-5(?:-\\d{8})?$' },
      prices: cachePrices({ input: 10, output: 50 }),
    },
  },
];

/** `claude-sonnet-5-5`, `claude-sonnet-5.5` and their dated names. */
function named(family: string, minor: string): CatalogueModel['match'] {
  return { regex: `^${family}[-.]${minor}(?:[-@]\\d{8})?$` };
}
