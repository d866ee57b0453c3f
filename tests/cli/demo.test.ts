import { expect, test } from 'vitest';
import { z } from 'zod';
import { demoCustomers } from '../../src/cli/demo/company.ts';
import type { DemoEvent } from '../../src/cli/demo/events.ts';
import { fillDemo } from '../../src/cli/demo/fill.ts';
import { dollar, type Money } from '../../src/lib/money.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { callOf, openInstalledBook, usageOf } from '../pricing/support.ts';
import { onceCaughtUp, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);

const made = z.object({ project: z.string(), events: z.number(), api_key: z.string() });

async function ask<Row extends z.ZodType>(key: string, path: string, row: Row, body: object): Promise<z.output<Row>[]> {
  const answer = await onceCaughtUp(() => farthing.send('POST', path, { token: key, body }));
  return z.object({ rows: z.array(row) }).parse(answer.body).rows;
}

/** The days of a demo of ten days that is made today, and those around them: it may be tomorrow by then. */
const [dateFrom, dateTo] = [11, -2].map((daysAgo) =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10),
);
const range = { date_from: dateFrom, date_to: dateTo };

test('D13.2: demo fills a project with calls on every day, customers that pay and some that do not pay enough', async () => {
  const demo = made.parse(await commands.runJson('demo', '--days', '10'));
  expect(demo.events).toBeGreaterThan(1_000);
  const days = await ask(demo.api_key, '/api/usage/', z.object({ calls: z.number(), errors: z.number() }), range);
  const first = days.findIndex(({ calls }) => calls > 0);
  const filled = days.slice(first, first + 10);
  // The last day may have just begun.
  expect(filled.slice(0, -1).filter(({ calls }) => calls < 50)).toEqual([]);
  expect(filled.reduce((sum, { calls }) => sum + calls, 0)).toBe(demo.events);
  const customers = await ask(demo.api_key, '/api/margin/', z.object({ risk_status: z.string() }), {
    ...range,
    aggregate: 'all',
    group_by: 'customer',
  });
  expect(customers.length).toBeGreaterThan(10);
  expect(new Set(customers.map(({ risk_status: status }) => status))).toContain('healthy');
  expect(new Set(customers.map(({ risk_status: status }) => status))).toContain('unprofitable');

  // It has something to find for every kind of advice.
  const spread = z.object({ margin: z.number() });
  const plan = z.object({ plan: z.string(), margin: z.number(), dearest_tenth: spread });
  const plans = await ask(demo.api_key, '/api/plans/', plan, { ...range, aggregate: 'all' });
  expect(plans.map((row) => row.plan)).toEqual(['', 'enterprise', 'pro', 'starter']);
  expect(plans.find(({ plan: name }) => name === 'starter')?.dearest_tenth.margin).toBeLessThan(0);
  const get = async (path: string) =>
    (await onceCaughtUp(() => farthing.send('GET', path, { token: demo.api_key }))).body;
  const { steps } = z.object({ steps: z.array(z.object({ kind: z.string() })) }).parse(await get('/api/next-steps/'));
  expect(steps.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['unprofitable_customer', 'unpriced_model', 'invoice_price', 'credit_end']),
  );
  const waste = await ask(demo.api_key, '/api/waste/', z.object({ cause: z.string(), amount: z.number() }), range);
  expect(waste.filter(({ amount }) => amount === 0)).toEqual([]);
  expect(await get('/api/shared-costs/')).toMatchObject({ rows: [{ external_id: 'demo-gpu' }] });
  expect(await get('/api/credit-cliff/')).toMatchObject({ ends_on: expect.any(String) });
});

const book = openInstalledBook();

const demoCall = z.object({
  ...{ model: z.string(), provider: z.string(), timestamp: z.string() },
  ...{ prompt_tokens: z.number().default(0), cached_tokens: z.number().default(0) },
  completion_tokens: z.number().default(0),
});

const demoEntries = z.object({
  entries: z.array(z.object({ customer: z.string(), date_to: z.string() })),
});

/** What an event of the demo costs at list prices; one of a model without a price costs nothing. */
function costOf(event: DemoEvent): Money {
  const { model, provider, timestamp, ...tokens } = demoCall.parse(event);
  const { prompt_tokens: prompt, cached_tokens: cacheRead, completion_tokens: output } = tokens;
  const usage = usageOf({ input: prompt - cacheRead, cacheRead, output });
  const call = callOf({ model, provider, time: Date.parse(timestamp), day: timestamp.slice(0, 10), usage });
  return calcCost(call, book).cost;
}

