import { expect, it } from 'vitest';
import { anthropic } from '../../src/billing/provider-accounts/apis/anthropic.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { readUsage } from '../../src/usage/usage.ts';
import { callOf, openInstalledBook } from '../pricing/support.ts';

const book = openInstalledBook();

/** What a bucket of Anthropic's usage report costs, with a million tokens of input in requests of an unknown number. */
function costOf(model: string, contextWindow: string | null) {
  const result = { model, context_window: contextWindow, uncached_input_tokens: 1_000_000, output_tokens: 0 };
  const page = { data: [{ starting_at: '2026-11-20T00:00:00Z', results: [result] }] };
  const part = anthropic.parts.find(({ name }) => name === 'usage/messages');
  const [event = {}] = part?.usage?.(page).map(({ outcome }) => outcome.usage) ?? [];
  const { usage } = readUsage(event);
  const requests = typeof event.num_requests === 'number' ? event.num_requests : 1;
  const call = callOf({ provider: 'anthropic', model, usage, requests, mayBeSum: event.may_be_sum === true });
  const { cost, partlyPriced } = calcCost(call, book);
  return [Number(cost) / 1e12, ...partlyPriced];
}

it('D30.2: a bucket whose prompts may be short or long has the price of short ones, and says so', () => {
  // Claude Haiku 5.5 costs five times as much above 100,000 tokens, Claude Sonnet 4.5 twice above 200,000.
  expect(costOf('claude-haiku-5-5', '0-200k')).toEqual([0.1, 'prompt_sizes']);
  expect(costOf('claude-haiku-5-5', null)).toEqual([0.1, 'prompt_sizes']);
  expect(costOf('claude-haiku-5-5', '200k-1M')).toEqual([0.5]);
  expect(costOf('claude-sonnet-4-5', '0-200k')).toEqual([3]);
  expect(costOf('claude-opus-5', '0-200k')).toEqual([5]);
});
