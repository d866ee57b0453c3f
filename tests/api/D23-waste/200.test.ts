import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { allCalls } from '../../support/calls.ts';
import { type Json, onceCaughtUp, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { askWaste, byCause } from './support.ts';

const farthing = sharedFarthing();
const range = { date_from: '2024-05-15', date_to: '2024-05-16' };

/** 10,000 tokens of input cost 0.1 and save 0.09 if cached; 1,000 of output cost 0.03. */
const rates = { input_per_mtok: 10, cache_read_per_mtok: 1, output_per_mtok: 30 };

async function newProject(): Promise<Project> {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', ...rates });
  await project.addPrice({ model: 'small', input_per_mtok: 1, output_per_mtok: 3 });
  return project;
}

/** A call at a time of 15 May, of 10,000 tokens of input and 1,000 of output, in a run of its own. */
const call = (time: string, fields: Json = {}, tags: Json = {}): Json =>
  tokenEvent({
    timestamp: `2024-05-15T${time}Z`,
    prompt_tokens: 10_000,
    completion_tokens: 1_000,
    ...fields,
    tags: { feature: randomUUID(), customer: 'acme', ...tags },
  });

const failing = { event_type: 'llm.error', error_type: 'TimeoutError' };

longTest('D23: failed calls cost what they report to have used', async () => {
  const project = await newProject();
  await project.post(
    call('10:00:00', failing),
    call('10:00:00', { ...failing, prompt_tokens: undefined, completion_tokens: undefined }),
    call('10:00:00'),
  );
  const waste = await askWaste(project, range);
  expect(byCause(waste)).toEqual({ failed: [2, 0.13] });
  expect(waste).toMatchObject({ total_cost: 0.26, calls: 3, wasted: 0.13, share: 0.5 });
});

test('D23: the attempt again is the next call of the run, feature and model that did not fail', async () => {
  const project = await newProject();
  const of = (run_id: string, feature = 'chat') => ({ run_id, feature });
  const cached = { cached_tokens: 10_000 };
  await project.post(
    call('10:00:00', failing, of('r1')),
    call('10:01:00', failing, of('r1')),
    call('10:02:00', cached, of('r1')),
    // The next step of the run.
    call('10:03:00', cached, of('r1')),
    // Another feature, another model, another run, and a call before the failure.
    call('10:04:00', cached, of('r1', 'search')),
    call('10:04:00', { ...cached, model: 'small' }, of('r1')),
    call('10:04:00', cached, of('r2')),
    call('09:00:00', cached, of('r3')),
    call('10:00:00', failing, of('r3')),
  );
  const waste = await askWaste(project, range);
  expect(byCause(waste)).toEqual({ failed: [3, 0.39], retried: [1, 0.04] });
  // An upper bound may be no waste at all.
  expect(waste).toMatchObject({ wasted: 0.39, wasted_at_most: 0.43 });
  expect(waste.share).toBeCloseTo(0.39 / waste.total_cost, 12);
});

longTest('D15.3, D23: answers that were not read to the end are aborted, unless they failed or try again', async () => {
  const project = await newProject();
  const aborted = { aborted: true };
  await project.post(
    call('10:00:00', aborted),
    call('10:00:00', { ...failing, ...aborted }),
    call('11:00:00', failing, { run_id: 'r1', feature: 'chat' }),
    call('12:00:00', aborted, { run_id: 'r1', feature: 'chat' }),
    // Only the boolean says so.
    call('10:00:00', { aborted: 'yes' }),
  );
  expect(byCause(await askWaste(project, range))).toEqual({
    failed: [2, 0.26],
    retried: [1, 0.13],
    aborted: [1, 0.13],
  });
  const calls = await allCalls(project, { ...range, waste: ['aborted', 'retried'] });
  expect(calls.map(({ aborted: isAborted }) => isAborted)).toEqual([true, true]);
  expect((await allCalls(project, range)).filter(({ aborted: isAborted }) => isAborted)).toHaveLength(3);
});

test('D23: input could have been cached within 5 minutes of a prompt of its size, by its own prices', async () => {
  const project = await newProject();
  const chat = { feature: 'chat' };
  await project.post(
    call('10:00:00', {}, chat),
    // Of another customer, exactly 5 minutes later, and a bit more than 5 minutes after that.
    call('10:05:00', {}, { ...chat, customer: 'globex' }),
    call('10:10:00.001', {}, chat),
    // From 8,192 to 16,383 tokens are of one size.
    call('10:11:00', { prompt_tokens: 16_384 }, chat),
    call('10:12:00', { prompt_tokens: 1_023 }, chat),
    call('10:13:00', { prompt_tokens: 1_023 }, chat),
    // Read from the cache, and written to it.
    call('10:14:00', { cached_tokens: 1 }, chat),
    call('10:14:30', { cache_write_tokens: 1 }, chat),
    // No cache has a price.
    call('11:00:00', { model: 'small' }, chat),
    call('11:00:01', { model: 'small' }, chat),
  );
  expect(byCause(await askWaste(project, range))).toEqual({ uncached_input: [1, 0.09] });
  expect(await allCalls(project, { ...range, waste: ['uncached_input'] })).toMatchObject([
    { customer: 'globex', time: '2024-05-15T10:05:00.000Z' },
  ]);
});

test('D23, D26.2: calls with terms are compared with the prices of the same terms', async () => {
  const project = await farthing.createProject();
  const tokens = { prompt_tokens: 1_000_000, completion_tokens: 100_000 };
  const dayCall = (time: string, fields: Json, tags: Json = {}) =>
    call('', { timestamp: `2026-03-15T${time}Z`, model: 'gpt-4o', provider: 'openai', ...tokens, ...fields }, tags);
  const claude = { model: 'claude-sonnet-4-5', provider: 'anthropic', prompt_tokens: 100_000 };
  const batch = { service_tier: 'batch' };
  await project.post(
    // 3.5 each, and 0.21 with gpt-4o-mini; half of both in a batch.
    dayCall('10:00:00', {}),
    dayCall('10:00:00', {}),
    dayCall('10:00:00', batch),
    // 0.3 of input each, of which a cache saves nine tenths; half of it in a batch.
    ...['10:00:00', '10:01:00'].map((time) => dayCall(time, { ...claude, ...batch }, { feature: 'nightly' })),
  );
  const range = { date_from: '2026-03-15', date_to: '2026-03-15' };
  expect(byCause(await askWaste(project, { ...range, alternatives: { 'gpt-4o': 'gpt-4o-mini' } }))).toEqual({
    uncached_input: [1, 0.135],
    dearer_model: [3, 8.225],
  });
});

longTest('D23: a dearer model is compared with its alternative, by the same usage', async () => {
  const project = await newProject();
  await project.post(
    call('10:00:00'),
    call('10:00:00', failing),
    // Units have prices of their own, and a cheap call has nothing to save.
    call('10:00:00', { web_searches: 1 }),
    call('10:00:00', { cost: 0.001 }),
    call('10:00:00', { model: 'other', cost: 1 }),
  );
  const alternatives = { m1: 'small' };
  const waste = await askWaste(project, { ...range, alternatives });
  expect(byCause(waste)).toEqual({ failed: [1, 0.13], dearer_model: [1, 0.117] });
  expect(await allCalls(project, { ...range, alternatives, waste: ['dearer_model'] })).toHaveLength(1);
  expectInvalid(await project.api('POST', '/api/waste/', { ...range, alternatives: { m1: 'nothing' } }), [
    '/alternatives/m1',
  ]);
});

test('D6.6, D23: filters select calls, and causes are judged by all calls of the range', async () => {
  const project = await newProject();
  const run = { run_id: 'r1', feature: 'chat' };
  await project.post(
    call('10:00:00', failing, { ...run, customer: 'globex' }),
    call('10:00:30', {}, { ...run, team: 'blue' }),
    call('10:00:40', {}, { feature: 'search' }),
    { ...call('10:00:00', failing, { ...run, feature: 'late' }) },
    { ...call('00:00:00', {}, { ...run, feature: 'late' }), timestamp: '2024-05-16T09:00:00Z' },
  );
  await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  const retried = async (fields: Json) => byCause(await askWaste(project, { ...range, ...fields })).retried;
  expect(await retried({})).toEqual([2, 0.26]);
  expect(await retried({ customers: ['acme'] })).toEqual([2, 0.26]);
  expect(await retried({ customers: ['globex'] })).toBeUndefined();
  expect(await retried({ features: ['chat'] })).toEqual([1, 0.13]);
  expect(await retried({ models: ['m1'], features: ['search'] })).toBeUndefined();
  expect(await retried({ customer_tags: { plan: 'pro' }, features: ['late'] })).toEqual([1, 0.13]);
  expect(await retried({ run_tags: { team: 'blue' } })).toEqual([2, 0.26]);
  // On 16 May alone, nothing failed before.
  expect(await retried({ date_from: '2024-05-16' })).toBeUndefined();
  // The row cuts the list, and the cause is judged by the dates of the body.
  const row = { date_from: '2024-05-16', date_to: '2024-05-16', customer: 'acme' };
  expect(await allCalls(project, { ...range, row, waste: ['retried'] })).toMatchObject([{ feature: 'late' }]);
});

longTest('D19.1, D23: as of a close, the calls are those of the close', async () => {
  const project = await newProject();
  await project.post(call('10:00:00', failing));
  const made = await project.api('POST', '/api/closes/', { through: '2024-05-16' });
  expect(made.status).toBe(201);
  await project.post(call('11:00:00', failing));
  const asOf = Object(made.body).id as string;
  expect(byCause(await askWaste(project, { ...range, as_of: asOf }))).toEqual({ failed: [1, 0.13] });
  expect(byCause(await askWaste(project, range))).toEqual({ failed: [2, 0.26] });
});

test('D23, D24.1: the causes also come as CSV, and a list that is JSON alone refuses a format', async () => {
  const project = await newProject();
  await project.post(call('10:00:00', failing));
  await onceCaughtUp(() => project.api('POST', '/api/waste/', range));
  const answer = await project.api('POST', '/api/waste/?format=csv', range);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, failed, ...others] = answer.text.trim().split('\n');
  expect(head).toBe('cause,bound,calls,amount,share,definition');
  expect(failed).toMatch(/^failed,exact,1,0\.13,1,/);
  expect(others).toHaveLength(3);
  for (const path of ['budgets', 'prices', 'credit-grants', 'key-metrics', 'alerts', 'coverage'])
    expectProblem(await project.api('GET', `/api/${path}/?format=csv`), 400, 'invalid_query');
});

test('D23: without calls, all is 0', async () => {
  const project = await farthing.createProject();
  expect(await askWaste(project, range)).toMatchObject({ total_cost: 0, calls: 0, wasted: 0, share: 0 });
});
