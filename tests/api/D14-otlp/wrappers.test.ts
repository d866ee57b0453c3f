import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import {
  expectStatus,
  type Json,
  type Project,
  sharedFarthing,
  untilAssembled,
  wholeRange,
} from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { callsIn, encodings, eventsIn, pricedProject, sendOtlp } from '../../support/otlp/post.ts';
import { callSpan, nanos, newTraceId, span, traces } from '../../support/otlp/records.ts';
import { rebuildProject } from '../../support/reprice.ts';
import { erase } from '../D2-erasure/support.ts';

const farthing = sharedFarthing();
const noon = '2024-05-15T12:00:00Z';
const newProject = () => pricedProject(() => farthing.createProject());

const nameOf = (role: 'outer' | 'inner', pair: string): string => (pair === '' ? role : `${role}, ${pair}`);

/** An outer call with usage of its own, and the one within it that has the same. Their customers have their names. */
function nested(pair = '') {
  const traceId = newTraceId();
  const [outerName, innerName] = [nameOf('outer', pair), nameOf('inner', pair)];
  const outer = callSpan({ traceId, name: outerName, attributes: { 'farthing.customer': outerName } });
  const inner = callSpan({
    traceId,
    parentSpanId: String(outer.spanId),
    name: innerName,
    attributes: { 'farthing.customer': innerName },
  });
  return { outer, inner };
}

/** The ids of the calls of a project, by the names of their spans. */
const idsOf = async (project: Project): Promise<(name: string) => string> => {
  const events = await eventsIn(project);
  return (name) => String(events.find(({ event_type: type }) => type === `${name}.after`)?.event_id);
};

const usageOf = async (project: Project): Promise<unknown> => {
  const answer = await project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all', group_by: 'customer' });
  return expectStatus(answer, 200);
};

/** Checks that of each pair the inner call alone counts, and that the outer one says why it does not. */
async function expectOnce(project: Project, pairs: readonly string[] = ['']): Promise<void> {
  const inners = pairs.map((pair) => nameOf('inner', pair)).toSorted();
  const calls = (await callsIn(project)).map(({ customer, cost }) => [customer, cost]);
  expect(calls.toSorted()).toEqual(inners.map((inner) => [inner, 0.003]));
  expect(await project.costBy('customer')).toEqual(Object.fromEntries(inners.map((inner) => [inner, 0.003])));
  const counts = { calls: 1, errors: 0, unpriced_calls: 0, elapsed_ms_sum: 840 };
  expect(await usageOf(project)).toMatchObject({
    rows: expect.arrayContaining(inners.map((customer) => expect.objectContaining({ customer, ...counts }))),
  });
  const idOf = await idsOf(project);
  for (const pair of someOf(pairs, 1)) {
    const [outer, inner] = [idOf(nameOf('outer', pair)), idOf(nameOf('inner', pair))];
    expect(await explainCall(project, outer)).toMatchObject({
      event_id: outer,
      customer: nameOf('outer', pair),
      model: 'm1',
      elapsed_ms: 840,
      cost: 0,
      cost_source: 'wrapper',
      tokens: { input: 0, output: 0 },
      explanation: { wraps: inner, lines: [], reproduced: true },
    });
    expect((await explainCall(project, inner)).explanation).not.toHaveProperty('wraps');
  }
}

type Orders = Readonly<Record<string, (spans: ReturnType<typeof nested>) => Json[][]>>;

test('D14.3: of two calls, one within the other, the inner one counts, in whatever requests and order they come', async () => {
  const project = await newProject();
  const orders: Orders = {
    'both in one request, the inner first': ({ outer, inner }) => [[inner, outer]],
    'both in one request, the outer first': ({ outer, inner }) => [[outer, inner]],
    'the inner one in an earlier request, and both again': ({ outer, inner }) => [[inner], [outer], [outer, inner]],
    'the outer one in an earlier request, and again': ({ outer, inner }) => [[outer], [inner], [outer]],
  };
  const requests = Object.entries(orders).map(([pair, toRequests]) => toRequests(nested(pair)));
  for (let round = 0; requests.some((ofPair) => ofPair[round]); round += 1) {
    const due = requests.flatMap((ofPair) => ofPair.slice(round, round + 1));
    await Promise.all(due.map((request) => sendOtlp(project, traces(request), encodings[round % 2])));
    // So that the requests before are in the calls already.
    await untilAssembled(project);
  }
  await expectOnce(project, Object.keys(orders));
});

