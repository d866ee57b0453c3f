import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Answer, costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem, type Problem } from '../../support/problem.ts';

const farthing = sharedFarthing();

/** Checks the answer to a batch with refused events (D3.3). */
function expectPartlyAccepted(answer: Answer, accepted: number, errorsTotal: number): Problem {
  const problem = expectProblem(answer, 400, 'invalid_body');
  expect(problem).toMatchObject({ accepted, errors_total: errorsTotal });
  return problem;
}

test('D11.1: every fault of an event is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({
    body: {
      event_id: 'not a uuid',
      event_type: '',
      model: 5,
      provider: {},
      tags: { nested: { a: 1 }, list: [1], fine: 'x' },
      elapsed_ms: -1,
      prompt_tokens: 1.5,
      completion_tokens: '12',
      error_type: true,
      error_message: 404,
    },
  });
  expectInvalid(answer, [
    '/event_id',
    '/event_type',
    '/model',
    '/provider',
    '/tags/nested',
    '/tags/list',
    '/elapsed_ms',
    '/prompt_tokens',
    '/completion_tokens',
    '/error_type',
    '/error_message',
  ]);
});

test('D3.3: the valid events of a batch are stored, the others are named by their index', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({
    body: [
      costEvent({ cost: 1 }),
      { event_type: 'x.after' },
      costEvent({ cost: 2 }),
      { ...costEvent({ cost: 4 }), event_id: 7, prompt_tokens: -1 },
      'not an event',
      costEvent({ cost: 8 }),
      null,
    ],
  });
  const problem = expectPartlyAccepted(answer, 3, 5);
  expect(problem.errors?.map((error) => error.pointer).sort()).toEqual([
    '/1/event_id',
    '/3/event_id',
    '/3/prompt_tokens',
    '/4',
    '/6',
  ]);
  expect(await project.totalCost()).toBe(11);
});

test('D3.3: a batch without a valid event stores nothing', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({ body: [{}, { event_id: randomUUID() }] });
  const problem = expectPartlyAccepted(answer, 0, 3);
  expect(problem.errors?.map((error) => error.pointer).sort()).toEqual([
    '/0/event_id',
    '/0/event_type',
    '/1/event_type',
  ]);
});

test('D3.3: the first thousand errors are listed, and all are counted', async () => {
  const project = await farthing.createProject();
  const events: Json[] = Array.from({ length: 1_200 }, () => ({ event_id: 'x', event_type: 'x.after' }));
  const answer = await project.intake({ body: [...events, costEvent({ cost: 1 })] });
  const problem = expectPartlyAccepted(answer, 1, 1_200);
  expect(problem.errors).toHaveLength(1_000);
  expect(problem.errors?.[0]?.pointer).toBe('/0/event_id');
  expect(await project.totalCost()).toBe(1);
});

test('D3.3: an NDJSON line that is not JSON loses only that line', async () => {
  const project = await farthing.createProject();
  const lines = [JSON.stringify(costEvent({ cost: 1 })), '{"event_id":', JSON.stringify(costEvent({ cost: 2 })), '[]'];
  const answer = await project.intake({ raw: lines.join('\n'), contentType: 'application/x-ndjson' });
  const problem = expectPartlyAccepted(answer, 2, 2);
  expect(problem.errors?.map((error) => error.pointer)).toEqual(['/1', '/3']);
  expect(await project.totalCost()).toBe(3);
});

test('D3.3: a broken JSON array stores nothing', async () => {
  const project = await farthing.createProject();
  const event = JSON.stringify(costEvent({ cost: 1 }));
  for (const raw of [`[${event},${event}`, `[${event},]`, `[${event} ${event}]`, `[${event}]]`, `[${event},{]`]) {
    expectProblem(await project.intake({ raw }), 400, 'invalid_json');
  }
  expect(await project.costBy('customer')).toEqual({});
});

test('D3.3: a batch of more than ten thousand events is refused as a whole', async () => {
  const project = await farthing.createProject();
  const events = Array.from({ length: 10_001 }, () => costEvent({ cost: 1 }));
  for (const options of [
    { body: events },
    { raw: events.map((event) => JSON.stringify(event)).join('\n'), contentType: 'application/x-ndjson' },
  ]) {
    const answer = await project.intake(options);
    expect([400, 413], answer.text).toContain(answer.status);
  }
  expect(await project.costBy('customer')).toEqual({});
});

test('D3.3: content that does not match its encoding is a 400', async () => {
  const project = await farthing.createProject();
  const whole = gzipSync(JSON.stringify(costEvent({ cost: 1 })));
  const broken: [string, Uint8Array<ArrayBuffer>][] = [
    ['gzip', new TextEncoder().encode('not gzip')],
    ['gzip', new Uint8Array(whole.subarray(0, whole.length - 9))],
    ['br', new TextEncoder().encode('not brotli at all, by no means')],
    ['zstd', new TextEncoder().encode('not zstd')],
  ];
  for (const [encoding, raw] of broken) {
    const answer = await project.intake({ raw, headers: { 'content-encoding': encoding } });
    expect([encoding, answer.status], answer.text).toEqual([encoding, 400]);
  }
  expect(await project.costBy('customer')).toEqual({});
});

test('D3.5: a refused event changes nothing about an earlier one', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1, tags: { customer: 'acme' } });
  await project.post(event);
  const answer = await project.intake({ body: { ...event, tags: { customer: { name: 'other' } } } });
  expectInvalid(answer, ['/tags/customer']);
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
  expect(expectStatus(await project.intake({ body: event }), 200)).toEqual({ ok: true });
});
