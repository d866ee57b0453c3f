import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callEvent, type History, historyOf, prices } from '../support/arbitraries/history.ts';
import * as names from '../support/arbitraries/names.ts';
import { expectStatus, type Json, type Project, sharedFarthing, tokenEvent, wholeRange } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { checkCases } from '../support/random-cases.ts';
import { type Reprice, repriceDays } from '../support/reprice.ts';
import { makeCallIds, postEvents, setPrices } from '../support/stored-history.ts';

const farthing = sharedFarthing();

/** Every event has a time, so that both projects have each call on the same day. */
const history = historyOf(callEvent(usualOrLong(names.denseDays, names.days))).map((past) => ({
  ...past,
  batches: past.batches.map((batch) =>
    batch.map((event) => ({ ...event, fields: { timestamp: '2024-02-29T23:59:59Z', ...event.fields } })),
  ),
}));

/** Two projects with the same events and prices. */
async function makeTwins(past: History): Promise<[Project, Project]> {
  const ids = makeCallIds();
  const make = async () => {
    const project = await farthing.createProject({ timezone: past.timezone });
    await setPrices(project, prices);
    for (const batch of past.batches) await postEvents(project, ids, batch);
    return project;
  };
  return [await make(), await make()];
}

const figuresOf = ({ before, after, by_day, by_model, other_models, by_customer, others }: Reprice) => ({
  ...{ before, after, by_day, by_model, other_models, others },
  by_customer: by_customer.map(({ customer, ...row }) => ({ customer, before: row.before, after: row.after })),
});

/** What the assumption gives in one project is what the overrides give in the other once they are in force. */
async function expectTwin(past: History, assume: Json, overrides: readonly Json[]): Promise<void> {
  const [asked, changed] = await makeTwins(past);
  const costs = (project: Project) => project.allCosts({ ...wholeRange, aggregate: 'month', group_by: 'model' });
  const before = await costs(asked);
  for (const override of overrides) await changed.addPrice(override);
  const [answer, applied] = await Promise.all([
    repriceDays(asked, { ...wholeRange, assume }),
    repriceDays(changed, { ...wholeRange, dry_run: false }),
  ]);
  expect(figuresOf(answer)).toEqual(figuresOf(applied));
  expect(await costs(asked)).toEqual(before);
}

const rate = fc.integer({ min: 0, max: 20_000_000 }).map((millionths) => millionths / 1_000_000);
const day = fc.constantFrom('2023-12-31', '2024-01-15', '2024-02-29', '2024-03-10');
const override = fc
  .record(
    {
      model: fc.constantFrom('m1', 'm*', '模型 2', '😀*', '*', "Ａ'4"),
      input_per_mtok: rate,
      output_per_mtok: rate,
      cache_read_per_mtok: rate,
      per_request: rate,
      provider: fc.constantFrom('p1', 'Ü'),
      units: fc.record({ web_searches: rate, audio_seconds: rate }, { requiredKeys: [] }),
      days: fc.tuple(day, day),
    },
    { requiredKeys: ['model', 'input_per_mtok', 'output_per_mtok'] },
  )
  .map(({ days, ...fields }): Json => {
    const [from, to] = days?.toSorted() ?? [];
    return { ...fields, ...(days && { effective_from: from, effective_to: to }) };
  });

test('D22: assumed overrides give, to the last digit, what a reprice with them in force gives', async () => {
  await checkCases([history, fc.array(override, { minLength: 1, maxLength: 4 })], 25, async (past, overrides) => {
    await expectTwin(past, { overrides }, overrides);
  });
});

