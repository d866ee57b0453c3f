import { randomUUID } from 'node:crypto';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { costEvent, expectStatus, type Json, send, sharedFarthing } from '../../support/client.ts';

const farthing = sharedFarthing();
const ndjson = 'application/x-ndjson';

test('D3.2: one event is answered with ok, and so is its repetition', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 0.5 });
  for (let time = 0; time < 3; time += 1) {
    expect(expectStatus(await project.intake({ body: event }), 200)).toEqual({ ok: true });
  }
  expect(await project.totalCost()).toBe(0.5);
});

test('D4.2: one event posted many times at once is one call', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 0.5 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => project.intake({ body: event })));
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  expect(await project.totalCost()).toBe(0.5);
});

test('2.6: an event needs only event_id and event_type', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({ body: { event_id: randomUUID(), event_type: 'x.after' } });
  expect(expectStatus(answer, 200)).toEqual({ ok: true });
  expect(await project.costs({ date_from: '2026-01-01', aggregate: 'all', group_by: 'customer' })).toMatchObject({
    rows: [{ customer: '', cost: 0 }],
  });
});

test('D3.3: a JSON array of events is answered with the number of events', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({ body: [costEvent({ cost: 1 }), costEvent({ cost: 2 })] });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 2 });
  const single = await project.intake({ body: [costEvent({ cost: 4 })] });
  expect(expectStatus(single, 200)).toEqual({ ok: true, accepted: 1 });
  expect(await project.totalCost()).toBe(7);
});

test('D3.3: a repeated event within a batch is accepted and counts once', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1 });
  const answer = await project.intake({ body: [event, event, costEvent({ cost: 2 }), event] });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 4 });
  expect(await project.totalCost()).toBe(3);
});

test.each([
  ['with a line feed at the end', '\n', '\n'],
  ['without one', '\n', ''],
  ['with carriage returns', '\r\n', '\r\n'],
])('D3.3: NDJSON %s', async (_name, between, end) => {
  const project = await farthing.createProject();
  const lines = [1, 2, 4].map((cost) => JSON.stringify(costEvent({ cost })));
  const answer = await project.intake({ raw: lines.join(between) + end, contentType: ndjson });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 3 });
  expect(await project.totalCost()).toBe(7);
});

test('D3.3: ten thousand events in one request', async () => {
  const project = await farthing.createProject();
  const events = Array.from({ length: 10_000 }, () => costEvent({ cost: 0.0001 }));
  const answer = await project.intake({ body: events });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 10_000 });
  expect(await project.totalCost()).toBe(1);
});

test('D3.3: spaces, line breaks and strings full of brackets inside a batch', async () => {
  const project = await farthing.createProject();
  const tricky = costEvent({ cost: 1, note: '},{"event_id":1}],[ \\" \\\\', nested: [{ a: [[]] }, '}'] });
  const raw = ` [\n\t${JSON.stringify(tricky, null, 2)} ,\r\n${JSON.stringify(costEvent({ cost: 2 }))}\n ] \n`;
  const answer = await project.intake({ raw });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 2 });
  expect(await project.totalCost()).toBe(3);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('D3.3: %s content is accepted', async (encoding, compress) => {
  const project = await farthing.createProject();
  const headers = { 'content-encoding': encoding };
  const single = await project.intake({ raw: bytes(compress(JSON.stringify(costEvent({ cost: 1 })))), headers });
  expect(expectStatus(single, 200)).toEqual({ ok: true });
  const lines = [2, 4].map((cost) => JSON.stringify(costEvent({ cost }))).join('\n');
  const batch = await project.intake({ raw: bytes(compress(lines)), headers, contentType: ndjson });
  expect(expectStatus(batch, 200)).toEqual({ ok: true, accepted: 2 });
  expect(await project.totalCost()).toBe(7);
});

function bytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}

test('D3.1: the intake also listens at the root of its own port', async () => {
  const project = await farthing.createProject();
  const answer = await send('POST', `${inject('intakeRootUrl')}/${project.clientId}/`, {
    body: costEvent({ cost: 1 }),
    token: project.secret,
  });
  expect(expectStatus(answer, 200)).toEqual({ ok: true });
  const batch = await send('POST', `${inject('intakeRootUrl')}/${project.clientId}`, {
    body: [costEvent({ cost: 2 })],
    token: project.secret,
  });
  expect(expectStatus(batch, 200)).toEqual({ ok: true, accepted: 1 });
  expect(await project.totalCost()).toBe(3);
});