/** The events of a demo and the entries of its revenue, without a service. */
async function fillAlone(days: number, now: number) {
  const events: DemoEvent[] = [];
  const bodies: object[] = [];
  const limits: string[] = [];
  await fillDemo(
    {
      post: async (_path, body) => {
        bodies.push(Object(body));
        return {} as never;
      },
      put: async (path, body) =>
        void (path.startsWith('/api/alerts/') && limits.push(`${events.length > 0} ${path} ${JSON.stringify(body)}`)),
      postEvents: async (_client, more) => void events.push(...more),
    },
    { name: 'Demo', type: 'revenue', days, now },
  );
  return { events, limits, paid: bodies.flatMap((body) => demoEntries.safeParse(body).data?.entries ?? []) };
}

/** Whether each plan pays, and whether its dearest customer does, with the revenue of so many days in the shortest month. */
function listPlans(events: readonly DemoEvent[], paidDays: bigint) {
  const costs = Map.groupBy(events, ({ tags }) => Object(tags).customer);
  const sums = demoCustomers.map(({ name, monthly, tags }) => ({
    plan: tags.plan,
    cost: (costs.get(name) ?? []).reduce((sum, event) => sum + costOf(event), 0n),
    revenue: (paidDays * BigInt(monthly) * dollar) / 28n,
  }));
  return [...Map.groupBy(sums, ({ plan }) => plan)].map(([plan, ofPlan]) => {
    const [dearest] = ofPlan.toSorted((one, other) => Number(other.cost - one.cost));
    const total = (key: 'cost' | 'revenue') => ofPlan.reduce((sum, one) => sum + one[key], 0n);
    return { plan, pays: total('revenue') > total('cost'), dearestPays: dearest && dearest.revenue >= dearest.cost };
  });
}

test('D13.2, D20.3: no alert fires while a demo is filled, and then each by its usual limits', async () => {
  const { limits } = await fillAlone(1, Date.now());
  const toAlert = (kind: string, when: boolean) =>
    limits.filter((put) => put.startsWith(`${when} /api/alerts/${kind}/`));
  for (const kind of [
    'anomaly',
    'runaway',
    'unprofitable_customer',
    'unpriced_model',
    'coverage_drop',
    'credit_ending',
  ])
    expect([toAlert(kind, false).length, toAlert(kind, true).length]).toEqual([1, 1]);
  expect(toAlert('anomaly', true)[0]).toContain('{"least_amount":5}');
});

// The fewest calls are those of a demo whose last day has just begun; at weekends there are fewer than on other days.
test.each([...Array(7).keys()])(
  'D13.2, D29.1: a demo on day %i of any week has a plan whose dearest customer costs more than it pays, and plans that pay',
  async (day) => {
    const { events, paid } = await fillAlone(10, Date.UTC(2026, 10, 22 + day, 0, 5));
    // Each month ends with its entry, so that the daily revenue of a customer is that of the month.
    expect(new Set(paid.map(({ date_to: to }) => to))).toEqual(new Set(['2026-11-30']));
    // The ten days, and two that may be asked for with them.
    expect(listPlans(events, 12n)).toEqual([
      { plan: 'enterprise', pays: true, dearestPays: true },
      expect.objectContaining({ plan: 'pro', pays: true }),
      expect.objectContaining({ plan: 'starter', dearestPays: false }),
    ]);
  },
);

test('D13.2, D29.1: one plan of the usual demo loses, on its last 4 and 13 weeks', async () => {
  const now = Date.UTC(2026, 10, 22, 0, 5);
  const { events } = await fillAlone(90, now);
  for (const days of [28, 91]) {
    const from = new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const plans = listPlans(
      events.filter(({ timestamp }) => String(timestamp) >= from),
      BigInt(days),
    );
    expect(plans.filter(({ pays }) => !pays).map(({ plan }) => plan)).toEqual(['starter']);
  }
});

test('D13.2: demo --type internal fills a project with users and what they got done', async () => {
  const demo = made.parse(await commands.runJson('demo', '--days', '10', '--type', 'internal'));
  const row = z.object({ user: z.string(), key_metrics: z.record(z.string(), z.object({ value: z.number() })) });
  const users = await ask(demo.api_key, '/api/performance/', row, { ...range, aggregate: 'all', group_by: 'user' });
  expect(users.map(({ user }) => user)).toEqual(['ann', 'ben', 'chloe', 'dev', 'elif', 'farid', 'greta']);
  expect(users.every(({ key_metrics: metrics }) => (metrics['tickets resolved']?.value ?? 0) > 0)).toBe(true);
});

test('D13.2: demo says how it is looked at and how it is deleted, and so it is', async () => {
  const said = await commands.run('demo', '--days', '1', '--name', 'Short');
  expect(said).toContain(`Open ${farthing.url}/`);
  const [, deleting = ''] = /^Delete it with: node bin\/farthing\.js (.+)$/m.exec(said) ?? [];
  expect(await commands.run(...deleting.split(' '))).toMatch(/^Deleted prj_/);
});

test('D13.2: demo says in one line what it does not take', async () => {
  expect(await commands.fail('demo', '--days', '0')).toContain('from 1 to 365');
});
