// Answers are the same whether they are read from calls, from the rollups of sealed days, or from both.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesOfInternalProject, changesOfRevenueProject } from '../support/arbitraries/changes.ts';
import type { History } from '../support/arbitraries/history.ts';
import { denseDays } from '../support/arbitraries/names.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { makeChange } from '../support/changes.ts';
import { connect, type Farthing } from '../support/client.ts';
import { allMargin } from '../support/margin.ts';
import { expectRows, modelCosts, modelMargin, modelPerformance } from '../support/model.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir, type Service, startService } from '../support/service.ts';
import { makeCallIds, storeHistory } from '../support/stored-history.ts';

let service: Service;
let farthing: Farthing;

beforeAll(async () => {
  // Days are rolled up at once, so that answers come from rollups and calls in every mixture.
  service = await startService({ dataDir: makeDataDir(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } });
  farthing = connect(service.url, service.adminToken);
});

afterAll(async () => {
  await service?.kill();
});

const nothing: History = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };
const timeLimit = 15_000;
/** About how long the service takes to seal what has changed, in milliseconds; sometimes it has not, or not all. */
const someTimeMs = 350;

async function countSealed(service: Farthing): Promise<number> {
  const { text } = await service.send('GET', '/metrics');
  return Number(/^farthing_days_sealed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

test('D6, D7, D8: costs and margins are the same from sealed days', { timeout: 240_000 }, async () => {
  const sealedBefore = await countSealed(farthing);
  const questions = fc.tuple(
    fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
    marginQuery(denseDays),
  );
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(changesOfRevenueProject(denseDays), questions, async (changes, [costs, margin]) => {
      if (Date.now() > deadline) return;
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
    }),
    { numRuns: 30 },
  );
  expect(await countSealed(farthing)).toBeGreaterThan(sealedBefore);
});

test('D6, D9: performance is the same from sealed days', { timeout: 240_000 }, async () => {
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(changesOfInternalProject(denseDays), performanceQuery(denseDays), async (changes, asked) => {
      if (Date.now() > deadline) return;
      const { project, model: empty } = await storeHistory(farthing, nothing, { type: 'internal' });
      const ids = makeCallIds();
      let model = empty;
      for (const change of changes) {
        model = await makeChange({ project, model }, change, ids);
        await pause(someTimeMs);
        expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked));
      }
    }),
    { numRuns: 30 },
  );
});

