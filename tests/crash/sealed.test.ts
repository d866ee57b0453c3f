// Answers are the same whether they are read from calls, from the rollups of sealed days, or from both.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesOfInternalProject, changesOfRevenueProject } from '../support/arbitraries/changes.ts';
import type { History } from '../support/arbitraries/history.ts';
import { denseDays } from '../support/arbitraries/names.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { makeChange } from '../support/changes.ts';
import { connect, type Farthing } from '../support/client.ts';
import { isLong, someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { allMargin } from '../support/margin.ts';
import { expectRows, modelCosts, modelMargin, modelPerformance } from '../support/model.ts';
import { poll } from '../support/poll.ts';
import { checkCases } from '../support/random-cases.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { makeCallIds, storeHistory } from '../support/stored-history.ts';

const dataDir = makeMigratedDataDir();
let service: Service;
let farthing: Farthing;

/** Days are rolled up at once, so that answers come from rollups and calls in every mixture; or they are not. */
const start = async (sealAfterSeconds: number) => {
  const env = { FARTHING_SEAL_AFTER_SECONDS: String(sealAfterSeconds) };
  service = await startService({ dataDir, env, ...(service && { port: service.port }) });
};

beforeAll(async () => {
  await start(86_400);
  farthing = connect(service.url, service.adminToken);
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const nothing: History = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };
/** About how long the service takes to seal what has changed, in milliseconds; sometimes it has not, or not all. */
const someTimeMs = 350;

async function countSealed(service: Farthing): Promise<number> {
  const { text } = await service.send('GET', '/metrics');
  return Number(/^farthing_days_sealed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

test('D6, D7: every shape of question has one answer, from the calls, from the rollups, and from both', async () => {
  const tag_dimensions = ['env'];
  const revenue = await farthing.createProject({ type: 'revenue', tag_dimensions });
  const internal = await farthing.createProject({ type: 'internal', tag_dimensions });
  // Two years, three months, and runs that come back on another day, for another customer or with another model.
  // 110 more are of one run on one day, most at no cost; the last 40 of another one, each with a tag of its own.
  const calls = Array.from({ length: 270 }, (_, index) => ({
    event_id: randomUUID(),
    event_type: index % 11 === 0 ? 'chat.error' : 'chat.after',
    timestamp: new Date(
      Date.UTC(2025, 11, index < 120 ? 28 + (index % 6) + 30 * (index % 2) : index < 230 ? 29 : 28, 9, index),
    ).toISOString(),
    provider: index % 2 === 0 ? 'openai' : 'anthropic',
    model: ['gpt-4o', 'claude-sonnet-4-5', 'gpt-4o-mini'][index % 3],
    elapsed_ms: 100 + index,
    // Some name a model that their provider sells, and are partly priced: nobody has a price of their pages.
    ...(index % 13 === 0 ? { pages: 2 } : { cost: index < 120 || index % 7 === 0 ? index + 0.25 : 0 }),
    prompt_tokens: 10 + index,
    completion_tokens: index,
    tags: {
      ...(index % 5 > 0 && { customer: `customer-${index % 5}` }),
      ...(index % 4 > 0 && { feature: `feature-${index % 4}` }),
      user: `user-${index % 7}`,
      ...(index % 3 > 0 && { env: `env-${index % 3}` }),
      ...(index % 8 > 0 && { step: `step-${index % 83}` }),
      run_id: `run-${index % 17}`,
      ...(index >= 120 && { customer: 'customer-1', feature: 'feature-1', run_id: 'run-1' }),
      ...(index >= 230 && { run_id: 'run-2', [`tag-${index}`]: 'its own' }),
    },
  }));
  const days = new Set(calls.map(({ timestamp }) => timestamp.slice(0, 10)));
  await revenue.post(...calls);
  await internal.post(...calls);
  await revenue.tag({ customer_name: 'customer-1', tags: { plan: 'pro' } });
  await internal.keyMetric('tickets', { event_type: 'ticket', aggregation: 'count' });
  await internal.post({
    event_id: randomUUID(),
    event_type: 'ticket',
    timestamp: '2025-12-30T10:00:00Z',
    tags: { user: 'user-1' },
  });
  const grant = { provider: 'openai', amount: 900, starts_on: '2025-12-29', expires_on: '2026-02-01' };
  for (const project of [revenue, internal]) {
    expect((await project.api('POST', '/api/credit-grants/', grant)).status).toBe(201);
  }

  const range = { date_from: '2025-12-01', date_to: '2026-03-31', limit: 1000 };
  const groupings = [undefined, 'customer', 'feature', 'model', 'provider', 'tag:env', 'tag:step'];
  const filters = [
    {},
    { customers: ['customer-1', 'customer-3'] },
    { features: ['feature-1', 'feature-2'] },
    { models: ['gpt-4o'] },
    { providers: ['anthropic'] },
    { customers: ['customer-2'], features: ['feature-2'] },
    { customers: ['customer-1', ''], models: ['gpt-4o', 'gpt-4o-mini'] },
    { customer_tags: { plan: ['pro'] } },
    { features: ['feature-1', 'feature-3'], models: ['gpt-4o', 'claude-sonnet-4-5'], providers: ['openai'] },
  ];
  const all = groupings.flatMap((group_by) =>
    filters.flatMap((filter) =>
      [
        { path: '/api/costs/', body: { aggregate: 'day', apply_credits: false } },
        { path: '/api/costs/', body: { aggregate: 'month', apply_credits: true } },
        { path: '/api/usage/', body: { aggregate: 'month' } },
        ...usualOrLong(
          [],
          [
            { path: '/api/costs/', body: { aggregate: 'day', apply_credits: true } },
            { path: '/api/costs/', body: { aggregate: 'month', apply_credits: false } },
            { path: '/api/usage/', body: { aggregate: 'day' } },
          ],
        ),
      ].map(({ path, body }) => ({ path, body: { ...range, ...filter, ...body, group_by } })),
    ),
  );
  // Calls that are partly priced are counted in the usage of all of them.
  const questions = [
    { path: '/api/usage/', body: { ...range, aggregate: 'month' } },
    // No project names this tag, so that rows of runs answer, each of few calls or of many.
    ...[{}, { models: ['gpt-4o'], apply_credits: true }].map((body) => ({
      path: '/api/costs/',
      body: { ...range, ...body, aggregate: 'month', group_by: 'tag:step' },
    })),
    ...someOf(all, 6),
  ];
  const changesQuestions = someOf(filters, 1).map((filter, index) => ({
    path: '/api/changes/',
    body: { ...filter, date_from: '2026-01-01', date_to: '2026-03-31', apply_credits: index % 2 === 0, limit: 1000 },
  }));
  const marginQuestions = [undefined, 'customer'].flatMap((group_by) =>
    [{}, { customers: ['customer-1'] }, { filter_customers_based_on_features: ['feature-1'] }].map((filter) => ({
      path: '/api/margin/',
      body: { ...range, ...filter, group_by, aggregate: 'month', apply_credits: true },
    })),
  );
  const performanceFilters = [{}, { users: ['user-1', 'user-2'] }, { filter_users_based_on_features: ['feature-3'] }];
  const performanceQuestions = someOf(
    [undefined, 'user'].flatMap((group_by) =>
      performanceFilters.flatMap((filter) =>
        [false, true].map((apply_credits) => ({ ...range, ...filter, group_by, aggregate: 'month', apply_credits })),
      ),
    ),
    1,
  );
  const askAll = async () => {
    const answers = new Map<string, unknown>();
    const ask = async (project: typeof revenue, method: string, path: string, body?: unknown) => {
      const { status, text } = await project.api(method, path, body);
      expect(status, text).toBe(200);
      answers.set(`${path} ${JSON.stringify(body)}`, JSON.parse(text));
    };
    for (const { path, body } of [...questions, ...changesQuestions, ...someOf(marginQuestions, 1)])
      await ask(revenue, 'POST', path, body);
    for (const body of performanceQuestions) await ask(internal, 'POST', '/api/performance/', body);
    for (const list of ['customers', 'features', 'models', 'providers']) await ask(revenue, 'GET', `/api/${list}/`);
    return answers;
  };

  const fromCalls = await askAll();
  const { body } = await revenue.api('POST', '/api/usage/', { ...range, aggregate: 'all' });
  expect(body).toMatchObject({ rows: [{ calls: 270, partly_priced_calls: 12 }] });
  expect(await countSealed(farthing)).toBe(0);
  await service.stop();
  await start(0);
  await poll('all days are sealed', { within: 60_000 }, async () =>
    (await countSealed(farthing)) === 2 * days.size ? true : undefined,
  );
  expect(fromCalls.size).toBeGreaterThan(10);
  const expectTheSame = async () => {
    for (const [question, answer] of await askAll()) expect(answer, question).toEqual(fromCalls.get(question));
  };
  // Usually only the mixture below is asked, which has most days in rollups too.
  if (isLong) {
    await expectTheSame();
    await service.stop();
    await start(86_400);
  }
  // Events that arrive twice change no answer, but their days are open again.
  for (const project of [revenue, internal]) await project.post(...calls.slice(50, 52));
  await expectTheSame();
});

// Usually tests/property asks a service that seals days at once, with the same changes, questions and models.
if (isLong) {
  describe('where days are sealed at once', () => {
    beforeAll(async () => {
      await service.stop();
      await start(0);
    });

    test('D6, D7, D8: costs and margins are the same from sealed days', async () => {
      const sealedBefore = await countSealed(farthing);
      const questions = fc.tuple(
        fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
        marginQuery(denseDays),
      );
      await checkCases([changesOfRevenueProject(denseDays), questions], 30, async (changes, [costs, margin]) => {
        const { project, model: empty } = await storeHistory(farthing, nothing, { type: 'revenue' });
        const ids = makeCallIds();
        let model = empty;
        for (const change of changes) {
          model = await makeChange({ project, model }, change, ids);
          await pause(someTimeMs);
          const answers = await Promise.all(costs.map((question) => project.allCosts({ ...question })));
          for (const [index, question] of costs.entries()) expect(answers[index]).toEqual(modelCosts(model, question));
          expectRows(await allMargin(project, { ...margin }), modelMargin(model, margin));
        }
      });
      // A busy machine may seal the last days late.
      await expect.poll(() => countSealed(farthing), { timeout: 60_000 }).toBeGreaterThan(sealedBefore);
    });

    test('D6, D9: performance is the same from sealed days', async () => {
      await checkCases(
        [changesOfInternalProject(denseDays), performanceQuery(denseDays)],
        30,
        async (changes, asked) => {
          const { project, model: empty } = await storeHistory(farthing, nothing, { type: 'internal' });
          const ids = makeCallIds();
          let model = empty;
          for (const change of changes) {
            model = await makeChange({ project, model }, change, ids);
            await pause(someTimeMs);
            expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked));
          }
        },
      );
    });
  });
}

// Usually tests/faults/kills kills a service that seals days, at any moment.
longTest('D4.7, D6: killed at any moment of sealing, answers stay the same', async () => {
  // The first service seals nothing, so at least two.
  const kills = 3;
  let sealed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(changesOfRevenueProject(denseDays), { minLength: kills, maxLength: kills }),
      fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
      // Before anything is sealed, in the middle of it, and after.
      fc.array(fc.nat({ max: 2 * someTimeMs }), { minLength: kills, maxLength: kills }),
      async (histories, questions, pauses) => {
        const stored = await storeHistory(farthing, nothing, { type: 'revenue' });
        const { project } = stored;
        let { model } = stored;
        const ids = makeCallIds();
        for (const [index, changes] of histories.entries()) {
          for (const change of changes) model = await makeChange({ project, model }, change, ids);
          await pause(pauses[index]);
          sealed += await countSealed(farthing);
          await service.kill();
          await start(0);
          for (const question of questions) {
            expect(await project.allCosts({ ...question })).toEqual(modelCosts(model, question));
          }
        }
      },
    ),
    // A smaller case would only tell of the service that this one has left behind.
    { endOnFailure: true, numRuns: 8 },
  );
  // Otherwise the kills proved nothing.
  expect(sealed).toBeGreaterThan(0);
});