test('D11.3: requests to the port of the intake are in the metrics', async () => {
  const status = 401;
  expect((await send('POST', `${inject('intakeRootUrl')}/${crypto.randomUUID()}/`, { body: [] })).status).toBe(status);
  const { text } = await farthing.send('GET', '/metrics');
  const counter = `farthing_http_request_seconds_count{route="/:client_id/",method="POST",status="${status}"}`;
  expect(text).toContain(counter);
});

test('D2: the trailing slash is optional', async () => {
  const project = await farthing.createProject();
  const answer = await farthing.send('POST', `/intake/${project.clientId}`, {
    body: costEvent({ cost: 1 }),
    token: project.secret,
  });
  expect(answer.status).toBe(200);
  expect(await project.totalCost()).toBe(1);
});

test('D1.3: events of several clients belong to one project', async () => {
  const project = await farthing.createProject();
  const other = await project.createClient();
  const event_id = randomUUID();
  await project.post({ event_id, event_type: 'x.before', tags: { customer: 'acme' } });
  const answer = await farthing.send('POST', `/intake/${other.client_id}/`, {
    body: costEvent({ event_id, cost: 1 }),
    token: other.secret,
  });
  expect(answer.status).toBe(200);
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
});

test.each([
  ['1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
  ['3', '5df41881-3aed-3515-88a7-2f4a814cf09e'],
  ['4', '919108f7-52d1-4320-9bac-f847db4148a8'],
  ['5', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
  ['6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846'],
  ['7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
  ['8', '320c3d4d-cc00-875b-8ec9-32d5f69181c0'],
])('D3.4: an event_id may be a UUID of version %s', async (_version, event_id) => {
  const project = await farthing.createProject();
  await project.post(costEvent({ event_id, cost: 1 }));
  expect(await project.totalCost()).toBe(1);
});

test('D3.4: an event_id is case-insensitive', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post({ event_id: event_id.toUpperCase(), event_type: 'x.before', tags: { customer: 'acme' } });
  await project.post(costEvent({ event_id, cost: 1 }));
  await project.post(costEvent({ event_id: event_id.toUpperCase(), cost: 1 }));
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
});

test('D3.4: null counts as absent in every optional field of 2.6', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({
    body: costEvent({
      cost: 1,
      model: null,
      provider: null,
      tags: null,
      elapsed_ms: null,
      prompt_tokens: null,
      completion_tokens: null,
      error_type: null,
      error_message: null,
    }),
  });
  expect(answer.status, answer.text).toBe(200);
  expect(await project.costBy('model')).toEqual({ '': 1 });
});

test('D3.4: tags that are numbers or booleans become strings, and null is dropped', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, tags: { customer: 42, feature: true, level: 1.5, off: false, none: null } }),
    costEvent({ cost: 2, tags: { customer: null } }),
  );
  expect(await project.costBy('customer')).toEqual({ '': 2, '42': 1 });
  expect(await project.costBy('feature')).toEqual({ '': 2, true: 1 });
  expect(await project.totalCost({ run_tags: { level: '1.5', off: 'false' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { none: 'null' } })).toBe(0);
});

test('D3.4: an empty string counts as absent in a dimension', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, model: '', provider: '', tags: { customer: '', customer_id: 'acme', feature: '' } }),
  );
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
  expect(await project.costBy('model')).toEqual({ '': 1 });
  const event_id = randomUUID();
  await project.post({ event_id, event_type: 'x.before', model: 'm1', tags: { customer: 'zeta' } });
  await project.post(costEvent({ event_id, cost: 2, model: '', tags: { customer: '' } }));
  expect(await project.costBy('customer')).toEqual({ acme: 1, zeta: 2 });
  expect(await project.costBy('model')).toEqual({ '': 1, m1: 2 });
});

