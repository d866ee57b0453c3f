import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
  tokenEvent,
} from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { untilDayLasts } from '../../support/midnight.ts';
import { repriceDays } from '../../support/reprice.ts';
import { askWaste } from '../D23-waste/support.ts';
import { dayAgo } from './support.ts';

const farthing = sharedFarthing();

beforeAll(async () => void (await untilDayLasts()));

const steps = z.strictObject({
  steps: z.array(
    z.strictObject({
      kind: z.enum([
        'unprofitable_customer',
        'unpriced_model',
        'late_price',
        'invoice_price',
        'credit_end',
        'waste',
        'model_swap',
      ]),
      subject: z.string(),
      amount: z.number().positive(),
      amount_per_month: z.number().positive(),
      reason: z.string().regex(/^[A-Z0-9].*\.$/),
      link: z.string().regex(/^\/(customers\/[^/]+|reconciliation|credits|prices|waste)\?/),
    }),
  ),
});

async function askSteps(project: Project) {
  const answer = steps.parse(expectStatus(await onceCaughtUp(() => project.api('GET', '/api/next-steps/')), 200)).steps;
  const amounts = answer.map(({ amount_per_month: amount }) => amount);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  expect(answer.length).toBeLessThanOrEqual(5);
  return answer;
}

const call = (daysAgo: number, fields: Json = {}): Json =>
  tokenEvent({
    timestamp: `${dayAgo(daysAgo)}T12:00:00Z`,
    model: 'gpt-4o',
    provider: 'openai',
    prompt_tokens: 1_000_000,
    completion_tokens: 100_000,
    ...fields,
    tags: { feature: randomUUID() },
  });

const days = () => ({ date_from: dayAgo(27), date_to: dayAgo(0) });
const searchOf = (link: string) => new URL(link, 'http://page').searchParams;

test('D25: a project without calls, or with nothing to save, has no steps', async () => {
  const project = await farthing.createProject();
  expect(await askSteps(project)).toEqual([]);
  // What a reported cost is for is not known where nothing is counted.
  const uncounted = { prompt_tokens: 0, completion_tokens: 0, cost: 5 };
  await project.post(call(3, { model: 'gpt-4o-mini' }), call(28), call(2, uncounted));
  expect(await askSteps(project)).toEqual([]);
});

longTest(
  'D25: a model swap is the cost above that of the same usage with the smaller model, as waste has it',
  async () => {
    const project = await farthing.createProject();
    await project.post(call(0), call(27), call(3, { model: 'claude-sonnet-4-5', provider: 'anthropic' }));
    const alternatives = { 'gpt-4o': 'gpt-4o-mini', 'claude-sonnet-4-5': 'claude-haiku-4-5' };
    const answer = await askSteps(project);
    expect(answer).toHaveLength(2);
    for (const [model, smaller] of Object.entries(alternatives)) {
      const step = answer.find(({ subject }) => subject === `${model} → ${smaller}`);
      const { wasted_at_most: wasted } = await askWaste(project, { ...days(), alternatives, models: [model] });
      expect(step).toMatchObject({
        kind: 'model_swap',
        amount: expect.closeTo(wasted, 9),
      });
      const search = searchOf(step?.link ?? '');
      expect([search.get('swap'), search.get('from'), search.get('to')]).toEqual([
        JSON.stringify({ [model]: smaller }),
        ...Object.values(days()),
      ]);
    }
  },
);

test('D23, D25: waste is a step by its cause, and a model without a price has an estimate', async () => {
  const project = await farthing.createProject();
  const small = { model: 'gpt-4o-mini' };
  await project.post(
    call(2, { ...small, event_type: 'llm.error', error_type: 'TimeoutError' }),
    call(2, { ...small, aborted: true }),
    call(2, { model: 'house-llm', provider: 'house' }),
    call(2, { model: 'house-llm', provider: 'house' }),
  );
  const { rows, total_cost: cost } = await askWaste(project, days());
  const answer = await askSteps(project);
  expect(answer.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['unpriced_model', 'house-llm'],
    ['waste', 'failed'],
    ['waste', 'aborted'],
  ]);
  // Both models have as many tokens, and two calls each.
  expect(answer[0]?.amount).toBeCloseTo(cost, 9);
  expect(answer[0]?.reason).toMatch(/, 2 calls of house-llm had no price: about \$/);
  expect(answer[1]?.amount).toBeCloseTo(rows.find(({ cause }) => cause === 'failed')?.amount ?? 0, 9);
  // Of three days: those before the first call have no pace.
  expect(answer[1]?.amount_per_month).toBeCloseTo((answer[1]?.amount ?? 0) * 10, 9);
  expect(answer[1]?.link).toBe(`/waste?from=${dayAgo(27)}&to=${dayAgo(0)}`);
});

