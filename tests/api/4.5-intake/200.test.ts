import { randomUUID } from 'node:crypto';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { allCalls } from '../../support/calls.ts';
import { costEvent, expectStatus, type Json, type Project, send, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();
const ndjson = 'application/x-ndjson';
const today = () => new Date().toISOString().slice(0, 10);

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

longTest('2.6: an event needs only event_id and event_type', async () => {
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

longTest('D3.3: a repeated event within a batch is accepted and counts once', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1 });
  const answer = await project.intake({ body: [event, event, costEvent({ cost: 2 }), event] });
  expect(expectStatus(answer, 200)).toEqual({ ok: true, accepted: 4 });
  expect(await project.totalCost()).toBe(3);
});

test('D3.3: NDJSON with a line feed at the end, without one, and with carriage returns', async () => {
  const project = await farthing.createProject();
  const forms = { 'line feeds': ['\n', '\n'], 'no end': ['\n', ''], 'carriage returns': ['\r\n', '\r\n'] };
  for (const [customer, [between = '', end = '']] of Object.entries(forms)) {
    const lines = [1, 2, 4].map((cost) => JSON.stringify(costEvent({ cost, tags: { customer } })));
    const answer = await project.intake({ raw: lines.join(between) + end, contentType: ndjson });
    expect(expectStatus(answer, 200), customer).toEqual({ ok: true, accepted: 3 });
  }
  expect(await project.costBy('customer')).toEqual({ 'line feeds': 7, 'no end': 7, 'carriage returns': 7 });
});