longTest('D14.3: a rebuild, and one that reads the events anew, change nothing', async () => {
  const project = await newProject();
  const { outer, inner } = nested();
  await sendOtlp(project, traces([outer]), 'protobuf');
  await untilAssembled(project);
  await sendOtlp(project, traces([inner]), 'protobuf');
  await expectOnce(project);
  for (const body of [{}, { reread: true }]) {
    await rebuildProject(project, body);
    await expectOnce(project);
  }
});

test('D27.6: a span that is no call makes none, but says whose the calls inside it are, whenever it comes', async () => {
  const project = await newProject();
  const traceId = newTraceId();
  const agent = span({ traceId, name: 'agent', attributes: { 'farthing.customer': 'acme' } });
  const step = span({ traceId, name: 'step', parentSpanId: String(agent.spanId) });
  const inStep = (time: string, tokens: [number, number]) => {
    const as = { startTimeUnixNano: nanos(time, -840), endTimeUnixNano: nanos(time) };
    return callSpan({ traceId, parentSpanId: String(step.spanId), as }, tokens);
  };
  // In the background a call may begin when the spans around it have long ended.
  const [soon, late] = [inStep('2024-05-15T12:50:00Z', [2000, 400]), inStep('2024-05-15T14:00:00Z', [3000, 600])];
  // The span between comes after the one around it.
  for (const spans of [[inStep('2024-05-15T12:00:00Z', [1000, 200]), late, agent], [step], [soon]]) {
    await sendOtlp(project, traces(spans), 'protobuf');
    await untilAssembled(project);
  }
  expect(await project.costBy('customer')).toEqual({ acme: 0.009, '': 0.009 });
  await rebuildProject(project, {});
  expect(await project.costBy('customer')).toEqual({ acme: 0.009, '': 0.009 });
  expect(await callsIn(project)).toHaveLength(3);
  const kept = (await eventsIn(project)).filter(({ event_type: type }) => type === 'farthing.span.before');
  expect(kept).toHaveLength(2);
  for (const { event_id: id } of kept) expect((await project.api('GET', `/api/calls/${id}/`)).status).toBe(404);
  const coverage = expectStatus(await project.api('GET', '/api/coverage/?date_from=2024-01-01'), 200);
  expect(coverage).toMatchObject({ calls: 3, open_calls: 0 });
  expect(expectStatus(await project.api('GET', '/api/models/'), 200)).toMatchObject({
    rows: [{ name: 'm1', calls: 3 }],
  });
});

test('D27.6: a span that comes after a thousand calls of its trace is found around those inside it', async () => {
  const project = await newProject();
  const agent = span({ traceId: newTraceId(), name: 'agent', attributes: { 'farthing.customer': 'acme' } });
  const inside = { traceId: String(agent.traceId), parentSpanId: String(agent.spanId) };
  await sendOtlp(project, traces(Array.from({ length: 1_001 }, () => callSpan(inside))), 'protobuf');
  await untilAssembled(project);
  // Shorter than all of them, and half a minute later: the span around it is sent after it.
  const as = { startTimeUnixNano: nanos(noon, 30_000), endTimeUnixNano: nanos(noon, 30_100) };
  const outer = callSpan({ ...inside, as });
  const inner = callSpan({ traceId: inside.traceId, parentSpanId: String(outer.spanId), as });
  for (const spans of [[agent, inner], [outer]]) {
    await sendOtlp(project, traces(spans), 'protobuf');
    expect(await project.costBy('customer')).toEqual({ acme: 3.006 });
  }
});

test('D27.6: of a thousand streams of a process, each has its request, which ended long before its usage was told', async () => {
  const project = await newProject();
  const at = (ms: number) => ({ startTimeUnixNano: nanos(noon, ms), endTimeUnixNano: nanos(noon, ms) });
  const times = Array.from({ length: 1_001 }, (_, index) => 1_500 * index);
  const request = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1', 'logfire.span_type': 'span' };
  const begun = times.map((ms) => span({ attributes: request, as: at(ms) }));
  const told = times.map((ms) =>
    callSpan({ attributes: { 'logfire.span_type': 'log', duration: 4 }, as: at(ms + 4_000) }),
  );
  for (const spans of [begun, told]) {
    await sendOtlp(project, traces(spans), 'protobuf');
    await untilAssembled(project);
  }
  expect((await callsIn(project)).map(({ cost }) => cost)).toEqual(times.map(() => 0.003));
});

test('D27.6: spans that say nothing of calls are not kept', async () => {
  const project = await newProject();
  const traceId = newTraceId();
  const parent = span({ traceId, name: 'POST /ask' });
  const other = span({ traceId, name: 'chat', attributes: { 'gen_ai.operation.name': 'invoke_agent' } });
  const calls = [parent, other].map(({ spanId }) => callSpan({ traceId, parentSpanId: String(spanId) }));
  await Promise.all(encodings.map((encoding) => sendOtlp(project, traces([...calls, parent, other]), encoding)));
  expect((await eventsIn(project)).map(({ event_type: type }) => type)).toEqual(Array(4).fill('chat m1.after'));
});

