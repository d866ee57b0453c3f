import { expect, test } from 'vitest';
import {
  findCreditEnds,
  findLatePrices,
  findModelSwaps,
  findUnpricedModels,
  findWaste,
  type ModelUsage,
} from '../../src/alerting/advice/rules.ts';
import { rankSteps, type Step } from '../../src/alerting/advice/step.ts';
import { parseMoney } from '../../src/lib/money.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { calcBurnDown, type DailyGross } from '../../src/reports/facts/burn-down.ts';

const days = { from: '2026-11-01', to: '2026-11-15', count: 15 };

const usage = (fields: Partial<ModelUsage>): ModelUsage => ({
  model: 'gpt-4o',
  calls: 10,
  unpricedCalls: 0,
  tokens: { input: 1_000_000, output: 100_000 },
  cost: 3.5,
  ...fields,
});

test('D25: a model without a price is estimated by the share of its calls without one, and by priced models alone', () => {
  const half = usage({ model: 'house', calls: 4, unpricedCalls: 2, tokens: { input: 2_200_000 }, cost: 99 });
  const [step, ...others] = findUnpricedModels([usage({}), half], new Set(), days);
  expect(others).toEqual([]);
  // 1.1 million of its tokens, at 3.5 for 1.1 million; a month has twice as many days.
  expect(step).toMatchObject({
    kind: 'unpriced_model',
    subject: 'house',
    amount: expect.closeTo(3.5, 9),
    amount_per_month: expect.closeTo(7, 9),
  });
  expect(findUnpricedModels([half], new Set(), days)).toEqual([]);
});

const today = '2026-11-16';
/** A grant of 1,000 USD that is in use, and its cost a day on each of the judged days. */
const grant = (name: string, fields: object = {}) => ({
  id: `grt_${name}`,
  name,
  provider: 'openai',
  models: null,
  starts_on: '2026-01-01',
  expires_on: '2026-12-01',
  runs_out_on: null,
  used: 5,
  remaining: 5,
  amount: 1_000,
  ...fields,
});
const costs = (cost: number, provider = 'openai', model = 'gpt-4o'): DailyGross[] =>
  Array.from({ length: days.count }, (_, index) => {
    const day = `2026-11-${String(index + 1).padStart(2, '0')}`;
    return { day, provider, model, cost: parseMoney(cost) ?? 0n };
  });
function findEndSteps(grants: ReturnType<typeof grant>[], spent: readonly DailyGross[]) {
  const terms = grants.map(({ id, provider, models, amount, starts_on, expires_on }, priority) => {
    return {
      id,
      provider,
      models,
      amount: parseMoney(amount) ?? 0n,
      startsOn: starts_on,
      expiresOn: expires_on,
      priority,
    };
  });
  const burnDown = runAtOnce(calcBurnDown(terms, spent));
  return findCreditEnds({ grants, costs: spent, burnDown, today }, days);
}
const findEnds = (...args: Parameters<typeof findEndSteps>) =>
  findEndSteps(...args).map(({ subject, amount_per_month: amount }) => [subject, amount]);

test('D25: a reason names the days and the amount of the page it leads to, also where they are not a month', () => {
  const rows = (['failed', 'retried', 'aborted', 'uncached_input'] as const).map((cause) => {
    return { cause, amount: 7, share: 0.5, calls: 1, bound: 'exact' as const, definition: '' };
  });
  const steps = [
    ...findWaste({ rows }, days),
    ...findModelSwaps([{ model: 'gpt-4o', amount: 7 }], new Map([['gpt-4o', 'gpt-4o-mini']]), days),
    ...findEndSteps([grant('of seven')], costs(7 / 15)),
    ...findUnpricedModels([usage({ cost: 7 }), usage({ model: 'house', unpricedCalls: 10 })], new Set(), days),
  ];
  expect(steps).toHaveLength(7);
  for (const { amount, amount_per_month: inMonth, reason, link } of steps) {
    expect([amount, inMonth]).toEqual([expect.closeTo(7, 9), expect.closeTo(14, 9)]);
    expect(reason).toMatch(/^From 2026-11-01 to 2026-11-15, [^$]* \$7\.00\b[^$]*\.$/);
    expect(link).toContain('from=2026-11-01&to=2026-11-15');
  }
});

