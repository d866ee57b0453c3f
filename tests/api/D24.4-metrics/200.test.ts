import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  costEvent,
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
} from '../../support/client.ts';
import { type Family, readExposition, samplesOf } from '../../support/exposition.ts';
import { longTest } from '../../support/long-test.ts';
import { noon } from '../../support/noon.ts';
import { addBudget, showBudget } from '../D20-budgets/support.ts';

const farthing = sharedFarthing();

async function scrape(project: Project): Promise<Map<string, Family>> {
  const answer = await onceCaughtUp(() => project.api('GET', '/api/metrics/'));
  expectStatus(answer, 200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readExposition(answer.text, { isOpenMetrics: false });
}

const today = new Intl.DateTimeFormat('en-CA', { timeZone: noon.timezone }).format(Date.now());
const firstDay = `${today.slice(0, 8)}01`;
const spans = { today, month: firstDay } as const;

const usagePage = z.object({
  rows: z.array(
    z.object({
      customer: z.string().optional(),
      feature: z.string().optional(),
      model: z.string().optional(),
      calls: z.number(),
      errors: z.number(),
      unpriced_calls: z.number(),
    }),
  ),
});

/** What costs and usage answer, as samples of the metrics of one span. */
async function expectSpan(project: Project, families: ReadonlyMap<string, Family>, span: keyof typeof spans) {
  for (const dimension of ['customer', 'feature', 'model'] as const) {
    const question = { date_from: spans[span], date_to: today, aggregate: 'all', group_by: dimension, limit: 1_000 };
    const costs = await project.allCosts(question);
    const usage = usagePage.parse(
      expectStatus(await onceCaughtUp(() => project.api('POST', '/api/usage/', question)), 200),
    ).rows;
    const readValues = (metric: string) =>
      new Map(samplesOf(families, metric).map(({ labels, value }) => [labels[dimension], value]));
    expect(readValues(`farthing_${dimension}_cost_${span}_usd`)).toEqual(
      new Map(costs.map((row) => [row[dimension], row.cost])),
    );
    for (const field of ['calls', 'errors', 'unpriced_calls'] as const) {
      expect(readValues(`farthing_${dimension}_${field}_${span}`)).toEqual(
        new Map(usage.map((row) => [row[dimension], row[field]])),
      );
    }
  }
  const [total] = await project.allCosts({ date_from: spans[span], date_to: today, aggregate: 'all' });
  expect(samplesOf(families, `farthing_project_cost_${span}_usd`)).toMatchObject([{ value: total?.cost }]);
}

const call = (day: string, fields: Json & { cost: number }) =>
  costEvent({ timestamp: `${day}T12:00:00${noon.offset}`, ...fields });

test('D24.4: the metrics are what costs and usage answer for today and for the month, by customer, feature and model', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone });
  const names = ['acme', '', 'a "quoted" name', 'back\\slash\\n', 'two\nlines', 'other', '日本'];
  await project.post(
    ...names.flatMap((customer, index) => [
      call(today, { cost: 0.1 + index, model: `m${index % 2}`, tags: { customer, feature: index % 3 ? 'chat' : '' } }),
      call(firstDay, { cost: 0.7, model: 'm1', tags: { customer, feature: 'search' } }),
    ]),
    call(today, { cost: 0.2, event_type: 'llm.error', model: 'm0', tags: { customer: 'acme' } }),
    // Calls of other months, and one without a price.
    call('2024-05-15', { cost: 1_000, tags: { customer: 'acme' } }),
    {
      event_id: randomUUID(),
      event_type: 'llm.after',
      timestamp: `${today}T12:00:00${noon.offset}`,
      model: 'no-such-model',
      prompt_tokens: 5,
      tags: { customer: 'acme' },
    },
  );
  const families = await scrape(project);
  for (const span of ['today', 'month'] as const) await expectSpan(project, families, span);
  expect(samplesOf(families, 'farthing_project_unpriced_calls_today')).toMatchObject([{ labels: {}, value: 1 }]);
  expect(samplesOf(families, 'farthing_project_errors_today')).toMatchObject([{ value: 1 }]);
  expect(samplesOf(families, 'farthing_customer_calls_today').some(({ labels }) => 'aggregate' in labels)).toBe(false);
  expect(samplesOf(families, 'farthing_project_info')).toMatchObject([
    { labels: { id: project.id, timezone: noon.timezone } },
  ]);

  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
  const answer = await project.api('GET', '/api/metrics/', undefined, { headers: { accept } });
  expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(readExposition(answer.text, { isOpenMetrics: true })).toEqual(families);
});

longTest(
  'D24.4: beyond 100 values the rest is one series, a customer called other is not in it, and the sums are the total',
  async () => {
    const project = await farthing.createProject({ timezone: noon.timezone });
    const events = Array.from({ length: 130 }, (_, index) =>
      call(today, { cost: index / 10, model: 'm', tags: { customer: index === 129 ? 'other' : `c${index}` } }),
    );
    await project.post(...events);
    const families = await scrape(project);
    const samples = samplesOf(families, 'farthing_customer_cost_today_usd');
    const rest = samples.filter(({ labels }) => labels.aggregate === 'rest');
    const named = samples.filter(({ labels }) => !('aggregate' in labels));
    expect(named.map(({ labels, value }) => [labels.customer, value]).toSorted()).toEqual(
      Array.from({ length: 100 }, (_, index) => [
        index === 99 ? 'other' : `c${index + 30}`,
        (index + 30) / 10,
      ]).toSorted(),
    );
    // 0.0 + 0.1 + … + 2.9
    expect(rest).toMatchObject([{ labels: { aggregate: 'rest', customer: 'other' }, value: 43.5 }]);
    const calls = samplesOf(families, 'farthing_customer_calls_today');
    expect(calls.find(({ labels }) => labels.aggregate === 'rest')?.value).toBe(30);

    const [total] = await project.allCosts({ date_from: today, date_to: today, aggregate: 'all' });
    expect(samplesOf(families, 'farthing_project_cost_today_usd')).toMatchObject([{ value: total?.cost }]);
    const sum = samples.reduce((all, { value }) => all + value, 0);
    expect(Math.abs(sum - (total?.cost ?? 0))).toBeLessThan(1e-9);
    expect(calls.reduce((all, { value }) => all + value, 0)).toBe(130);
  },
);

test('D24.4: budgets show amount, spent and forecast as their route does; those with each have none', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone });
  await project.post(call(today, { cost: 3.5, tags: { customer: 'acme' } }));
  await addBudget(project, { name: 'a "day"', amount: 10, period: 'day' });
  await addBudget(project, { name: 'each', amount: 10, period: 'day', each: 'customer' });
  const shown = await showBudget(project, 'a "day"');
  const families = await scrape(project);
  const readValues = (metric: string) => samplesOf(families, metric).map(({ labels, value }) => [labels.budget, value]);
  expect(readValues('farthing_budget_limit_usd')).toEqual([['a "day"', 10]]);
  expect(readValues('farthing_budget_spent_usd')).toEqual([['a "day"', 3.5]]);
  expect(shown.spent).toBe(3.5);
  const forecasts = readValues('farthing_budget_forecast_usd');
  expect(forecasts.length).toBe(shown.forecast === null ? 0 : 1);
});
