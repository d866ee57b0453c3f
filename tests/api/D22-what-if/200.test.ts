import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { askForReprice, repriceDays, repriceIsDone } from '../../support/reprice.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };

const price = (model: string, usdPerMtok: number, fields = {}) => ({
  model,
  input_per_mtok: usdPerMtok,
  output_per_mtok: usdPerMtok,
  ...fields,
});
/** A call of a million tokens: it costs a dollar at a dollar per million tokens. */
const million = (fields: Json) => tokenEvent({ prompt_tokens: 1_000_000, ...fields });

const ask = async (project: Project, assume: Json) => await repriceDays(project, { ...may, assume });

test('D1.1, D22: with the scope `read` a what-if reports cost and margin of its project before and after, and changes nothing', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await other.addPrice(price('big', 100));
  await other.post(million({ model: 'big' }));
  await project.addPrice(price('big', 4));
  await project.addPrice(price('small', 1));
  await project.post(
    million({ model: 'big', tags: { customer: 'acme' } }),
    million({ model: 'big', tags: { customer: 'acme' } }),
    million({ model: 'small', tags: { customer: 'bravo' } }),
    million({ model: 'big', timestamp: '2024-05-16T12:00:00Z' }),
  );
  const entry = {
    external_id: 'r1',
    customer: 'acme',
    amount: 6.2,
    date_from: '2024-05-01',
    date_to: '2024-05-31',
  };
  const late = { ...entry, external_id: 'r2', customer: 'carol', amount: 3, date_to: '2024-06-30' };
  expectStatus(await project.api('POST', '/api/revenue/', { entries: [entry, late] }), 200);

  const assume = { models: { big: 'small' } };
  const { id: keyId, api_key: token } = await project.createKey({ scopes: ['read'] });
  const asked = await farthing.send('POST', '/api/prices/reprice/', { body: { ...may, assume }, token });
  const { id } = z.object({ id: z.string() }).parse(expectStatus(asked, 202));
  expect((await other.api('GET', `/api/prices/reprices/${id}/`)).status).toBe(404);
  const found = await repriceIsDone(project, id);
  const seen = await farthing.send('GET', `/api/prices/reprices/${id}/`, { token });
  expect(expectStatus(seen, 200)).toMatchObject({ requested_by: keyId, before: 13, after: 4, state: 'done' });
  const margins = { revenue: 0, margin_before: -1, margin_after: -1 };
  expect(found).toMatchObject({
    dry_run: true,
    what_if: true,
    assume,
    before: 13,
    after: 4,
    by_day: [
      { date: '2024-05-15', before: 9, after: 3 },
      { date: '2024-05-16', before: 4, after: 1 },
    ],
    by_model: [
      { model: 'big', before: 12, after: 3 },
      { model: 'small', before: 1, after: 1 },
    ],
    by_customer: [
      { customer: 'acme', before: 8, after: 2, revenue: 6.2, margin_before: -1.8, margin_after: 4.2 },
      { customer: '', before: 4, after: 1, revenue: 0, margin_before: -4, margin_after: -1 },
      { customer: 'bravo', before: 1, after: 1, ...margins },
    ],
    not_changed: { calls: 0, cost: 0, by_model: [] },
  });
  // All of May's revenue: that of acme, and 31 of 61 days of carol, who made no call.
  expect(found.revenue).toBeCloseTo(6.2 + (3 * 31) / 61, 11);
  expect(await project.totalCost()).toBe(13);
  expect(await project.costBy('model')).toEqual({ big: 12, small: 1 });
  const log = z
    .object({ reprices: z.array(z.object({ id: z.string(), what_if: z.boolean(), dry_run: z.boolean() })) })
    .parse(expectStatus(await project.api('GET', '/api/prices/reprices/'), 200));
  expect(log.reprices).toEqual([{ id: found.id, what_if: true, dry_run: true }]);
});

longTest('D22: a plain reprice assumes nothing, and has margins too', async () => {
  const [project, internal] = await Promise.all([
    farthing.createProject(),
    farthing.createProject({ type: 'internal' }),
  ]);
  for (const one of [project, internal]) {
    await one.post(million({ model: 'new', tags: { customer: 'acme' } }));
    expect(await one.totalCost()).toBe(0);
    await one.addPrice(price('new', 2));
  }
  const entry = { external_id: 'r1', customer: 'acme', amount: 5, date_from: '2024-05-15', date_to: '2024-05-15' };
  expectStatus(await project.api('POST', '/api/revenue/', { entries: [entry] }), 200);
  const plain = { what_if: false, assume: null, not_changed: null };
  expect(await repriceDays(project, may)).toMatchObject({
    ...plain,
    revenue: 5,
    by_customer: [{ customer: 'acme', before: 0, after: 2, revenue: 5, margin_before: 5, margin_after: 3 }],
  });
  const none = { revenue: null, margin_before: null, margin_after: null };
  expect(await ask(internal, { models: { other: 'new' } })).toMatchObject({
    revenue: null,
    by_customer: [{ customer: 'acme', before: 0, after: 2, ...none }],
  });
});