test.each([
  ['a cost that is text', { cost: 'much' }],
  ['a negative cost', { cost: -1 }],
  ['a cost above 100,000', { cost: 100_001 }],
  ['a cost that is an object', { cost: { amount: 1 } }],
  ['a timestamp that is a number', { timestamp: 12 }],
  ['a timestamp that is text', { timestamp: 'yesterday' }],
  ['a usage that is text', { usage: 'many' }],
  ['a usage of wrong types', { usage: { prompt_tokens: 'x', completion_tokens: -1 } }],
  ['aliases of wrong types', { input_tokens: 'x', output_tokens: -5, cached_tokens: 1.5 }],
  ['counts beyond any range', { input_tokens: 1e12, cache_write_tokens: 1e300 }],
  ['top-level dimensions of wrong types', { customer: ['a'], user: {}, feature: [], run_id: { a: 1 } }],
  ['a response that is a list', { response: [1, 2] }],
])('D3.4: %s outside section 2.6 is kept and ignored, never refused', async (_name, fields) => {
  const project = await farthing.createProject();
  const answer = await project.intake({
    body: { event_id: randomUUID(), event_type: 'x.after', timestamp: '2024-05-15T12:00:00Z', ...fields },
  });
  expect(answer.status, answer.text).toBe(200);
  const rows = await project.allCosts({ date_from: '2024-01-01', aggregate: 'all', group_by: 'customer' });
  expect(rows).toMatchObject([{ customer: '', cost: 0 }]);
});

