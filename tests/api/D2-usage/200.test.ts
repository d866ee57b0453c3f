import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';

const farthing = sharedFarthing();

const buckets = [
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'cache_read_audio',
  'input_image',
  'cache_read_image',
  'input_video',
  'output',
  'reasoning',
  'output_audio',
  'output_image',
  'output_video',
] as const;
const noTokens = Object.fromEntries(buckets.map((bucket) => [bucket, 0]));

const row = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  customer: z.string().optional(),
  feature: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  calls: z.number().int(),
  errors: z.number().int(),
  unpriced_calls: z.number().int(),
  partly_priced_calls: z.number().int(),
  tokens: z.strictObject(Object.fromEntries(buckets.map((bucket) => [bucket, z.number().int()]))),
  units: z.record(z.string(), z.number()),
  elapsed_ms_sum: z.number(),
  elapsed_ms_max: z.number(),
});
const page = z.strictObject({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });

const month = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };

async function usage(project: Project, query: Json = {}) {
  return page.parse(expectStatus(await project.api('POST', '/api/usage/', { ...month, ...query }), 200));
}

test('D2: usage counts calls, errors, unpriced calls, tokens by bucket and times', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  await project.post(
    tokenEvent({
      prompt_tokens: 100,
      completion_tokens: 50,
      cached_tokens: 30,
      cache_write_tokens: 20,
      reasoning_tokens: 5,
      input_audio_tokens: 3,
      output_audio_tokens: 2,
      elapsed_ms: 1234.5,
    }),
    tokenEvent({
      event_type: 'llm.error',
      error_type: 'timeout',
      elapsed_ms: 0.1,
      prompt_tokens: 7,
      usage: { input_tokens: 1 },
    }),
    tokenEvent({ model: 'of nobody', prompt_tokens: 1_000, completion_tokens: 1 }),
    tokenEvent({ error_type: 'refused' }),
    tokenEvent({
      usage: {
        input_tokens: 10,
        output_tokens: 20,
        cache_creation_input_tokens: 8,
        cache_creation: { ephemeral_1h_input_tokens: 6, ephemeral_5m_input_tokens: 2 },
      },
    }),
  );
  const { rows } = await usage(project);
  expect(rows).toEqual([
    {
      date_from: '2024-05-01',
      date_to: '2024-05-31',
      calls: 5,
      errors: 2,
      unpriced_calls: 1,
      partly_priced_calls: 0,
      tokens: {
        ...noTokens,
        input: 47 + 7 + 1_000 + 10,
        cache_read: 30,
        cache_write: 20 + 2,
        cache_write_1h: 6,
        input_audio: 3,
        output: 43 + 1 + 20,
        reasoning: 5,
        output_audio: 2,
      },
      units: {},
      elapsed_ms_sum: 1234.6,
      elapsed_ms_max: 1234.5,
    },
  ]);
});

test('D26.1: usage has the units of all its calls as exact sums, also of calls that report their cost', async () => {
  const project = await farthing.createProject();
  const on = (day: string, model: string, fields: Json) =>
    tokenEvent({ timestamp: `2024-05-${day}T12:00:00Z`, model, ...fields });
  await project.post(
    on('01', 'a', { web_searches: 3, prompt_tokens: 10 }),
    on('01', 'a', { audio_seconds: 0.1 }),
    on('02', 'a', { audio_seconds: 0.2, web_searches: 1, cost: 0.5 }),
    on('02', 'b', { audio_seconds: 1e-12, images: 0 }),
    on('03', 'b', { prompt_tokens: 1 }),
  );
  const unitsOf = async (query: Json) => (await usage(project, query)).rows.map(({ units }) => units);
  expect(await unitsOf({})).toEqual([{ audio_seconds: 0.300000000001, web_searches: 4 }]);
  expect(await unitsOf({ group_by: 'model' })).toEqual([
    { audio_seconds: 0.3, web_searches: 4 },
    { audio_seconds: 1e-12 },
  ]);
  const days = { date_from: '2024-05-01', date_to: '2024-05-03', aggregate: 'day' };
  expect(await unitsOf(days)).toEqual([
    { audio_seconds: 0.1, web_searches: 3 },
    { audio_seconds: 0.200000000001, web_searches: 1 },
    {},
  ]);
});

