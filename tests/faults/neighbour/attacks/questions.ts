// Questions that are dear to answer, and answers that nobody reads.
import type { Attack } from '../attack.ts';
import { makeBatch, type Target } from '../target.ts';

const dayMs = 86_400_000;
/** To today, so that the calls of `fill` are among them. */
const untilNow = { date_from: '2017-01-01' };
const tenYears = { date_from: '2016-01-01', date_to: '2025-12-31' };
const fourMonths = { date_from: '2025-08-30', date_to: '2025-12-31' };
const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * dayMs).toISOString();

/** Calls over a year of many customers, models and features, with tags, so that questions have something to read. */
async function fill(target: Target): Promise<void> {
  const batches = target.size(1, 10);
  for (let batch = 0; batch < batches && !target.isOver; batch += 1) {
    const body = makeBatch(2_500, (index) => ({
      timestamp: dayOf(index % 365),
      model: `m${index % 200}`,
      provider: `p${index % 7}`,
      elapsed_ms: index,
      tags: {
        customer: `c${(batch * 2_500 + index) % 9_973}`,
        user: `u${index % 50}`,
        feature: `f${index % 400}`,
        k0: 'v',
        k1: `${index}`,
      },
    }));
    await target.post(body, { calls: 2_500 });
  }
}

const runTags = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, ['v', 'w']]));

const manyRunTags: Attack = {
  name: 'questions with 400 run tags',
  run: async (target) => {
    await fill(target);
    const body = { ...tenYears, run_tags: runTags(400), aggregate: 'day', group_by: 'customer', limit: 1_000 };
    await target.repeat(24, () => target.ask({ path: '/api/costs/', body }));
  },
};

const mostRunTags: Attack = {
  name: 'questions with 10,000 run tags',
  run: async (target) => {
    await fill(target);
    const bodies = [1_000, 10_000].map((keys) => ({ ...tenYears, run_tags: runTags(keys) }));
    const paths = ['/api/costs/', '/api/usage/', '/api/changes/', '/api/waste/', '/api/calls/'];
    await target.repeat(8, (serial) => {
      const path = paths[serial % paths.length] ?? '/api/costs/';
      const body = { ...bodies[serial % 2], ...(path === '/api/calls/' && { row: tenYears }) };
      return target.ask({ path, body });
    });
  },
};

