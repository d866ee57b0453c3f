// What a key may set: tags, budgets, metrics, prices, revenue, closes; to the limit, and again and again.
import type { Attack } from '../attack.ts';
import { makeBatch } from '../target.ts';

const dayMs = 86_400_000;
const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const tags: Attack = {
  name: 'tags of customers and users to the limit',
  run: async (target) => {
    const wide = Object.fromEntries(range(100).map((key) => [`k${key}`, `v${key}`.padEnd(30, 'x')]));
    await target.repeat(4, async (serial) => {
      const customers = range(900).map((index) => ({ customer_name: `c${serial * 900 + index}`, tags: wide }));
      await target.ask({ path: '/api/customer-tags/', body: { customers, upsert: true } });
      await target.ask({
        path: '/api/costs/',
        body: { date_from: dayOf(30), group_by: 'customer', customer_tags: { k1: wide.k1, k2: 'none' } },
      });
      await target.ask({ method: 'GET', path: '/api/customers/?limit=1000' });
    });
  },
};

const budgets: Attack = {
  name: 'as many budgets as there may be, each asked about',
  run: async (target) => {
    const customers = target.size(1_000, 50_000);
    for (let at = 0; at < customers && !target.isOver; at += 1_000) {
      await target.post(
        makeBatch(1_000, (index) => ({ tags: { customer: `c${at + index}`, user: `u${at + index}` } })),
        {
          calls: 1_000,
        },
      );
    }
    const each = ['customer', 'user', 'feature'];
    const budget = (index: number) => ({
      ...{ name: `b${index}`, amount: 1 + index, period: 'quarter', each: each[index % 3] },
      ...{ apply_credits: index % 2 === 0, thresholds: [1, 2, 3], scope: { customer_tags: { plan: 'x' } } },
      ...(index % 2 === 0 && { scope: {} }),
    });
    const count = target.size(30, 200);
    await Promise.all(range(count).map((index) => target.ask({ path: '/api/budgets/', body: budget(index) })));
    await target.repeat(16, async (serial) => {
      const name = `b${serial % count}`;
      if (serial % 10 === 0)
        await target.post(
          makeBatch(50, (index) => ({ tags: { customer: `c${serial + index}` } })),
          { calls: 50 },
        );
      if (serial % 25 === 0)
        await target.ask({ method: 'PUT', path: `/api/budgets/${name}/`, body: budget(serial % count) });
      await target.ask({ method: 'GET', path: `/api/budgets/${name}/check/?of=c${serial}` });
      if (serial % 7 === 0) await target.ask({ method: 'GET', path: `/api/budgets/${name}/` });
    });
  },
};

const keyMetrics: Attack = {
  name: 'as many key metrics as there may be',
  projectType: 'internal',
  run: async (target) => {
    const count = target.size(20, 100);
    const metric = (index: number) => ({
      event_type: `t${index % 3}`,
      aggregation: 'unique',
      field: `/data/a${index}`,
    });
    await Promise.all(
      range(count).map((index) =>
        target.ask({ method: 'PUT', path: `/api/key-metrics/m${index}/`, body: metric(index) }),
      ),
    );
    const data = Object.fromEntries(range(count).map((index) => [`a${index}`, index]));
    await target.repeat(8, async (serial) => {
      const more = (index: number) => ({
        event_type: `t${index % 3}`,
        data: { ...data, a1: serial + index },
        tags: { user: `u${index}` },
      });
      if (serial % 4 === 0) await target.post(makeBatch(target.size(200, 1_000), more), { calls: 0 });
      const body = { date_from: dayOf(365), aggregate: 'day', group_by: 'user', limit: 1_000 };
      await target.ask({ path: '/api/performance/', body });
    });
  },
};

const override = (serial: number) => ({
  ...{ model: `m${serial % 400}*`, input_per_mtok: serial % 97, output_per_mtok: 1 },
  terms: { service_tier: `t${serial}` },
});

const prices: Attack = {
  name: 'price books by the thousand',
  run: async (target) => {
    const ids: string[] = [];
    await target.repeat(8, async (serial) => {
      const { text } = await target.ask({ path: '/api/prices/', body: override(serial) });
      const id = /"id":"(prc_\w+)"/.exec(text)?.[1];
      if (id !== undefined) ids.push(id);
      if (serial % 3 === 0)
        await target.post(
          makeBatch(20, () => ({ model: `m${serial}x`, prompt_tokens: 10 })),
          { calls: 20 },
        );
      if (ids.length > 900) await target.ask({ method: 'DELETE', path: `/api/prices/${ids.shift()}/` });
    });
  },
};