test('D7, D25: the end of credits is a step when it is near, by the grant of the same calls that ends last', () => {
  const sooner = grant('sooner', { expires_on: '2026-11-20' });
  expect(findEnds([sooner, grant('later')], costs(2))).toEqual([['later', 60]]);
  expect(findEnds([sooner, grant('much later', { expires_on: '2027-01-16' })], costs(2))).toEqual([]);
  // Without a known end, credits of the same calls go on.
  expect(findEnds([sooner, grant('open', { expires_on: null })], costs(2))).toEqual([]);
  expect(findEnds([sooner, grant('open', { expires_on: null, provider: 'anthropic' })], costs(2))).toEqual([
    ['sooner', 60],
  ]);
  expect(findEnds([sooner, grant('of o3', { models: ['o3'] })], [...costs(2), ...costs(1, 'openai', 'o3')])).toEqual([
    ['sooner', 60],
    ['of o3', 30],
  ]);
  expect(findEnds([grant('over', { expires_on: '2026-11-15' })], costs(2))).toEqual([]);
});

test('D7, D25: what a used-up grant covered is paid already, unless a grant in use covers the same calls now', () => {
  const usedUp = grant('used up', { provider: 'anthropic', amount: 20, remaining: 0 });
  const spent = [...costs(4, 'anthropic', 'claude-haiku-4-5'), ...costs(0.4)];
  expect(findEnds([usedUp, grant('in use')], spent)).toEqual([['in use', 12]]);
  const took = grant('took over', { provider: 'anthropic', expires_on: '2026-12-02' });
  expect(findEnds([usedUp, took], spent)).toEqual([['took over', 120]]);
});

test('D27.3: a step of late prices says when it counts only some of the calls', () => {
  const late = { model: 'gpt-4o', calls: 3, unpricedCalls: 0, from: '2026-11-02', to: '2026-11-04', difference: 6 };
  const reasonOf = (isCut: boolean) => findLatePrices([{ ...late, isCut }], days)[0]?.reason;
  expect(reasonOf(false)).toMatch(/repricing these days raises their cost by \$6\.00\.$/);
  expect(reasonOf(true)).toMatch(/Only the 10,000 kinds of alike calls with most calls are counted/);
});

test('D25: the five dearest steps are kept, and none below a cent', () => {
  const steps = [0.2, 7, 0.009, 3, 1, 9, 0.5].map(
    (amount): Step => ({ kind: 'waste', subject: 'failed', amount, amount_per_month: amount, reason: '', link: '' }),
  );
  expect(rankSteps(steps).map(({ amount_per_month: amount }) => amount)).toEqual([9, 7, 3, 1, 0.5]);
  expect(rankSteps(steps.slice(2, 3))).toEqual([]);
});

test('D25: ideas take only the places that what is to be mended leaves', () => {
  const toStep = (kind: Step['kind'], amount: number): Step => {
    return { kind, subject: 'one', amount, amount_per_month: amount, reason: '', link: '' };
  };
  const swaps = [900, 800, 700].map((amount) => toStep('model_swap', amount));
  const mends = [5, 4, 3, 2].map((amount) => toStep('late_price', amount));
  const amountsOf = (steps: Step[]) => rankSteps(steps).map(({ amount_per_month: amount }) => amount);
  expect(amountsOf([...swaps, ...mends])).toEqual([900, 5, 4, 3, 2]);
  expect(amountsOf([...swaps, ...mends, toStep('unprofitable_customer', 1), toStep('waste', 6)])).toEqual([
    5, 4, 3, 2, 1,
  ]);
  expect(amountsOf([...swaps, ...mends.slice(3)])).toEqual([900, 800, 700, 2]);
});