test('D6, D7: every shape of question has one answer, from the calls and from the rollups', {
  timeout: 240_000,
}, async () => {
  const dataDir = makeDataDir();
  const port = await freePort();
  const start = (sealAfter: string) => startService({ dataDir, port, env: { FARTHING_SEAL_AFTER_SECONDS: sealAfter } });
  let own = await start('86400');
  try {
    const there = connect(own.url, own.adminToken);
    const revenue = await there.createProject({ type: 'revenue' });
    const internal = await there.createProject({ type: 'internal' });
    // Two years, three months, and runs that come back on another day, for another customer or with another model.
    const calls = Array.from({ length: 120 }, (_, index) => ({
      event_id: randomUUID(),
      event_type: index % 11 === 0 ? 'chat.error' : 'chat.after',
      timestamp: new Date(Date.UTC(2025, 11, 28 + (index % 6) + 30 * (index % 2), 9, index)).toISOString(),
      provider: index % 2 === 0 ? 'openai' : 'anthropic',
      model: ['gpt-4o', 'claude-sonnet-4-5', 'gpt-4o-mini'][index % 3],
      elapsed_ms: 100 + index,
      cost: index + 0.25,
      prompt_tokens: 10 + index,
      completion_tokens: index,
      tags: {
        ...(index % 5 > 0 && { customer: `customer-${index % 5}` }),
        ...(index % 4 > 0 && { feature: `feature-${index % 4}` }),
        user: `user-${index % 7}`,
        run_id: `run-${index % 17}`,
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
    expect((await revenue.api('POST', '/api/credit-grants/', grant)).status).toBe(201);

    const range = { date_from: '2025-12-01', date_to: '2026-03-31', limit: 1000 };
    const groupings = [undefined, 'customer', 'feature', 'model', 'provider'];
    const filters = [
      {},
      { customers: ['customer-1', 'customer-3'] },
      { features: ['feature-1', 'feature-2'] },
      { models: ['gpt-4o'] },
      { providers: ['anthropic'] },
      { customers: ['customer-2'], features: ['feature-2'] },
      { customers: ['customer-1', ''], models: ['gpt-4o', 'gpt-4o-mini'] },
      { customer_tags: { plan: ['pro'] } },
    ];
    const questions = groupings.flatMap((group_by) =>
      filters.flatMap((filter) =>
        ['day', 'month'].flatMap((aggregate) => [
          ...[false, true].map((apply_credits) => ({
            path: '/api/costs/',
            body: { ...range, ...filter, aggregate, group_by, apply_credits },
          })),
          { path: '/api/usage/', body: { ...range, ...filter, aggregate, group_by } },
        ]),
      ),
    );
    const marginQuestions = [undefined, 'customer'].flatMap((group_by) =>
      [{}, { customers: ['customer-1'] }, { filter_customers_based_on_features: ['feature-1'] }].map((filter) => ({
        path: '/api/margin/',
        body: { ...range, ...filter, group_by, aggregate: 'month', apply_credits: true },
      })),
    );
    const askAll = async () => {
      const answers = new Map<string, unknown>();
      const ask = async (project: typeof revenue, method: string, path: string, body?: unknown) => {
        const { status, text } = await project.api(method, path, body);
        expect(status, text).toBe(200);
        answers.set(`${path} ${JSON.stringify(body)}`, JSON.parse(text));
      };
      for (const { path, body } of [...questions, ...marginQuestions]) await ask(revenue, 'POST', path, body);
      for (const group_by of [undefined, 'user']) {
        for (const filter of [{}, { users: ['user-1', 'user-2'] }, { filter_users_based_on_features: ['feature-3'] }]) {
          await ask(internal, 'POST', '/api/performance/', { ...range, ...filter, group_by, aggregate: 'month' });
        }
      }
      for (const list of ['customers', 'features', 'models', 'providers']) await ask(revenue, 'GET', `/api/${list}/`);
      return answers;
    };

    const fromCalls = await askAll();
    expect(await countSealed(there)).toBe(0);
    await own.stop();
    own = await start('0');
    await poll('all days are sealed', { within: 60_000 }, async () =>
      (await countSealed(there)) === 2 * days.size ? true : undefined,
    );
    const fromRollups = await askAll();
    expect(fromRollups.size).toBeGreaterThan(200);
    for (const [question, answer] of fromRollups) expect(answer, question).toEqual(fromCalls.get(question));
  } finally {
    await own.kill();
  }
});

test('D4.7, D6: killed at any moment of sealing, answers stay the same', { timeout: 150_000 }, async () => {
  const dataDir = makeDataDir();
  const port = await freePort();
  const start = () => startService({ dataDir, port, env: { FARTHING_SEAL_AFTER_SECONDS: '0' } });
  let killed = await start();
  let sealed = 0;
  try {
    const there = connect(killed.url, killed.adminToken);
    await fc.assert(
      fc.asyncProperty(
        fc.array(changesOfRevenueProject(denseDays), { minLength: 3, maxLength: 3 }),
        fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
        // Before anything is sealed, in the middle of it, and after.
        fc.array(fc.nat({ max: 2 * someTimeMs }), { minLength: 3, maxLength: 3 }),
        async (histories, questions, pauses) => {
          const stored = await storeHistory(there, nothing, { type: 'revenue' });
          const { project } = stored;
          let { model } = stored;
          const ids = makeCallIds();
          for (const [index, changes] of histories.entries()) {
            for (const change of changes) model = await makeChange({ project, model }, change, ids);
            await pause(pauses[index]);
            sealed += await countSealed(there);
            await killed.kill();
            killed = await start();
            for (const question of questions) {
              expect(await project.allCosts({ ...question })).toEqual(modelCosts(model, question));
            }
          }
        },
      ),
      { numRuns: 4 },
    );
    // Otherwise the kills proved nothing.
    expect(sealed).toBeGreaterThan(0);
  } finally {
    await killed.kill();
  }
});