const reprices: Attack = {
  name: 'reprices, rereads and what-ifs in loops',
  run: async (target) => {
    for (let batch = 0; batch < target.size(1, 8) && !target.isOver; batch += 1) {
      await target.post(
        makeBatch(5_000, (index) => ({
          ...{ timestamp: `${dayOf(index % 300)}T12:00:00Z`, model: 'gpt-4o', provider: 'openai', prompt_tokens: 10 },
          tags: { customer: `c${index}` },
        })),
        { calls: 5_000 },
      );
    }
    const whole = { date_from: dayOf(300), date_to: dayOf(0) };
    const kinds = [
      { ...whole, dry_run: false },
      { ...whole, dry_run: true },
      { ...whole, dry_run: false, reread: true },
      { ...whole, assume: { models: { 'gpt-4o': 'gpt-4o-mini' }, cached_share: 0.5 } },
      {
        ...whole,
        assume: {
          overrides: range(50).map((index) => ({ model: `m${index}`, input_per_mtok: 1, output_per_mtok: 1 })),
        },
      },
    ];
    await target.repeat(6, async (serial) => {
      await target.ask({ path: '/api/prices/reprice/', body: kinds[serial % kinds.length] ?? {} });
      await target.ask({ path: '/api/prices/', body: override(serial) });
      await target.ask({ method: 'GET', path: '/api/prices/reprices/?limit=1000' });
      await target.wait(20);
    });
  },
};

const revenue: Attack = {
  name: 'revenue over ten years, replaced again and again',
  run: async (target) => {
    const entries = (serial: number) =>
      range(1_000).map((index) => ({
        ...{ external_id: `e${index}`, customer: `c${index}`, amount: String(serial + index) },
        ...{ date_from: '2016-01-01', date_to: '2025-12-31' },
      }));
    await target.repeat(6, async (serial) => {
      if (serial % 3 === 0) await target.ask({ path: '/api/revenue/', body: { entries: entries(serial) } });
      const body = {
        date_from: '2016-01-01',
        date_to: '2025-12-31',
        aggregate: 'day',
        group_by: 'customer',
        limit: 1_000,
      };
      await target.ask({
        path: serial % 2 === 0 ? '/api/margin/' : '/api/margin/?format=ndjson',
        body: serial % 2 === 0 ? body : { ...body, limit: undefined },
      });
    });
  },
};

const credits: Attack = {
  name: 'a thousand credit grants on every day',
  run: async (target) => {
    await target.post(
      makeBatch(2_000, (index) => ({
        timestamp: `${dayOf(index % 700)}T12:00:00Z`,
        model: `m${index % 50}`,
        provider: `p${index % 5}`,
      })),
      { calls: 2_000 },
    );
    const grant = (index: number) => ({
      ...{ provider: `p${index % 5}`, amount: '0.000000000001', starts_on: '2016-01-01', priority: index },
      models: range(50).map((model) => `m${model}*`),
    });
    const count = target.size(50, 1_000);
    for (let at = 0; at < count && !target.isOver; at += 50) {
      await Promise.all(range(50).map((index) => target.ask({ path: '/api/credit-grants/', body: grant(at + index) })));
    }
    const body = {
      date_from: '2016-01-01',
      date_to: '2025-12-31',
      apply_credits: true,
      aggregate: 'day',
      group_by: 'model',
    };
    await target.repeat(8, async (serial) => {
      if (serial % 3 === 0) await target.ask({ method: 'GET', path: '/api/credit-grants/' });
      else if (serial % 3 === 1) await target.ask({ method: 'GET', path: '/api/credit-cliff/' });
      else await target.ask({ path: '/api/costs/', body });
    });
  },
};

const closes: Attack = {
  name: 'closes, drifts and exports at a time',
  run: async (target) => {
    await target.post(
      makeBatch(3_000, (index) => ({
        timestamp: `${dayOf(2 + (index % 300))}T12:00:00Z`,
        tags: { customer: `c${index}` },
      })),
      { calls: 3_000 },
    );
    let closed = 320;
    const ids: string[] = [];
    await target.repeat(6, async (serial) => {
      if (serial % 3 === 0) {
        const { text } = await target.ask({ path: '/api/closes/', body: { through: dayOf(closed) } });
        const id = /"id":"([^"]+)"/.exec(text)?.[1];
        if (id !== undefined) {
          ids.push(id);
          closed = Math.max(2, closed - 10);
        }
      }
      const id = ids.at(-1);
      if (id === undefined) return;
      await target.post(
        makeBatch(200, (index) => ({
          timestamp: `${dayOf(2 + (index % 300))}T13:00:00Z`,
          tags: { customer: `d${index}` },
        })),
        { calls: 200 },
      );
      await target.ask({ path: `/api/closes/${id}/drift/`, body: {} });
      await target.ask({
        path: '/api/costs/?format=csv',
        body: { date_from: dayOf(330), group_by: 'customer', as_of: id },
      });
      if (serial % 11 === 0) await target.ask({ method: 'DELETE', path: `/api/closes/${ids.pop()}/` });
    });
  },
};

export const factAttacks: readonly Attack[] = [tags, budgets, keyMetrics, prices, reprices, revenue, credits, closes];