const widestQuestions: Attack = {
  name: 'the widest questions of every route',
  run: async (target) => {
    await fill(target);
    const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`);
    const by = (group_by: string) => ({ ...tenYears, aggregate: 'day', group_by, limit: 1_000 });
    const questions = [
      { path: '/api/costs/', body: by('customer') },
      { path: '/api/costs/', body: { ...by('model'), customers: names, features: names, models: names } },
      { path: '/api/usage/', body: by('feature') },
      { path: '/api/margin/', body: { ...by('customer'), filter_customers_based_on_features: names } },
      { path: '/api/changes/', body: tenYears },
      { path: '/api/waste/', body: tenYears },
      { path: '/api/calls/', body: { ...tenYears, row: tenYears, limit: 1_000 } },
      { method: 'GET', path: `/api/coverage/?date_from=2016-01-01&date_to=2025-12-31` },
      { method: 'GET', path: '/api/next-steps/' },
      { method: 'GET', path: '/api/price-check/' },
      { method: 'GET', path: '/api/customers/?search=c&limit=1000' },
      { method: 'GET', path: '/api/events/?customer=nobody&limit=1000' },
      { method: 'GET', path: '/api/exports/focus/?date_from=2016-01-01&date_to=2025-12-31' },
      { method: 'GET', path: '/api/metrics/' },
    ];
    await target.repeat(16, (serial) => target.ask(questions[serial % questions.length] ?? { path: '/api/costs/' }));
  },
};

const reconciliations: Attack = {
  name: 'reconciliations of 1,000 models, 24 at once',
  run: async (target) => {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ external_id: `e${index}`, provider: 'openai', model: `m${index}`, amount: 1, kind: 'usage' },
      ...tenYears,
    }));
    await target.ask({ path: '/api/invoices/', body: { entries } });
    await target.repeat(24, (serial) =>
      target.ask({
        path: serial % 2 === 0 ? '/api/reconciliation/' : '/api/reconciliation/?format=csv',
        // Every third is refused; the others are as large as one may be.
        body: { ...(serial % 3 === 0 ? tenYears : fourMonths), aggregate: 'day', group_by: 'model' },
      }),
    );
  },
};

/** Each day has models of its own, and grants name some of them, so that credits are used for many costs in many ways. */
const manyCredits: Attack = {
  name: 'costs after credits of many models, 24 at once',
  run: async (target) => {
    const grant = (index: number) => ({
      ...{ provider: 'p', amount: 1_000, starts_on: dayOf(600).slice(0, 10), priority: index },
      ...(index % 2 === 0 && { models: Array.from({ length: 90 }, (_, name) => `m${name * index}*`) }),
    });
    const grants = Array.from({ length: target.size(20, 400) }, (_, index) => index);
    await Promise.all(grants.map((index) => target.ask({ path: '/api/credit-grants/', body: grant(index) })));
    const batches = Array.from({ length: target.size(2, 24) }, (_, index) => index);
    const event = (batch: number) => (index: number) => ({
      timestamp: dayOf(index % 500),
      ...{ provider: 'p', model: `m${batch * 2_500 + index}`, tags: { customer: `c${index}` } },
    });
    await Promise.all(batches.map((batch) => target.post(makeBatch(2_500, event(batch)), { calls: 2_500 })));
    const net = { date_from: dayOf(600).slice(0, 10), apply_credits: true };
    const questions = [
      { path: '/api/costs/', body: { ...net, aggregate: 'day' } },
      { path: '/api/margin/', body: { ...net, group_by: 'customer' } },
      { path: '/api/changes/', body: net },
      { path: '/api/costs/?format=csv', body: { ...net, aggregate: 'day', group_by: 'model' } },
      { method: 'GET', path: '/api/credit-grants/' },
      { method: 'GET', path: '/api/credit-cliff/' },
      { method: 'GET', path: '/api/next-steps/' },
      { method: 'GET', path: `/api/exports/focus/?date_from=${net.date_from}` },
    ];
    await target.repeat(24, (serial) => target.ask(questions[serial % questions.length] ?? { path: '/api/costs/' }));
  },
};

const stalledExports: Attack = {
  name: 'sixty exports that stop reading',
  run: async (target) => {
    await fill(target);
    const formats = ['csv', 'ndjson', 'parquet'];
    await target.repeat(60, async (serial) => {
      const socket = target.open({ stalls: true });
      const isOfCalls = serial % 3 === 0;
      const body = JSON.stringify(
        isOfCalls
          ? { ...untilNow, row: { date_from: dayOf(365).slice(0, 10), date_to: dayOf(0).slice(0, 10) } }
          : { ...untilNow, aggregate: 'day', group_by: 'customer' },
      );
      const path = `${isOfCalls ? '/api/calls/' : '/api/costs/'}?format=${formats[serial % formats.length]}`;
      socket.write(target.head('POST', path, { 'content-length': String(body.length) }) + body);
      socket.pause();
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await target.wait(100);
    });
  },
};

const manyExports: Attack = {
  name: 'many exports at a time',
  run: async (target) => {
    await fill(target);
    const body = { ...untilNow, aggregate: 'day', group_by: 'customer' };
    const formats = ['csv', 'ndjson', 'parquet'];
    await target.repeat(32, (serial) => target.ask({ path: `/api/costs/?format=${formats[serial % 3]}`, body }));
  },
};

const looksAtPages: Attack = {
  name: 'pages and documents that nobody reads',
  run: async (target) => {
    const paths = ['/openapi.json', '/docs/', '/docs/reference.js', '/', '/metrics', '/readyz'];
    const reading = target.repeat(16, (serial) =>
      target.ask({
        method: 'GET',
        path: paths[serial % paths.length] ?? '/',
        headers: { 'accept-encoding': 'gzip, br' },
      }),
    );
    const stalling = target.repeat(60, async (serial) => {
      const socket = target.open({ stalls: true });
      socket.write(target.head('GET', paths[serial % 3] ?? '/').repeat(50));
      socket.pause();
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    });
    await Promise.all([reading, stalling]);
  },
};

/** Every answer that waits holds the loop back: a strict question after each small event. */
const impatience: Attack = {
  name: 'a strict question after each event',
  run: async (target) => {
    await target.repeat(24, async (serial) => {
      await target.post(
        makeBatch(1, () => ({ tags: { customer: `c${serial}` } })),
        { calls: 1 },
      );
      await target.ask({ path: '/api/usage/', body: { date_from: dayOf(1).slice(0, 10), customers: [`c${serial}`] } });
    });
  },
};

export const questionAttacks: readonly Attack[] = [
  manyRunTags,
  mostRunTags,
  widestQuestions,
  reconciliations,
  manyCredits,
  stalledExports,
  manyExports,
  looksAtPages,
  impatience,
];
