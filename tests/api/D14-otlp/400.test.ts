import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Json, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { compareWithDocument, readOperations } from '../../support/openapi.ts';
import {
  callsIn,
  encodings,
  eventsIn,
  expectPartial,
  expectRefused,
  postOtlp,
  pricedProject,
  sendOtlp,
} from '../../support/otlp/post.ts';
import { readProtobuf, toProtobuf } from '../../support/otlp/protobuf.ts';
import { callSpan, logRecord, logs, nanos, newSpanId, newTraceId, traces } from '../../support/otlp/records.ts';

const farthing = sharedFarthing();
const newProject = () => pricedProject(() => farthing.createProject());

const invalidArgument = 3;
const resourceExhausted = 8;
const unauthenticatedCode = 16;

test('D14.1: a body that is not OTLP is refused with a status in the encoding of the request, and nothing is stored', async () => {
  const project = await newProject();
  const good = toProtobuf(traces([callSpan()]));
  const bodies: [raw: string | Uint8Array<ArrayBuffer>, contentType: string][] = [
    ['{', 'application/json'],
    ['[]', 'application/json'],
    ['"text"', 'application/json'],
    ['{"resourceSpans":{}}', 'application/json'],
    ['{"resourceSpans":[{"scopeSpans":7}]}', 'application/json'],
    ['{"resourceSpans":[7]}', 'application/json'],
    [new Uint8Array([0xff, 0x22]), 'application/json'],
    [JSON.stringify(traces([callSpan()])), 'application/x-protobuf'],
    [good.subarray(0, good.length - 3), 'application/x-protobuf'],
    [new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), 'application/x-protobuf'],
    [new Uint8Array(1_000).fill(0x0b), 'application/x-protobuf'],
  ];
  const operations = await readOperations(farthing);
  const operation = operations.find(({ key }) => key === 'POST /intake/{client_id}/v1/traces/');
  if (!operation) throw new Error('traces are not described');
  for (const [raw, contentType] of bodies) {
    const options = { raw, contentType };
    const answer = await postOtlp(project, traces([]), 'json', options);
    expect(compareWithDocument(operation, answer)).toEqual([]);
    expect(answer.headers.get('content-type')).toBe(contentType);
    if (contentType === 'application/json') {
      expect(expectRefused(answer, 400)).toMatchObject({ code: invalidArgument });
    } else {
      expect(answer.status).toBe(400);
      const bytes = await postRaw(project, raw, contentType);
      expect(readProtobuf(bytes).get(1)).toBe(invalidArgument);
    }
  }
  expect(await eventsIn(project)).toEqual([]);
});

async function postRaw(
  project: Awaited<ReturnType<typeof newProject>>,
  raw: string | Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Uint8Array> {
  const answer = await fetch(`${farthing.url}/intake/${project.clientId}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.secret}`, 'content-type': contentType },
    body: raw,
  });
  return await answer.bytes();
}

test('D14.1: another content type, method, or client is refused', async () => {
  const project = await newProject();
  for (const contentType of ['text/plain', 'application/x-ndjson', 'application/grpc', null]) {
    const answer = await postOtlp(project, traces([]), 'json', { raw: 'x', contentType });
    expect(expectRefused(answer, 415).code).toBe(invalidArgument);
  }
  const wrong = await postOtlp(project, traces([callSpan()]), 'json', { token: 'fs_wrong' });
  expect(expectRefused(wrong, 401).code).toBe(unauthenticatedCode);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
  const get = await farthing.send('GET', `/intake/${project.clientId}/v1/traces`, { token: project.secret });
  expect(get.status).toBe(405);
});

longTest('D14.1: a body that grows beyond the limit when it is decompressed is refused', async () => {
  const project = await newProject();
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(20 * 1_048_576)));
  const answer = await postOtlp(project, traces([]), 'json', { raw: bomb, headers: { 'content-encoding': 'gzip' } });
  expect(expectRefused(answer, 413).code).toBe(resourceExhausted);
  const broken = await postOtlp(project, traces([]), 'json', {
    raw: 'no gzip',
    headers: { 'content-encoding': 'gzip' },
  });
  expect(expectRefused(broken, 400).code).toBe(invalidArgument);
});

longTest('D14.1: very many spans in a request are taken if few are calls, and refused whole if all are', async () => {
  const project = await newProject();
  const count = 100_000;
  const plain = toProtobuf(spansOnly({ traceId: newTraceId(), spanId: newSpanId(), name: 'GET' }, count));
  // Messages that follow each other are one message with the fields of both.
  const raw = new Uint8Array(Buffer.concat([plain, toProtobuf(traces([callSpan()]))]));
  expect((await postOtlp(project, traces([]), 'protobuf', { raw })).status).toBe(200);
  expect(await project.totalCost()).toBe(0.003);
  const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }];
  const calls = spansOnly({ traceId: newTraceId(), spanId: newSpanId(), attributes }, count);
  const refused = await postOtlp(project, traces([]), 'protobuf', { raw: toProtobuf(calls) });
  expect(refused.status, refused.text).toBe(400);
  expect(refused.text).toContain('at most 10000 calls');
  expect(await callsIn(project)).toHaveLength(1);
});

const spansOnly = (span: Json, times: number): Json => ({
  resourceSpans: [{ scopeSpans: [{ spans: Array(times).fill(span) }] }],
});