test('D6.2: an ungrouped answer has a row of zeros for a period without calls; a grouped one has no row', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a' } }));
  const days = { date_from: '2024-05-14', date_to: '2024-05-16', aggregate: 'day' };
  const { rows } = await usage(project, days);
  expect(rows.map(({ date_from, calls }) => [date_from, calls])).toEqual([
    ['2024-05-14', 0],
    ['2024-05-15', 1],
    ['2024-05-16', 0],
  ]);
  expect(rows[0]).toMatchObject({
    errors: 0,
    unpriced_calls: 0,
    partly_priced_calls: 0,
    tokens: noTokens,
    units: {},
    elapsed_ms_sum: 0,
    elapsed_ms_max: 0,
  });
  const grouped = await usage(project, { ...days, group_by: 'customer' });
  expect(grouped.rows.map(({ date_from, customer }) => [date_from, customer])).toEqual([['2024-05-15', 'a']]);
});

test('D4.5: grouped rows add up to the ungrouped row, over all pages', async () => {
  const project = await farthing.createProject();
  await project.post(
    ...Array.from({ length: 60 }, (_, index) =>
      tokenEvent({
        timestamp: `2024-05-${10 + (index % 3)}T12:00:00Z`,
        tags: { customer: `c${index % 7}`, feature: ['', 'f', 'g'][index % 3] },
        model: `m${index % 4}`,
        prompt_tokens: index,
        completion_tokens: 1,
        elapsed_ms: index / 10,
        ...(index % 5 === 0 && { error_type: 'x' }),
      }),
    ),
  );
  const { rows: total } = await usage(project);
  expect(total).toMatchObject([
    { calls: 60, errors: 12, tokens: { input: 1_770, output: 60 }, elapsed_ms_sum: 177, elapsed_ms_max: 5.9 },
  ]);
  for (const group_by of ['customer', 'feature', 'model', 'provider']) {
    const rows: z.infer<typeof row>[] = [];
    let cursor: string | null = null;
    do {
      const answer: z.infer<typeof page> = await usage(project, {
        aggregate: 'day',
        group_by,
        limit: usualOrLong(12, 8),
        ...(cursor !== null && { cursor }),
      });
      rows.push(...answer.rows);
      cursor = answer.next_cursor;
    } while (cursor !== null);
    const sum = (of: (one: z.infer<typeof row>) => number) => rows.reduce((all, one) => all + of(one), 0);
    expect(sum(({ calls }) => calls)).toBe(60);
    expect(sum(({ errors }) => errors)).toBe(12);
    expect(sum(({ tokens }) => tokens.input ?? Number.NaN)).toBe(1_770);
    expect(sum(({ elapsed_ms_sum }) => elapsed_ms_sum)).toBeCloseTo(177, 9);
    expect(Math.max(...rows.map(({ elapsed_ms_max }) => elapsed_ms_max))).toBe(5.9);
  }
});

test('D6.6: filters select calls as for costs, and apply_credits changes nothing', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, tags: { customer: 'a', feature: 'f', env: 'prod' }, model: 'x', provider: 'p' }),
    costEvent({ cost: 1, tags: { customer: 'b', feature: 'f', env: 'test' }, model: 'y', provider: 'p' }),
    costEvent({ cost: 1, tags: { customer: 'b' }, model: 'x' }),
  );
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  const calls = async (query: Json) => (await usage(project, query)).rows[0]?.calls;
  expect(await calls({})).toBe(3);
  expect(await calls({ customers: ['b'] })).toBe(2);
  expect(await calls({ features: ['f'], models: ['y', 'x'] })).toBe(2);
  expect(await calls({ providers: ['p'], models: ['x'] })).toBe(1);
  expect(await calls({ customer_tags: { plan: 'pro' } })).toBe(1);
  expect(await calls({ run_tags: { env: ['prod', 'test'] } })).toBe(2);
  expect(await usage(project, { apply_credits: true })).toEqual(await usage(project));
});

test('D2: sums of times are exact for many and large times', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 10 }, () => costEvent({ cost: 0, elapsed_ms: 0.1 })));
  expect((await usage(project)).rows).toMatchObject([{ elapsed_ms_sum: 1, elapsed_ms_max: 0.1 }]);
  await project.post(costEvent({ cost: 0, elapsed_ms: 1e300 }), costEvent({ cost: 0, elapsed_ms: 1e300 }));
  expect((await usage(project)).rows).toMatchObject([{ elapsed_ms_sum: 2e18, elapsed_ms_max: 1e18 }]);
});

test('D1.1: usage counts nothing of other projects', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await other.post(tokenEvent({ prompt_tokens: 5 }));
  expect((await usage(mine)).rows).toMatchObject([{ calls: 0, tokens: noTokens }]);
});
