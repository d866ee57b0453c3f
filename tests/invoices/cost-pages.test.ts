import { expect, test } from 'vitest';
import { anthropicCosts } from '../../src/billing/invoices/files/anthropic-costs.ts';
import { type CostApi, readCostPages } from '../../src/billing/invoices/files/cost-pages.ts';
import { modelOfLineItem, openAiCosts } from '../../src/billing/invoices/files/openai-costs.ts';

async function* valuesOf(...pages: readonly unknown[]) {
  for (const [index, value] of pages.entries()) yield { line: index + 1, value };
}
const readPages = async (api: CostApi, ...pages: readonly unknown[]) => await readCostPages(api, valuesOf(...pages));

/** As in the reference of the API, with the line items of the cookbook. */
const openAiBucket = {
  object: 'bucket',
  start_time: 1_736_553_600,
  end_time: 1_736_640_000,
  results: [
    ['gpt-4o-2024-08-06, input', 0.12744],
    ['gpt-4o-2024-08-06, output', '0.003090'],
    ['assistants api | file search', 0.000271],
    ['priority | gpt-5.6-sol, output, long context', 1e-7],
  ].map(([lineItem, value]) => ({
    object: 'organization.costs.result',
    amount: { value, currency: 'usd' },
    line_item: lineItem,
    project_id: 'proj_a',
    organization_id: 'org-a',
  })),
};
const openAiPage = { object: 'page', data: [openAiBucket], has_more: false, next_page: null };

test('D18.1: pages of OpenAI’s costs become entries of one UTC day in USD', async () => {
  const { entries, faults, isIncomplete } = await readPages(openAiCosts, openAiPage);
  expect([faults, isIncomplete]).toEqual([[], false]);
  const day = { provider: 'openai', date_from: '2025-01-11', date_to: '2025-01-11', kind: 'usage' };
  expect(entries.map(({ entry }) => entry)).toMatchObject([
    { ...day, model: 'gpt-4o-2024-08-06', amount: '0.127440000000', description: 'gpt-4o-2024-08-06, input' },
    { ...day, model: 'gpt-4o-2024-08-06', amount: '0.003090000000' },
    { ...day, amount: '0.000271000000', description: 'assistants api | file search' },
    { ...day, model: 'gpt-5.6-sol', amount: '0.000000100000' },
  ]);
  expect(entries[2]?.entry).not.toHaveProperty('model');
});

test('D18.1: a bucket that is saved twice counts once; results that nothing tells apart count each', async () => {
  const alike = { amount: { value: 0.06, currency: 'usd' }, line_item: null, project_id: null };
  const page = {
    data: [{ start_time: 1_730_419_200, end_time: 1_730_505_600, results: [alike, alike] }],
    has_more: true,
  };
  const { entries, isIncomplete } = await readPages(openAiCosts, page, page);
  expect(entries.map(({ entry }) => entry.amount)).toEqual(['0.060000000000', '0.060000000000']);
  expect(new Set(entries.map(({ entry }) => entry.external_id)).size).toBe(2);
  expect(isIncomplete).toBe(true);
  expect((await readPages(openAiCosts, page, openAiPage)).isIncomplete).toBe(false);
});

test('D18.1, D30.1: a time that no calendar has, and an amount without a currency, are faults of the page', async () => {
  const result = { amount: { value: 1 }, line_item: 'x' };
  const far = { start_time: 1e300, end_time: 1e301, results: [result] };
  const { entries, faults } = await readPages(openAiCosts, { data: [far, { ...openAiBucket, results: [result] }] });
  expect(entries).toEqual([]);
  expect(faults.map(({ message }) => message)).toEqual([
    'has a bucket without a beginning, an end or results',
    'has a result of 2025-01-11 that is in no currency: amounts must be in USD',
  ]);
});

test.each([
  ['gpt-4o-mini-2024-07-18, cached input', 'gpt-4o-mini-2024-07-18'],
  ['gpt-5.4-mini-2026-03-17, cache writes', 'gpt-5.4-mini-2026-03-17'],
  ['gpt-audio-mini-2025-12-15 audio, input', 'gpt-audio-mini-2025-12-15'],
  ['gpt-image-2 image, output', 'gpt-image-2'],
  ['text-embedding-3-large', 'text-embedding-3-large'],
  ['whisper-1, audio', 'whisper-1'],
  ['ft-gpt-4o-2024-08-06, input', 'ft-gpt-4o-2024-08-06'],
  ['web search tool calls', undefined],
  ['Vector storage', undefined],
  ['assistants api | code interpreter', undefined],
])('D18.1: the model of the line item %j is %j', (lineItem, model) => {
  expect(modelOfLineItem(lineItem)).toBe(model);
});

/** As in the reference of the API. */
const anthropicResult = {
  amount: '123.78912',
  context_window: '0-200k',
  cost_type: 'tokens',
  currency: 'USD',
  description: 'Claude Sonnet 4 Usage - Input Tokens',
  inference_geo: 'global',
  model: 'claude-sonnet-4-20250514',
  service_tier: 'standard',
  token_type: 'uncached_input_tokens',
  workspace_id: 'wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ',
};
const anthropicPage = (results: readonly unknown[]) => ({
  data: [{ starting_at: '2025-08-01T00:00:00Z', ending_at: '2025-08-02T00:00:00Z', results }],
  has_more: false,
  next_page: null,
});

test('D18.1: pages of Anthropic’s cost report are in cents, and name no model for searches', async () => {
  const search = {
    ...anthropicResult,
    ...{ amount: '1000', cost_type: 'web_search', description: 'Web Search Usage', model: null },
    ...{ token_type: null, service_tier: null, context_window: null },
  };
  const batch = { ...anthropicResult, service_tier: 'batch', amount: '0.005' };
  const { entries, faults } = await readPages(anthropicCosts, anthropicPage([anthropicResult, search, batch]));
  expect(faults).toEqual([]);
  const day = { provider: 'anthropic', date_from: '2025-08-01', date_to: '2025-08-01' };
  expect(entries.map(({ entry }) => entry)).toMatchObject([
    { ...day, amount: '1.237891200000', model: 'claude-sonnet-4-20250514' },
    { ...day, amount: '10.000000000000', description: 'Web Search Usage' },
    { ...day, amount: '0.000050000000', model: 'claude-sonnet-4-20250514' },
  ]);
});

test('D18.1: what is no page of costs is refused by line, and so is another currency', async () => {
  const { faults } = await readPages(
    anthropicCosts,
    { data: 'none' },
    { data: [{ results: [] }] },
    anthropicPage([
      { ...anthropicResult, currency: 'EUR' },
      { ...anthropicResult, amount: null },
    ]),
  );
  expect(faults).toMatchObject([
    { line: 1, message: expect.stringContaining('is no page of costs: save the answers of GET') },
    { line: 2, message: expect.stringContaining('bucket without') },
    { line: 3, message: expect.stringContaining('is in EUR: amounts must be in USD') },
    { line: 3, message: expect.stringContaining('has no amount') },
  ]);
});