longTest('D14.1: a body of very many parts is refused, however small they are', async () => {
  const project = await newProject();
  const emptyGroups = new Uint8Array(Buffer.alloc(1_000_000).map((_, index) => (index % 2 === 0 ? 0x0a : 0)));
  const groups = await postOtlp(project, traces([]), 'protobuf', { raw: emptyGroups });
  expect([groups.status, groups.text]).toEqual([400, expect.stringContaining('at most 200000 spans')]);
  const spans = await postOtlp(project, spansOnly({}, 200_001));
  expect(expectRefused(spans, 400).message).toContain('at most 200000 spans');
});

test.each(encodings)(
  'D14.1: the good spans of a request are stored, and the others are counted, as %s',
  async (encoding) => {
    const project = await newProject();
    const bad = [
      callSpan({ as: { traceId: undefined } }),
      callSpan({ as: { spanId: undefined } }),
      callSpan({ traceId: '0'.repeat(32) }),
      callSpan({ spanId: '0'.repeat(16) }),
      callSpan({ spanId: 'abcd' }),
    ];
    const answer = await postOtlp(project, traces([callSpan(), ...bad, callSpan()]), encoding);
    expect(answer.status).toBe(200);
    if (encoding === 'json') {
      const { rejected, message } = expectPartial(answer);
      expect(rejected).toBe(bad.length);
      expect(message).toContain('it has no trace id and span id (5)');
    } else {
      const raw = toProtobuf(traces(bad));
      const bytes = await postRaw(project, raw, 'application/x-protobuf');
      const partial = readProtobuf(bytes).get(1);
      if (!(partial instanceof Uint8Array)) throw new Error('the answer has no partial success');
      expect(readProtobuf(partial).get(1)).toBe(bad.length);
    }
    expect(await project.totalCost()).toBe(0.006);
  },
);

test('D14.1: what is no span or no list of attributes is counted, and never a fault of the service', async () => {
  const project = await newProject();
  const odd = [7, null, 'span', [], callSpan({ as: { attributes: 'none' } }), callSpan({ as: { attributes: {} } })];
  const { rejected } = expectPartial(await postOtlp(project, traces([...odd, callSpan()])));
  expect(rejected).toBe(odd.length);
  // A value that is nested so deeply can be read, but not written again.
  const deep = `${'{"arrayValue":{"values":['.repeat(20_000)}${']}}'.repeat(20_000)}`;
  const attributes = [{ key: 'gen_ai.operation.name', value: 'DEEP' }];
  const raw = JSON.stringify(traces([callSpan({ as: { attributes } })])).replace('"DEEP"', deep);
  expect(expectPartial(await postOtlp(project, traces([]), 'json', { raw })).message).toContain('nested too deeply');
  const record = logRecord('claude_code.api_request', { model: 'm1', input_tokens: 1000, output_tokens: 200 });
  const { rejected: records } = expectPartial(await postOtlp(project, logs([record, 7, { ...record, attributes: 1 }])));
  expect(records).toBe(2);
  expect(await project.totalCost()).toBe(0.006);
});

test('D14.4: attributes of wrong types are ignored, and coverage counts the calls', async () => {
  const project = await newProject();
  const key = (name: string, value: unknown) => ({ key: name, value });
  const attributes = [
    key('gen_ai.operation.name', { stringValue: 'chat' }),
    key('gen_ai.request.model', { stringValue: 'm1' }),
    key('gen_ai.response.model', { intValue: '7' }),
    key('gen_ai.usage.input_tokens', { stringValue: 'many' }),
    key('gen_ai.usage.output_tokens', { doubleValue: 1.5 }),
    key('gen_ai.usage.cache_read.input_tokens', { boolValue: true }),
    key('user.id', { arrayValue: { values: [{ stringValue: 'ann' }] } }),
    key('farthing.customer', { kvlistValue: { values: [] } }),
    key('farthing.feature', { stringValue: 'x'.repeat(2_000) }),
    key('session.id', 'no value'),
    7,
    {},
    key('gen_ai.agent.name', { intValue: 'seven' }),
    key('gen_ai.openai.response.service_tier', { doubleValue: Number.MAX_VALUE }),
  ];
  await sendOtlp(project, traces([callSpan({ as: { attributes, name: 7, status: 'bad', events: 'none', links: 7 } })]));
  const [call] = await callsIn(project);
  expect(call).toMatchObject({ model: 'm1', customer: '', user: '', feature: '', cost: 0, tags: {} });
  const coverage = await project.api('GET', '/api/coverage/?date_from=2024-01-01');
  expect(coverage.body).toMatchObject({ ignored: expect.arrayContaining([{ field: 'usage', events: 1 }]) });
});

test('D3.9: a span of 1970 or of the future is kept, at the time of its receipt', async () => {
  const project = await newProject();
  const times = [
    '0',
    '1',
    nanos('1970-01-02T00:00:00Z'),
    nanos('2150-01-01T00:00:00Z'),
    '99999999999999999999',
    'soon',
    7.5,
  ];
  const spans = times.map((endTimeUnixNano) => callSpan({ as: { endTimeUnixNano } }));
  await sendOtlp(project, traces(spans));
  const calls = await callsIn(project);
  expect(calls.map(({ cost }) => cost)).toEqual(times.map(() => 0.003));
  const now = Date.now();
  for (const { time } of calls) expect(Math.abs(Date.parse(time) - now)).toBeLessThan(600_000);
});
