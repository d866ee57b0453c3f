import type { Supplement } from '../supplement-data.ts';

/** DeepSeek sells one tier, which clients of the OpenAI SDK may name. Its peak hours are in the corrections. */
export const deepseekSupplements: readonly Supplement[] = [
  {
    kind: 'supplement',
    providers: ['deepseek'],
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checkedOn: '2026-11-24',
    when: { service_tier: ['default', 'auto', 'standard'] },
    tokens: { factor: '1' },
  },
];
