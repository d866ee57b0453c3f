import { expect, test } from 'vitest';
import type { ModelUsage } from '../../src/advice/model-usage.ts';
import { findCreditEnd } from '../../src/advice/rules/credit-end.ts';
import { findModelSwaps, type SmallerModel } from '../../src/advice/rules/model-swap.ts';
import { findUnpricedModels } from '../../src/advice/rules/unpriced-model.ts';
import { rankSteps, type Step } from '../../src/advice/step.ts';
import { type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';

const days = { from: '2026-11-01', to: '2026-11-15', count: 15 };

const usage = (fields: Partial<ModelUsage>): ModelUsage => ({
  model: 'gpt-4o',
  calls: 10,
  unpricedCalls: 0,
  hasUnits: false,
  tokens: { input: 1_000_000, output: 100_000 },
  cost: 3.5,
  ...fields,
});

test('D25: a model without a price is estimated by the share of its calls without one, and by priced models alone', () => {
  const half = usage({ model: 'house', calls: 4, unpricedCalls: 2, tokens: { input: 2_200_000 }, cost: 99 });
  const [step, ...others] = findUnpricedModels([usage({}), half], days);
  expect(others).toEqual([]);
  // 1.1 million of its tokens, at 3.5 for 1.1 million, in twice as many days.
  expect(step).toMatchObject({ kind: 'unpriced_model', subject: 'house', amount_per_month: expect.closeTo(7, 9) });
  expect(findUnpricedModels([half], days)).toEqual([]);
});

const smaller = (rates: Partial<Record<UsageBucket, number>>): SmallerModel => ({
  name: 'gpt-4o-mini',
  perMtok: Object.fromEntries(usageBuckets.map((bucket) => [bucket, rates[bucket] ?? null])) as SmallerModel['perMtok'],
  perRequest: 0.01,
});

test('D25: a swap is offered for calls that are charged by tokens alone, all of which have a price', () => {
  const rates = { input: 0.15, output: 0.6 };
  const find = (fields: Partial<ModelUsage>, other: SmallerModel | undefined = smaller(rates)) =>
    findModelSwaps([usage(fields)], () => other, days);
  // 0.15 and 0.06 for tokens, 0.1 for ten calls.
  expect(find({})).toMatchObject([{ subject: 'gpt-4o → gpt-4o-mini', amount_per_month: expect.closeTo(2 * 3.19, 9) }]);
  expect(find({ hasUnits: true })).toEqual([]);
  expect(find({ unpricedCalls: 1 })).toEqual([]);
  expect(find({ tokens: { input: 1, output_audio: 1 } })).toEqual([]);
  expect(find({ cost: 0.31 })).toEqual([]);
  expect(findModelSwaps([usage({})], () => undefined, days)).toEqual([]);
});

test('D25: the end of credits is a step when it is near, by the grant that ends last', () => {
  const grant = { id: 'grt_1', name: null, provider: 'openai', starts_on: '2026-01-01', runs_out_on: null };
  const used = { ...grant, used: 5, remaining: 5 };
  const find = (...ends: (string | null)[]) =>
    findCreditEnd(
      { grants: ends.map((end) => ({ ...used, name: end, expires_on: end })), today: '2026-11-16', covered: 3 },
      days,
    );
  expect(find('2026-11-20', '2026-12-01', null)).toMatchObject([{ subject: '2026-12-01', amount_per_month: 6 }]);
  expect(find('2026-11-20', '2027-01-16')).toEqual([]);
  expect(find('2026-11-15')).toEqual([]);
  expect(find(null)).toEqual([]);
});

test('D25: the five dearest steps are kept, and none below a cent', () => {
  const steps = [0.2, 7, 0.009, 3, 1, 9, 0.5].map(
    (amount): Step => ({ kind: 'waste', subject: 'failed', amount_per_month: amount, reason: '', link: '' }),
  );
  expect(rankSteps(steps).map(({ amount_per_month: amount }) => amount)).toEqual([9, 7, 3, 1, 0.5]);
  expect(rankSteps(steps.slice(2, 3))).toEqual([]);
});