test('D25: the customer that loses most is a step, with what its page shows, once revenue is known', async () => {
  const project = await farthing.createProject();
  const tagged = (customer: string) => ({ ...call(2, { model: 'gpt-4o-mini', cost: 30 }), tags: { customer } });
  await project.post(
    tagged('acme'),
    tagged('zeta'),
    tagged('zeta'),
    tagged('good'),
    call(2, { model: 'gpt-4o-mini', cost: 99 }),
  );
  const losses = async () => (await askSteps(project)).filter(({ kind }) => kind === 'unprofitable_customer');
  expect(await losses()).toEqual([]);
  const entries = Object.entries({ acme: 28, zeta: 12, good: 80 }).map(([customer, amount]) => {
    return { external_id: customer, customer, amount, date_from: dayAgo(3) };
  });
  expectStatus(await project.api('POST', '/api/revenue/', { entries }), 200);
  const found = await losses();
  expect(found).toMatchObject([
    { subject: 'zeta', amount: 48, link: `/customers/zeta?from=${dayAgo(27)}&to=${dayAgo(0)}` },
  ]);
  expect(found[0]?.reason).toBe(
    `From ${dayAgo(27)} to ${dayAgo(0)}, zeta paid $12.00 and cost $60.00: a loss of $48.00. 1 other customer costs more than it pays, too.`,
  );
});

test('D5.5, D25: a price that came after its calls is a step to reprice just their days, with the amount', async () => {
  const project = await farthing.createProject();
  const house = { model: 'house-llm', provider: 'house' };
  await project.post(call(9, house), call(4, house), call(2, { model: 'gpt-4o-mini' }));
  await onceCaughtUp(() => project.api('GET', '/api/next-steps/'));
  await project.addPrice({ model: 'house-llm', input_per_mtok: 1, output_per_mtok: 2 });
  const answer = await askSteps(project);
  // 1.2 a call.
  expect(answer).toMatchObject([{ kind: 'late_price', subject: 'house-llm', amount: expect.closeTo(2.4, 9) }]);
  expect(answer[0]?.link).toBe(`/prices?from=${dayAgo(9)}&to=${dayAgo(4)}`);
  expect(answer[0]?.reason).toMatch(/^2 calls of house-llm .* raises their cost by \$2\.40\.$/);
  const reprice = await project.api('POST', '/api/prices/reprice/', {
    date_from: dayAgo(9),
    date_to: dayAgo(4),
    dry_run: false,
  });
  expectStatus(reprice, 202);
});