longTest('D22: another model gives what an override with its prices gives', async () => {
  const priced = fc.constantFrom(...prices);
  const from = fc.subarray(
    names.models.filter((model) => model !== ''),
    { minLength: 1 },
  );
  const swaps = fc
    .tuple(from, fc.array(priced, { minLength: 4, maxLength: 4 }))
    .map(([of, to]) =>
      of.flatMap((model, index) => {
        const other = to[index];
        return other === undefined || other.model === model ? [] : [{ model, other }];
      }),
    )
    .filter((chosen) => chosen.length > 0);
  await checkCases([history, swaps], 25, async (past, chosen) => {
    const models = Object.fromEntries(chosen.map(({ model, other }) => [model, other.model]));
    const overrides = chosen.map(({ model, other }) => ({
      model,
      input_per_mtok: other.input,
      output_per_mtok: other.output,
      cache_read_per_mtok: other.cacheRead,
    }));
    await expectTwin(past, { models }, overrides);
  });
});

// With list prices for batches; two of them have another price for long prompts.
const listed = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro'];
const listedCall = fc.record({
  model: fc.constantFrom(...listed),
  prompt_tokens: fc.integer({ min: 1, max: 400_000 }),
  completion_tokens: fc.integer({ min: 0, max: 50_000 }),
  cached: fc.integer({ min: 0, max: 100 }),
  customer: fc.constantFrom(...names.customers),
  day: fc.constantFrom('2026-01-14', '2026-01-15', '2026-02-01'),
});

test('D22: a what-if gives what the calls would have cost, had they been made as it assumes', async () => {
  const assumption = fc
    .record(
      {
        to: fc.constantFrom(...listed),
        hundredths: fc.integer({ min: 0, max: 100 }),
        service_tier: fc.constantFrom('batch', 'Batch'),
      },
      { requiredKeys: [] },
    )
    .filter((chosen) => Object.keys(chosen).length > 0);
  const calls = fc.array(listedCall, { minLength: 1, maxLength: 20, size: 'max' });
  await checkCases([calls, assumption], 25, async (made, { to, hundredths, service_tier }) => {
    const models = Object.fromEntries(
      listed.flatMap((model) => (to === undefined || to === model ? [] : [[model, to]])),
    );
    const assume = {
      ...(to !== undefined && { models }),
      ...(hundredths !== undefined && { cached_share: hundredths / 100 }),
      ...(service_tier !== undefined && { service_tier }),
    };
    const eventOf = ({ customer, day: on, cached, ...fields }: (typeof made)[number]) =>
      tokenEvent({
        ...fields,
        event_id: randomUUID(),
        timestamp: `${on}T12:00:00Z`,
        cached_tokens: Math.floor((fields.prompt_tokens * cached) / 100),
        ...(customer !== '' && { tags: { customer } }),
      });
    const [asked, assumed] = await Promise.all([farthing.createProject(), farthing.createProject()]);
    await asked.post(...made.map(eventOf));
    await assumed.post(
      ...made.map((call) => ({
        ...eventOf({ ...call, model: to ?? call.model, cached: hundredths ?? call.cached }),
        ...(service_tier !== undefined && { service_tier }),
      })),
    );
    const range = { date_from: '2026-01-01', date_to: '2026-02-28' };
    const answer = await repriceDays(asked, { ...range, assume });
    const [total, byDay, byCustomer] = await Promise.all([
      assumed.allCosts({ ...range, aggregate: 'all' }),
      assumed.allCosts(range),
      assumed.allCosts({ ...range, aggregate: 'all', group_by: 'customer' }),
    ]);
    expect(answer.not_changed?.calls).toBe(0);
    expect([answer.after]).toEqual(total.map(({ cost }) => cost));
    expect(answer.by_day.map(({ date, after }) => [date, after])).toEqual(
      byDay
        .filter((row) => answer.by_day.some(({ date }) => date === row.date_from))
        .map((row) => [row.date_from, row.cost]),
    );
    expect(Object.fromEntries(answer.by_customer.map(({ customer, after }) => [customer, after]))).toEqual(
      Object.fromEntries(byCustomer.map((row) => [row.customer, row.cost])),
    );
    const own = expectStatus(await asked.api('POST', '/api/costs/', { ...range, aggregate: 'all' }), 200);
    expect(own).toMatchObject({ rows: [{ cost: answer.before }] });
  });
});