test('D27.6: the id of an answer joins reports of other traces, of native events and after an erasure no report is left', async () => {
  const project = await newProject();
  const id = 'msg_0123456789abcdef';
  const withCustomer = callSpan({
    name: 'outer',
    attributes: { 'gen_ai.response.id': id, 'farthing.customer': 'acme' },
  });
  const fuller = callSpan({
    name: 'inner',
    attributes: { 'gen_ai.response.id': id, 'gen_ai.usage.cache_read.input_tokens': 400 },
  });
  const own = {
    event_id: crypto.randomUUID(),
    event_type: 'chat.after',
    model: 'm1',
    prompt_tokens: 1,
    response: { id },
  };
  const ofGateway = { id, model: 'm1', status: 'success', endTime: Date.parse('2024-05-15T12:00:01Z') / 1_000 };
  const generation = { 'gen_ai.request.model': 'openai/m1', 'openrouter.generation_id': id };
  const sendTo = async (path: string, body: unknown) =>
    expectStatus(await farthing.send('POST', `${project.intakePath}${path}`, { token: project.secret, body }), 200);
  await Promise.all([
    ...[fuller, withCustomer].map((each) => sendOtlp(project, traces([each]), 'json')),
    project.post({ ...own, timestamp: '2024-05-17T12:00:00Z' }),
    sendTo('litellm/', [ofGateway]),
    sendTo('openrouter/', traces([span({ attributes: generation, as: { name: 'chat' } })])),
  ]);
  expect((await callsIn(project)).map(({ customer }) => customer)).toEqual(['acme']);
  const explained = await explainCall(project, (await idsOf(project))('inner'));
  const { reports } = explained.explanation;
  expect(reports.map(({ joined_by: by }) => by)).toEqual(Array(4).fill('answer_id'));
  expect(reports.map(({ emitter }) => emitter).toSorted()).toEqual(['a-test', 'litellm', null, 'openrouter']);
  await erase(project, '/api/customers/acme/');
  expect(await eventsIn(project)).toEqual([]);
});

test('D27.6: coverage says which calls likeness joined, and which may be doubles where a project leaves them apart', async () => {
  const project = await newProject();
  const attributes = { 'farthing.customer': 'acme' };
  const around = {
    startTimeUnixNano: nanos('2024-05-15T12:00:00Z', -850),
    endTimeUnixNano: nanos('2024-05-15T12:00:00Z', 5),
  };
  await sendOtlp(project, traces([callSpan({ attributes, as: around })], { scope: 'a-framework' }), 'json');
  await untilAssembled(project);
  await sendOtlp(project, traces([callSpan()], { scope: 'a-client' }), 'protobuf');
  const coverage = async () =>
    expectStatus(await project.api('GET', '/api/coverage/?date_from=2024-05-15&date_to=2024-05-15'), 200);
  const none = { calls: 0, cost: 0, models: [] };
  const one = { calls: 1, cost: 0.003, models: [{ model: 'm1', provider: 'openai', calls: 1, cost: 0.003 }] };
  expect(await coverage()).toMatchObject({ calls: 1, cost: 0.003, joined_alike: one, possible_doubles: none });
  expect(await project.costBy('customer')).toEqual({ acme: 0.003 });
  expectStatus(await farthing.admin('PATCH', `${project.adminPath}/`, { join_alike: false }), 200);
  await rebuildProject(project);
  expect(await coverage()).toMatchObject({ calls: 2, cost: 0.006, joined_alike: none, possible_doubles: one });
});

test('D14.3, D27.6: a call without usage within another one is its raw request', async () => {
  const project = await newProject();
  const { outer } = nested();
  const raw = span({
    traceId: String(outer.traceId),
    parentSpanId: String(outer.spanId),
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 0 },
  });
  await sendOtlp(project, traces([raw, outer]), 'json');
  expect(await callsIn(project)).toMatchObject([{ customer: 'outer', cost: 0.003 }]);
});

longTest('D14.3: of three calls within each other the innermost counts', async () => {
  const project = await newProject();
  const { outer, inner } = nested();
  const innermost = callSpan({ traceId: String(outer.traceId), parentSpanId: String(inner.spanId) }, [1, 0]);
  for (const each of [innermost, outer, inner]) await sendOtlp(project, traces([each]), 'protobuf');
  expect(await project.totalCost()).toBe(0.000001);
  expect(await callsIn(project)).toHaveLength(1);
});