longTest('D3.3: ten thousand events in one request', async () => {
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

test('D3.3: gzip, br and zstd content is accepted', async () => {
  const project = await farthing.createProject();
  for (const [customer, compress] of Object.entries({
    gzip: gzipSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  })) {
    const headers = { 'content-encoding': customer };
    const [one, ...more] = [1, 2, 4].map((cost) => JSON.stringify(costEvent({ cost, tags: { customer } })));
    const single = await project.intake({ raw: bytes(compress(one ?? '')), headers });
    expect(expectStatus(single, 200), customer).toEqual({ ok: true });
    const batch = await project.intake({ raw: bytes(compress(more.join('\n'))), headers, contentType: ndjson });
    expect(expectStatus(batch, 200), customer).toEqual({ ok: true, accepted: 2 });
  }
  expect(await project.costBy('customer')).toEqual({ gzip: 7, br: 7, zstd: 7 });
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

longTest('D2: the trailing slash is optional', async () => {
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

/** A customer for each event, so that one question tells them apart: all of them, each with this cost. */
const each = (names: readonly string[], cost: number) => Object.fromEntries(names.map((name) => [name, cost]));

test('D3.4: an event_id may be a UUID of any version', async () => {
  const project = await farthing.createProject();
  const versions = {
    1: 'c232ab00-9414-11ec-b3c8-9f6bdeced846',
    3: '5df41881-3aed-3515-88a7-2f4a814cf09e',
    4: '919108f7-52d1-4320-9bac-f847db4148a8',
    5: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    6: '1ec9414c-232a-6b00-b3c8-9f6bdeced846',
    7: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    8: '320c3d4d-cc00-875b-8ec9-32d5f69181c0',
  };
  await Promise.all(
    Object.entries(versions).map(([customer, event_id]) =>
      project.post(costEvent({ event_id, cost: 1, tags: { customer } })),
    ),
  );
  expect(await project.costBy('customer')).toEqual(each(Object.keys(versions), 1));
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

test('D3.4: what has a wrong type outside section 2.6 is kept and ignored, never refused', async () => {
  const project = await farthing.createProject();
  const odd: Json[] = [
    { cost: 'much' },
    { cost: -1 },
    { cost: 100_001 },
    { cost: { amount: 1 } },
    { timestamp: 12 },
    { timestamp: 'yesterday' },
    { usage: 'many' },
    { usage: { prompt_tokens: 'x', completion_tokens: -1 } },
    { input_tokens: 'x', output_tokens: -5, cached_tokens: 1.5 },
    { input_tokens: 1e12, cache_write_tokens: 1e300 },
    { customer: ['a'], user: {}, feature: [], run_id: { a: 1 } },
    { response: [1, 2] },
  ];
  const events = odd.map((fields) => ({
    event_id: randomUUID(),
    event_type: 'x.after',
    timestamp: '2024-05-15T12:00:00Z',
    ...fields,
  }));
  for (const answer of await Promise.all(events.map((body) => project.intake({ body })))) expectStatus(answer, 200);
  const calls = await allCalls(project, { date_from: '2024-01-01', date_to: today() });
  const seen = new Map(calls.map((call) => [call.event_id, call]));
  const ignored = { customer: '', user: '', feature: '', cost: 0 };
  for (const event of events) expect(seen.get(event.event_id), JSON.stringify(event)).toMatchObject(ignored);
  expect(calls).toHaveLength(events.length);
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
  const tried = someOf(others, 6);
  for (const other of tried) {
    const event = JSON.stringify(costEvent({ cost: 1 }));
    const answer = await project.intake({ raw: `${event.slice(0, -1)},${other}}` });
    expect([other, answer.status, answer.body]).toEqual([other, 200, { ok: true }]);
  }
  expect(await project.totalCost()).toBe(tried.length);
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

test('D3.4, D3.5: the largest and longest fields are accepted', async () => {
  const project = await farthing.createProject();
  const largest: readonly (readonly [string, Json])[] = [
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
  ];
  const events = largest.map(([_name, fields]) => costEvent({ cost: 1, ...fields }));
  const answers = await Promise.all(events.map((body) => project.intake({ body })));
  for (const [at, { status, text }] of answers.entries()) expect(status, `${largest[at]?.[0]}: ${text}`).toBe(200);
  expect(await project.totalCost()).toBe(events.length);
});

longTest('D3.5: an event of 1 MiB is accepted', async () => {
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

/** The cost of each customer on the days from one to another. */
const costsOn = async (project: Project, from: string, to = from) =>
  Object.fromEntries(
    (await project.allCosts({ date_from: from, date_to: to, aggregate: 'all', group_by: 'customer' })).map(
      ({ customer, cost }) => [customer, cost],
    ),
  );

test('D3.9: a timestamp gives the time of the event', async () => {
  const project = await farthing.createProject();
  const timestamps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '2024-05-15': {
      'with Z': '2024-05-15T12:00:00Z',
      'with a fraction': '2024-05-15T23:59:59.999999999Z',
      'with an offset ahead of UTC': '2024-05-16T01:00:00+02:00',
      'with an offset of half an hour': '2024-05-16T05:29:59+05:30',
      'in lower case': '2024-05-15t12:00:00z',
    },
    '2024-05-16': { 'with an offset behind UTC': '2024-05-15T20:00:00-05:00' },
    '2000-01-01': { 'at the earliest valid time': '2000-01-01T00:00:00Z' },
  };
  const events = Object.values(timestamps).flatMap((ofDay) =>
    Object.entries(ofDay).map(([customer, timestamp]) => costEvent({ cost: 1, timestamp, tags: { customer } })),
  );
  const ahead = new Date(Date.now() + 23 * 3_600_000).toISOString();
  await project.post(...events, costEvent({ cost: 1, timestamp: ahead, tags: { customer: 'less than a day ahead' } }));
  for (const [day, ofDay] of Object.entries(timestamps)) {
    expect(await costsOn(project, day), day).toEqual(each(Object.keys(ofDay), 1));
  }
  expect(await costsOn(project, ahead.slice(0, 10))).toEqual({ 'less than a day ahead': 1 });
});

test('D3.9: with a timestamp that is none, or that cannot be, the time of receipt counts', async () => {
  const project = await farthing.createProject();
  const timestamps = {
    'before 2000': '1999-12-31T23:59:59Z',
    'more than a day ahead': new Date(Date.now() + 25 * 3_600_000).toISOString(),
    'without offset': '2024-05-15T12:00:00',
    'without time': '2024-05-15',
    'with a day that does not exist': '2024-02-30T12:00:00Z',
    'that is a number': 1_715_774_400,
    'that is text': 'noon',
    'that is empty': '',
  };
  const before = today();
  await project.post(
    ...Object.entries(timestamps).map(([customer, timestamp]) => costEvent({ cost: 1, timestamp, tags: { customer } })),
  );
  expect(await costsOn(project, before, today())).toEqual(each(Object.keys(timestamps), 1));
});