test('D27.3: prices that changed after their calls are a step for each model, which add up to what a reprice changes', async () => {
  const project = await farthing.createProject();
  const gemini = { model: 'gemini-2.5-pro', provider: 'google' };
  await project.post(
    call(9, { service_tier: 'batch', cached_tokens: 900_000 }),
    call(6, { web_searches: 10, input_audio_tokens: 5 }),
    call(6, { error_type: 'TimeoutError' }),
    call(5, { ...gemini, prompt_tokens: 200_000 }),
    call(5, { ...gemini, prompt_tokens: 200_001 }),
    call(5, { ...gemini, prompt_tokens: 7, completion_tokens: 3 }),
    // DeepSeek's prices have hours.
    ...['01:29:59', '01:30:00', '16:00:00'].map((time) =>
      call(4, { model: 'deepseek-v3.2', provider: 'deepseek', timestamp: `${dayAgo(4)}T${time}Z` }),
    ),
    call(3, { model: 'gpt-4o-mini' }),
    call(3, { model: 'gpt-4o', cost: 7 }),
  );
  await onceCaughtUp(() => project.api('GET', '/api/next-steps/'));
  await project.addPrice({ model: 'gpt-4o', input_per_mtok: 5, output_per_mtok: 20, cache_read_per_mtok: 0.3 });
  await project.addPrice({ model: 'gemini-2.5-pro', input_per_mtok: 0.1, output_per_mtok: 1, per_request: 0.001 });
  await project.addPrice({ model: 'deepseek-v3.2', input_per_mtok: 2, output_per_mtok: 3, effective_to: dayAgo(4) });
  const late = (await askSteps(project)).filter(({ kind }) => kind === 'late_price');
  const changes = new Map(
    late.map(({ subject, reason, amount }) => [subject, reason.includes('lowers') ? -amount : amount]),
  );
  expect([...changes.keys()].sort()).toEqual(['deepseek-v3.2', 'gemini-2.5-pro', 'gpt-4o']);
  const { by_model: byModel } = await repriceDays(project, { ...days(), dry_run: true });
  for (const { model, before, after } of byModel) expect(changes.get(model) ?? 0).toBeCloseTo(after - before, 9);
  expect(late.find(({ subject }) => subject === 'gemini-2.5-pro')?.reason).toMatch(
    /^3 calls of gemini-2\.5-pro from .* have another price now: repricing these days lowers their cost by \$/,
  );
  expect(late.find(({ subject }) => subject === 'gpt-4o')?.link).toBe(`/prices?from=${dayAgo(9)}&to=${dayAgo(6)}`);
  await repriceDays(project, { ...days(), dry_run: false });
  expect((await askSteps(project)).filter(({ kind }) => kind === 'late_price')).toEqual([]);
});

test('D7.4, D25: credits that end soon are a step with what they cover', async () => {
  const project = await farthing.createProject();
  const grant = { name: 'Start', provider: 'openai', amount: 500, starts_on: dayAgo(90) };
  const later = { ...grant, name: 'Later', provider: 'anthropic', amount: 9, expires_on: dayAgo(-300) };
  for (const one of [{ ...grant, expires_on: dayAgo(-14) }, later])
    expectStatus(await project.api('POST', '/api/credit-grants/', one), 201);
  await project.post(call(5, { model: 'gpt-4o-mini', cost: 12 }));
  const answer = await askSteps(project);
  expect(answer).toMatchObject([
    { kind: 'credit_end', subject: 'Start', link: `/credits?from=${dayAgo(27)}&to=${dayAgo(0)}` },
  ]);
  const [step] = answer;
  expect(step?.amount).toBeCloseTo(12, 9);
  expect(step?.reason).toContain(dayAgo(-14));
});

longTest(
  'D18.2, D25: a price that the newest invoice contradicts is a step with the difference in a month',
  async () => {
    const project = await farthing.createProject();
    await project.addPrice({ model: 'gpt-4o-mini', provider: 'openai', input_per_mtok: 1, output_per_mtok: 2 });
    const invoiced = [10, 9, 8, 7, 6, 5];
    await project.post(...invoiced.map((daysAgo) => call(daysAgo, { model: 'gpt-4o-mini' })));
    const entries = invoiced.map((daysAgo) => ({
      external_id: `day-${daysAgo}`,
      provider: 'openai',
      model: 'gpt-4o-mini',
      date_from: dayAgo(daysAgo),
      date_to: dayAgo(daysAgo),
      amount: 0.9,
      kind: 'usage',
    }));
    expect((await project.api('POST', '/api/invoices/', { entries })).status).toBeLessThan(300);
    const answer = await askSteps(project);
    expect(answer.map(({ kind, subject }) => [kind, subject])).toEqual([['invoice_price', 'gpt-4o-mini']]);
    // 6 days of a difference of 0.3.
    expect(answer[0]?.amount).toBeCloseTo(1.8, 9);
    expect(answer[0]?.amount_per_month).toBeCloseTo(9, 9);
    expect(answer[0]?.link).toMatch(/^\/reconciliation\?month=\d{4}-\d{2}$/);
  },
);