test('2.6: any other JSON in an event is accepted', async () => {
  const project = await farthing.createProject();
  const others = [
    '"x":1e400',
    '"x":123456789012345678901234567890',
    '"x":0.1000000000000000055511151231257827',
    '"x":"\\u0000\\ud83d\\ude00"',
    '"x":"\\ud800"',
    '"__proto__":{"polluted":true}',
    '"constructor":{"prototype":{"polluted":true}}',
    '"x":1,"x":2',
    '"":""',
    '"x":null,"y":[null,[],{}]',
    '"hasOwnProperty":1,"toString":2,"valueOf":3',
    `"x":${'['.repeat(500)}${']'.repeat(500)}`,
    `"${'k'.repeat(5000)}":1`,
  ];
  for (const other of others) {
    const event = JSON.stringify(costEvent({ cost: 1 }));
    const answer = await project.intake({ raw: `${event.slice(0, -1)},${other}}` });
    expect([other, answer.status, answer.body]).toEqual([other, 200, { ok: true }]);
  }
  expect(await project.totalCost()).toBe(others.length);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('D3.4: __proto__ is an ordinary key and does not affect the other fields', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  const raw =
    `{"event_id":"${event_id}","event_type":"x.after","timestamp":"2024-05-15T12:00:00Z","cost":1,` +
    '"__proto__":{"customer":"mallory","model":"evil"},"tags":{"__proto__":"x","feature":"f"}}';
  expect(expectStatus(await project.intake({ raw }), 200)).toEqual({ ok: true });
  expect(await project.costBy('customer')).toEqual({ '': 1 });
  expect(await project.costBy('model')).toEqual({ '': 1 });
  expect(await project.costBy('feature')).toEqual({ f: 1 });
});

test.each([
  ['event_type of 200 characters', { event_type: `${'x'.repeat(194)}.after` }],
  ['event_type of 200 emoji and other characters', { event_type: `${'😀'.repeat(194)}.after` }],
  ['100 tags', { tags: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v'])) }],
  ['a tag key of 128 characters', { tags: { ['k'.repeat(128)]: 'v' } }],
  ['a tag value of 1,024 characters', { tags: { k: 'v'.repeat(1024) } }],
  ['a model and provider of 1,024 characters', { model: 'm'.repeat(1024), provider: 'p'.repeat(1024) }],
  ['a customer of 1,024 emoji', { tags: { customer: '😀'.repeat(1024) } }],
  ['the largest counts', { prompt_tokens: 1e9, completion_tokens: 1e9, elapsed_ms: 1e12 }],
  ['counts of zero', { prompt_tokens: 0, completion_tokens: 0, elapsed_ms: 0 }],
  ['an elapsed_ms with a fraction', { elapsed_ms: 12.75 }],
  ['a long error_message', { error_type: 'x'.repeat(3000), error_message: 'x'.repeat(100_000) }],
] satisfies [string, Json][])('D3.4, D3.5: %s is accepted', async (_name, fields) => {
  const project = await farthing.createProject();
  const answer = await project.intake({ body: costEvent({ cost: 1, ...fields }) });
  expect(answer.status, answer.text).toBe(200);
  expect(await project.totalCost()).toBe(1);
});

test('D3.5: an event of 1 MiB is accepted', async () => {
  const project = await farthing.createProject();
  const event = JSON.stringify(costEvent({ cost: 1, filler: '' }));
  const raw = event.replace('"filler":""', `"filler":"${'x'.repeat(1024 * 1024 - event.length)}"`);
  expect(raw).toHaveLength(1024 * 1024);
  expect((await project.intake({ raw })).status).toBe(200);
  expect(await project.totalCost()).toBe(1);
});

test('D3.8: a custom event forms no call', async () => {
  const project = await farthing.createProject();
  const types = ['signup', 'x.before.retry', 'x.afterwards', 'after.x', 'x.after.', 'before-after', 'x.error_'];
  for (const event_type of types) {
    const answer = await project.intake({ body: costEvent({ cost: 1, event_type, tags: { customer: event_type } }) });
    expect(expectStatus(answer, 200)).toEqual({ ok: true });
  }
  expect(await project.costBy('customer')).toEqual({});
});

test('D3.8: the phase follows the last dot, or is the whole type', async () => {
  const project = await farthing.createProject();
  const types = ['after', 'error', 'x.after', 'a.b.c.after', '.after', 'before.error', 'x y.error', '模型.after'];
  await project.post(...types.map((event_type) => costEvent({ cost: 1, event_type, tags: { customer: event_type } })));
  expect(await project.costBy('customer')).toEqual(Object.fromEntries(types.map((type) => [type, 1])));
});

test.each([
  ['with Z', '2024-05-15T12:00:00Z', '2024-05-15'],
  ['with a fraction', '2024-05-15T23:59:59.999999999Z', '2024-05-15'],
  ['with an offset ahead of UTC', '2024-05-16T01:00:00+02:00', '2024-05-15'],
  ['with an offset behind UTC', '2024-05-15T20:00:00-05:00', '2024-05-16'],
  ['with an offset of half an hour', '2024-05-16T05:29:59+05:30', '2024-05-15'],
  ['in lower case', '2024-05-15t12:00:00z', '2024-05-15'],
  ['at the earliest valid time', '2000-01-01T00:00:00Z', '2000-01-01'],
])('D3.9: a timestamp %s gives the time of the event', async (_name, timestamp, day) => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, timestamp }));
  expect(await project.costs({ date_from: day, date_to: day })).toMatchObject({ rows: [{ cost: 1 }] });
});

test.each([
  ['before 2000', '1999-12-31T23:59:59Z'],
  ['more than a day ahead', () => new Date(Date.now() + 25 * 3_600_000).toISOString()],
  ['without offset', '2024-05-15T12:00:00'],
  ['without time', '2024-05-15'],
  ['with a day that does not exist', '2024-02-30T12:00:00Z'],
  ['that is a number', 1_715_774_400],
  ['that is text', 'noon'],
  ['that is empty', ''],
])('D3.9: with a timestamp %s the time of receipt counts', async (_name, timestamp) => {
  const project = await farthing.createProject();
  const before = new Date().toISOString().slice(0, 10);
  await project.post(costEvent({ cost: 1, timestamp: typeof timestamp === 'function' ? timestamp() : timestamp }));
  const { rows } = await project.costs({ date_from: before });
  expect(rows.reduce((total, row) => total + row.cost, 0)).toBe(1);
});

test('D3.9: a timestamp less than a day ahead gives the time of the event', async () => {
  const project = await farthing.createProject();
  const timestamp = new Date(Date.now() + 23 * 3_600_000).toISOString();
  await project.post(costEvent({ cost: 1, timestamp }));
  const day = timestamp.slice(0, 10);
  expect(await project.costs({ date_from: day, date_to: day })).toMatchObject({ rows: [{ cost: 1 }] });
});