/** A project with calls of a tier, and some that keep their price whatever is assumed. */
async function projectOfTiers(): Promise<Project> {
  const project = await farthing.createProject();
  await project.addPrice(price('house', 3));
  await project.addPrice(price('house', 1, { service_tier: 'batch' }));
  const at = '2026-01-15T12:00:00Z';
  await project.post(
    million({ model: 'house', timestamp: at }),
    million({ model: 'gpt-4o', timestamp: at }),
    million({ model: 'nobody-knows', timestamp: at }),
    million({ model: 'grok-4', provider: 'x-ai', timestamp: at, service_tier: 'gold' }),
    costEvent({ model: 'gpt-4o', cost: 7, timestamp: at }),
    tokenEvent({ model: 'gpt-4o', timestamp: at, event_type: 'llm.error' }),
  );
  return project;
}
const january = { date_from: '2026-01-01', date_to: '2026-01-31' };

test('D22: calls that keep their price are counted and named', async () => {
  const project = await projectOfTiers();
  const found = await repriceDays(project, { ...january, assume: { service_tier: 'Batch' } });
  const { not_changed: left, by_model: byModel } = found;
  // A batch of GPT-4o costs half of 2.50; the house's own price of a batch is an override.
  expect(byModel).toEqual(
    expect.arrayContaining([
      { model: 'house', before: 3, after: 1 },
      { model: 'gpt-4o', before: 9.5, after: 8.25 },
    ]),
  );
  expect(left?.by_model).toEqual(
    expect.arrayContaining([
      { model: 'gpt-4o', reason: 'reported_cost', calls: 1, cost: 7 },
      { model: 'nobody-knows', reason: 'no_price', calls: 1, cost: 0 },
    ]),
  );
  expect(left?.calls).toBe(left?.by_model.reduce((sum, { calls }) => sum + calls, 0));
});

test('D22: what is read from the cache at the price of other input is told, by model', async () => {
  const project = await farthing.createProject();
  const usage = { prompt_tokens: 1_000_000, cached_tokens: 500_000, completion_tokens: 0 };
  for (const model of ['gpt-4o', 'gpt-4o', 'gpt-4']) {
    await project.post(tokenEvent({ ...usage, model, provider: 'openai', timestamp: '2026-01-10T12:00:00Z' }));
  }
  const assume = { models: { 'gpt-4o': 'gpt-4-turbo' } };
  const found = await repriceDays(project, { ...january, assume });
  expect(found).toMatchObject({
    after: 50,
    widened: [
      { model: 'gpt-4o', kinds: ['cache_read'], calls: 2 },
      { model: 'gpt-4', kinds: ['cache_read'], calls: 1 },
    ],
  });
  expect(await repriceDays(project, { ...january, assume: { models: { 'gpt-4': 'gpt-4o' } } })).toMatchObject({
    widened: [],
  });
});

longTest('D22: a tier that has no price changes nothing', async () => {
  const project = await projectOfTiers();
  const unknown = await repriceDays(project, { ...january, assume: { service_tier: 'platinum' } });
  expect(unknown.after).toBe(unknown.before);
  expect(unknown.not_changed).toMatchObject({ calls: 4, cost: unknown.before && unknown.before - 3 });
});

longTest('D22: what is answered of a what-if can be asked again, and gives the same', async () => {
  const project = await farthing.createProject();
  await project.post(million({ model: 'm1' }), million({ model: 'm2' }));
  const assume = {
    models: { m2: 'm1', 'a/b': 'm1' },
    overrides: [
      price('m1', 2, { service_tier: 'flex', cache_read_per_mtok: '0.123456', units: { web_searches: '0.01' } }),
      price('m*', 3, { effective_from: '2024-05-01', effective_to: null, provider: 'Own' }),
    ],
    cached_share: '0.25',
    service_tier: 'flex',
  };
  const found = await ask(project, assume);
  expect(found.assume).toMatchObject({
    ...assume,
    overrides: [
      { model: 'm1', input_per_mtok: 2, terms: { service_tier: 'flex' }, cache_read_per_mtok: 0.123456 },
      { model: 'm*', provider: 'Own', effective_from: '2024-05-01' },
    ],
    cached_share: 0.25,
  });
  const again = await ask(project, found.assume ?? {});
  expect(again).toEqual({
    ...found,
    id: again.id,
    created_at: again.created_at,
    finished_at: again.finished_at,
  });
  // 750,000 tokens at 2 dollars, and 250,000 at 0.123456, for each of both calls.
  expect(found.after).toBe(2 * (1.5 + 0.030864));
});

longTest('D4.7, D22: calls that arrive while a what-if runs are in its answer at most once', async () => {
  const project = await farthing.createProject();
  await project.addPrice(price('m1', 1));
  const calls = Array.from({ length: 500 }, () => million({ model: 'm1' }));
  await project.post(...calls);
  const id = await askForReprice(project, { ...may, assume: { overrides: [price('m1', 3)] } });
  // The same calls again, and some of another model.
  await project.post(...calls.slice(0, 100), ...Array.from({ length: 50 }, () => million({ model: 'unpriced' })));
  const found = await repriceIsDone(project, id);
  expect([found.before, found.after]).toEqual([500, 1_500]);
});
