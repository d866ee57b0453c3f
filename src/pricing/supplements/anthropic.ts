import type { Supplement } from '../supplement-data.ts';

const priceList = 'https://platform.claude.com/docs/en/about-claude/pricing';
const fastMode = 'https://platform.claude.com/docs/en/build-with-claude/fast-mode';

/** The models that can be pinned to the US: Opus 4.6, Sonnet 4.6 and all newer ones. */
const since46 =
  '^claude-(?:(?:opus|sonnet|haiku)-4[-.][6-9]|4[-.][6-9]-(?:opus|sonnet|haiku)|(?:opus|sonnet|haiku|fable|mythos)-5|5(?:[-.]\\d)?-(?:opus|sonnet|haiku))';

/**
 * Without the priority tier, which is bought ahead at unpublished prices, and the code execution tool (see the README).
 */
export const anthropicSupplements: readonly Supplement[] = [
  anthropic({ when: { service_tier: ['standard', 'standard_only', 'auto', 'default'] }, tokens: { factor: '1' } }),
  anthropic({
    note: 'Half of every token price, also of cache reads and writes.',
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  anthropic({ when: { geo: ['global', 'not_available'] }, tokens: { factor: '1' } }),
  anthropic({
    note: 'Inference in the US alone costs 1.1 times all token prices, from Opus 4.6 on; older models refuse it.',
    match: { regex: since46 },
    when: { geo: ['us'] },
    tokens: { factor: '1.1' },
  }),
  anthropic({ when: { speed: ['standard'] }, tokens: { factor: '1' } }),
  fast('(?:opus-4[-.][67]|4[-.][67]-opus)', '6', '30 and 150 for input and output, and caching in proportion.'),
  fast('(?:opus-4[-.]8|4[-.]8-opus)', '2', '10 and 50 for input and output, and caching in proportion.'),
  fast(
    '(?:opus-5(?:-\\d{8})?$|opus-5\\.0|5(?:\\.0)?-opus)',
    '2',
    '10 and 50 for input and output, and caching in proportion.',
  ),
  fast('(?:opus-5[-.]5|5[-.]5-opus)', '2', '8 and 40 for input and output, and caching in proportion.'),
  anthropic({ units: { web_searches: { usd: 10, per: 1_000 }, web_fetches: { usd: 0, per: 1 } } }),
];

function anthropic(supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'>): Supplement {
  return { kind: 'supplement', providers: ['anthropic'], source: priceList, checkedOn: '2026-11-24', ...supplement };
}

/** Fast mode multiplies the prices of the whole context window. */
function fast(model: string, factor: string, note: string): Supplement {
  return {
    ...anthropic({ note, match: { regex: `^claude-${model}` }, when: { speed: ['fast'] }, tokens: { factor } }),
    source: fastMode,
  };
}
