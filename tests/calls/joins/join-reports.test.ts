import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashAnswerIds } from '../../../src/calls/events/hash-answer-ids.ts';
import { noteOrigin } from '../../../src/calls/events/origin.ts';
import type { PlainSpan } from '../../../src/calls/events/plain-span.ts';
import { joinCalls } from '../../../src/calls/joins/join-calls.ts';
import type { MergedCall } from '../../../src/calls/merging/merge.ts';
import { usageBuckets } from '../../../src/lib/usage-buckets.ts';
import { usualOrLong } from '../../support/effort.ts';
import { randomRequests } from '../../support/otlp/random-reports.ts';

interface Sent {
  readonly id?: string;
  readonly model?: string;
  readonly scope?: string;
  readonly process?: string;
  readonly trace?: string;
  readonly span?: string;
  readonly parent?: string;
  readonly answers?: readonly string[];
  readonly begins?: boolean;
  readonly served?: boolean;
  readonly follows?: boolean;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly usage?: Readonly<Partial<Record<(typeof usageBuckets)[number], number>>>;
  readonly failed?: boolean;
  readonly loose?: boolean;
  readonly estimates?: boolean;
  readonly client?: boolean;
  readonly tells?: boolean;
  readonly receivedAtMs?: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly weak?: readonly string[];
  readonly fields?: Readonly<Record<string, string>>;
}

let made = 0;

/** A call as its events make it, before it is joined to others. */
function call({ startMs = 1_000, endMs = 2_000, usage = { input: 10, output: 5 }, ...sent }: Sent): MergedCall {
  made += 1;
  const { scope = 'openai', process = 'p', trace = 't', span = `s${made}`, parent, answers, begins, follows } = sent;
  const origin = {
    scope,
    process,
    trace,
    span,
    parent,
    answers,
    begins,
    served: sent.served,
    follows,
    loose: sent.loose,
    estimates: sent.estimates,
    client: sent.client,
    tells: sent.tells,
  };
  const { model = 'gpt-4o' } = sent;
  const fields: Record<string, string> = {
    ...(model !== '' && { model }),
    elapsed_ms: String(endMs - startMs),
    ...sent.fields,
  };
  noteOrigin({ origin }, fields);
  if (sent.weak) fields.weak_tags = sent.weak.join('\n');
  return {
    projectId: 'prj',
    eventId: sent.id ?? `call-${String(made).padStart(6, '0')}`,
    ordinal: 0,
    firstReceivedAtMs: sent.receivedAtMs ?? made,
    timeMs: endMs,
    outcomeTimesMs: [endMs],
    tags: sent.tags ?? {},
    fields,
    failed: sent.failed ?? false,
    usage: Object.keys(usage).length === 0 ? [] : usageBuckets.map((bucket) => usage[bucket] ?? 0),
    units: {},
    cost: null,
    events: [],
  };
}

const plainSpan = (sent: Partial<PlainSpan>): PlainSpan => ({
  trace: 't',
  span: 'p',
  parent: '',
  inside: [],
  startMs: 0,
  endMs: 0,
  own: {},
  weak: {},
  ...sent,
});

const join = async (calls: readonly MergedCall[], plain: readonly PlainSpan[] = [], joinsAlike = true) =>
  await joinCalls(calls, plain, { rereads: new Set(), joinsAlike });

const isCounted = ({ fields }: MergedCall) => fields.wrapped_call === undefined;

/** The ids of the calls that count. */
const counted = (calls: readonly MergedCall[]) => calls.filter(isCounted).map(({ eventId }) => eventId);

test('D27.6: a span around a request is no second call, also through spans that are none', async () => {
  const outer = call({ id: 'outer', span: 'a', scope: 'langchain', tags: { customer: 'acme' } });
  const inner = call({ id: 'inner', span: 'c', parent: 'b', usage: { input: 4, cacheRead: 6, output: 5 } });
  const [, joined] = await join([outer, inner], [plainSpan({ span: 'b', parent: 'a' })]);
  expect(counted(await join([outer, inner], [plainSpan({ span: 'b', parent: 'a' })]))).toEqual(['inner']);
  expect(joined).toMatchObject({ tags: { customer: 'acme' }, reports: [{ eventId: 'outer', by: 'span' }] });
  expect(counted(await join([outer, inner], [], false))).toHaveLength(2);
});

test('D27.6: a request for another model, made inside one, is a request of its own', async () => {
  const outer = call({ id: 'outer', span: 'a', scope: 'langchain', usage: { input: 900, output: 200 } });
  const inside = { parent: 'a', usage: { input: 30 } };
  const others = [
    call({ ...inside, model: 'text-embedding-3-small' }),
    call({ ...inside, model: 'claude-sonnet-4-5' }),
  ];
  for (const other of others) expect(counted(await join([outer, other]))).toEqual(['outer', other.eventId]);
  const same = call({ parent: 'a', usage: { input: 400, cacheRead: 500, output: 200 } });
  expect(counted(await join([outer, ...others, same]))).toEqual([...others, same].map(({ eventId }) => eventId));
  // What has an equal count, or adds up those inside it, or is of a model that nobody knows, is none.
  const claude = { parent: 'a', model: 'claude-sonnet-4-5' };
  const parts = [120, 80].map((output) => call({ ...claude, usage: { input: 440, output } }));
  expect(counted(await join([outer, ...parts]))).toEqual(parts.map(({ eventId }) => eventId));
  expect(counted(await join([outer, call({ ...claude, usage: { input: 800, output: 200 } })]))).toHaveLength(1);
  expect(counted(await join([outer, call({ ...inside, model: 'my-deployment' })]))).toHaveLength(1);
});

test('D27.6: the fuller usage counts, also where it is the outer one', async () => {
  const outer = call({ id: 'outer', span: 'a', usage: { input: 4, cacheRead: 6, output: 5 } });
  expect(counted(await join([outer, call({ span: 'b', parent: 'a' })]))).toEqual(['outer']);
});

test('D14.3: a span around several requests adds them up, and never counts', async () => {
  const outer = call({ span: 'a', usage: { input: 12, cacheRead: 8, output: 10 } });
  const inner = [call({ id: 'one', parent: 'a' }), call({ id: 'two', parent: 'a' })];
  expect(counted(await join([outer, ...inner]))).toEqual(['one', 'two']);
});

test('D27.6: an event of a process is joined to a span of it that is alike, without a span around both', async () => {
  const event = call({ id: 'event', scope: '', trace: '', usage: { input: 4, cacheRead: 6, output: 5 } });
  expect(counted(await join([event, call({ trace: 'other' })]))).toEqual(['event']);
  expect(counted(await join([event, call({ trace: 'other', process: 'another' })]))).toHaveLength(2);
});

test('D14.3: a span whose own emitter tells it once more, in a log record, adds up nothing', async () => {
  const outer = call({ span: 'a', scope: 'langchain' });
  const again = call({ parent: 'a', scope: 'langchain' });
  const inner = call({ id: 'inner', span: 'b', parent: 'a', usage: { input: 4, cacheRead: 6, output: 5 } });
  expect(counted(await join([outer, again, inner]))).toEqual(['inner']);
  expect(counted(await join([outer, again]))).toHaveLength(1);
  const others = [call({ id: 'one', parent: 'a' }), call({ id: 'two', parent: 'a' })];
  const sum = call({ span: 'a', scope: 'langchain', usage: { input: 20, output: 10 } });
  expect(counted(await join([sum, ...others])).toSorted()).toEqual(['one', 'two']);
});

test('D27.6: a record stands in place of the span that it tells of, if that is never sent, and the first span of a trace is around all', async () => {
  const record = { id: 'record', scope: 'langchain', parent: 'lost', tells: true, startMs: 2_500, endMs: 2_500 };
  const inner = call({ id: 'inner', parent: 'lost', usage: { input: 4, cacheRead: 6, output: 5 } });
  const first = plainSpan({ span: 'first', own: { customer: 'acme' } });
  const joined = await join([call(record), inner], [first]);
  expect(counted(joined)).toEqual(['inner']);
  expect(joined[1]).toMatchObject({ tags: { customer: 'acme' }, reports: [{ eventId: 'record', by: 'span' }] });
  // No span stands for two records, and of two first spans none is around the other's.
  expect(counted(await join([call(record), call({ ...record, id: 'other' }), inner]))).toHaveLength(3);
  const [, ofOneOfTwo] = await join([call(record), inner], [first, plainSpan({ span: 'second' })]);
  expect(ofOneOfTwo?.tags).toEqual({});
});

test('D27.6: a record of a span that adds up several requests is no request, and one answer inside it is one', async () => {
  const outer = { scope: 'langchain', usage: { input: 20, output: 10 } };
  const sum = [call({ ...outer, span: 'a' }), call({ ...outer, parent: 'a', tells: true })];
  const two = [call({ id: 'one', parent: 'a' }), call({ id: 'two', parent: 'a' })];
  expect(counted(await join([...sum, ...two])).toSorted()).toEqual(['one', 'two']);
  const again = call({ ...outer, parent: 'a', tells: true, usage: {} });
  expect(counted(await join([call({ span: 'a', usage: {} }), again, ...two])).toSorted()).toEqual(['one', 'two']);
  const one = { parent: 'a', answers: ['resp_1'] };
  const told = [
    call({ scope: 'langchain', span: 'a' }),
    call({ scope: 'langchain', parent: 'a', tells: true }),
    call({ ...one, id: 'span', usage: { input: 4, cacheRead: 6, output: 5 } }),
    call({ ...one, tells: true, startMs: 2_000 }),
  ];
  expect(counted(await join(told))).toEqual(['span']);
});

/** The span of a stream that its emitter ended before the provider's client began the request. */
const begun = { scope: 'traceloop', begins: true, usage: {}, startMs: 990, endMs: 991, trace: 'a' };
const ofCounts = { usage: { input: 10, output: 5 } };
const ofClient = { id: 'client', scope: 'client', client: true, answers: ['msg_1'], trace: 'b' };

test.each([
  ['just before', {}, 1],
  ['after', { startMs: 1_900, endMs: 1_901 }, 2],
  ['long before', { startMs: -10, endMs: -9 }, 2],
  ['in another process', { process: 'q' }, 2],
  ['of another model', { model: 'gpt-5' }, 2],
  ['inside another span', { parent: 'p' }, 2],
  ['that is not said to begin one', { begins: false, startMs: 900, endMs: 901 }, 2],
  ['for another customer', { tags: { customer: 'globex' } }, 2],
  ['in a process for another one', { tags: { customer: 'globex' }, weak: ['customer'] }, 1],
])('D27.6: a span that ended before a request of the client began, %s', async (_, sent, calls) => {
  const ofOne = { tags: { customer: 'acme' } };
  const joined = await join([
    call({ ...begun, ...ofOne, ...sent }),
    call({ ...ofClient, ...('tags' in sent && ofOne) }),
  ]);
  expect(counted(joined)).toHaveLength(calls);
  if (calls === 1) expect(joined[1]).toMatchObject({ eventId: 'client', tags: { customer: 'acme' } });
});

test.each([
  ['with its counts', {}, {}, 1],
  ['with other counts', { usage: { input: 10, output: 6 } }, {}, 2],
  ['with its counts, long before', { startMs: -10, endMs: -9 }, {}, 2],
  ['with its counts, inside another span', { parent: 'p' }, {}, 2],
  ['with its counts, that has an id of its own', { answers: ['resp_2'] }, {}, 2],
  ['with its counts, that is not said to begin one', { begins: false }, {}, 2],
  ['without usage', { usage: {} }, { served: true }, 1],
  ['without usage, of a client that serves no framework', { usage: {} }, {}, 2],
])('D27.6: a span that ended before a request of an instrumented client began, %s', async (_, sent, client, calls) => {
  const around = call({ ...begun, startMs: 970, endMs: 980, ...ofCounts, ...sent, tags: { customer: 'acme' } });
  const own = {
    ...ofClient,
    usage: { input: 4, cacheRead: 6, output: 5 },
    client: false,
    scope: 'instrumented',
    ...client,
  };
  const joined = await join([around, call(own)]);
  expect(counted(joined)).toHaveLength(calls);
  if (calls === 1) expect(joined[1]).toMatchObject({ eventId: 'client', tags: { customer: 'acme' } });
  // The request that its emitter has told of is not the next one's.
  const told = call({ ...begun, ...ofCounts, startMs: 995, endMs: 2_005, trace: 'c' });
  expect(counted(await join([around, told, call(own)]))).toHaveLength(2);
});

test.each([
  ['the input that the client was told', {}, 1],
  ['the pieces that were read, as a failed one', { usage: { output: 3 }, failed: true }, 1],
  ['nothing to compare, in another process', { process: 'q' }, 2],
  ['usage of its own', { usage: { input: 3 } }, 2],
  ['another time', { startMs: 5_000, endMs: 6_000 }, 2],
])('D27.6: the report of a stream that was left, with %s', async (_, sent, calls) => {
  const left = call({
    ...{ scope: 'langchain', startMs: 990, endMs: 2_010, trace: 'a', usage: {}, fields: { aborted: 'true' } },
    ...sent,
  });
  expect(counted(await join([left, call({ ...ofClient, usage: { input: 10 } })]))).toHaveLength(calls);
});

test("D27.6: of requests at one time, each beginning is joined to one request of the client that its emitter hasn't told of", async () => {
  const request = fc.record({
    startMs: fc.nat({ max: 3_000 }),
    lastsMs: fc.integer({ min: 10, max: 300 }),
    gapMs: fc.nat({ max: 200 }),
    reports: fc.constantFrom('begun', 'counted', 'whole', 'none', 'refused'),
    customer: fc.constantFrom('acme', 'globex'),
  });
  const names = fc.tuple(fc.boolean(), fc.boolean());
  const options = fc.tuple(fc.boolean(), names);
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), options, async (requests, of) => {
      const [isReversed, [namesOwn, namesAround]] = of;
      const calls = requests.flatMap(({ startMs, lastsMs, gapMs, reports, customer }, at) => {
        const [ofOwn, ofAround] = [namesOwn, namesAround].map((named) => named && { tags: { customer } });
        const times = { startMs: 10_000 + startMs, endMs: 10_000 + startMs + lastsMs };
        const answers = reports === 'refused' ? [] : [`msg_${at}`];
        const outcome: Pick<Sent, 'usage' | 'failed'> =
          reports === 'refused'
            ? { usage: {}, failed: true }
            : reports === 'counted'
              ? { usage: { input: 100 + at, output: 7 } }
              : {};
        const own = call({ ...ofClient, ...outcome, ...times, ...ofOwn, answers, id: `client-${at}`, trace: `b${at}` });
        const around = { scope: 'traceloop', begins: true, trace: `a${at}`, ...ofAround };
        const before = { startMs: times.startMs - gapMs - 1, endMs: times.startMs - gapMs };
        if (reports === 'none') return [own];
        if (reports === 'begun') return [own, call({ ...around, usage: {}, ...before })];
        if (reports === 'counted') return [own, call({ ...around, ...outcome, ...before })];
        const within = { startMs: times.startMs - 1, endMs: times.endMs + 1, answers, ...outcome };
        return [own, call({ ...around, usage: { output: 5 }, ...within })];
      });
      const joined = await join(isReversed ? calls.toReversed() : calls);
      expect(counted(joined).toSorted()).toEqual(requests.map((_, at) => `client-${at}`).toSorted());
    }),
    { numRuns: usualOrLong(100, 10_000) },
  );
});

test("D27.6: of two that know as much, the provider's own client counts, though the other has more output", async () => {
  const spans = { answers: ['msg'] };
  const own = call({ ...spans, id: 'own', scope: 'client', client: true, usage: { input: 10, output: 5 } });
  const other = call({ ...spans, scope: 'instrumentation', usage: { input: 10, output: 6 } });
  expect(counted(await join([own, other]))).toEqual(['own']);
});

test('D27.6: of several at once with one output, those of one input are joined', async () => {
  const times = { startMs: 1_000, endMs: 2_000 };
  const inputs = [11, 12, 13];
  const calls = inputs.flatMap((input, at) => [
    call({
      ...times,
      scope: 'langchain',
      trace: `a${at}`,
      usage: { input, output: 5 },
      tags: { customer: `c${input}` },
    }),
    call({ ...times, trace: `b${at}`, usage: { input: (inputs[2 - at] ?? 0) - 1, cacheRead: 1, output: 5 } }),
  ]);
  const joined = (await join(calls)).filter(isCounted);
  const inputOf = ({ usage }: MergedCall) => usage.reduce((sum, tokens) => sum + tokens, 0) - 5;
  expect(joined.map((one) => [one.tags.customer, inputOf(one)]).toSorted()).toEqual(
    inputs.map((input) => [`c${input}`, input]),
  );
});

test('D27.6: of refused requests that are inside each other, one counts; a refused attempt stays beside its answer', async () => {
  const none = { usage: {}, failed: true };
  expect(counted(await join([call({ span: 'a', ...none }), call({ id: 'inner', parent: 'a', ...none })]))).toEqual([
    'inner',
  ]);
  const tried = [
    call({ span: 'a' }),
    call({ id: 'refused', parent: 'a', ...none }),
    call({ id: 'answered', parent: 'a' }),
  ];
  expect(counted(await join(tried))).toEqual(['refused', 'answered']);
});

test('D27.6: a call without usage inside one with usage is its raw request', async () => {
  expect(counted(await join([call({ id: 'outer', span: 'a' }), call({ parent: 'a', usage: {} })]))).toEqual(['outer']);
});

test('spans that name each other as parents are all kept', async () => {
  const calls = [
    call({ span: 'a', parent: 'b', answers: ['x'] }),
    call({ span: 'b', parent: 'c', answers: ['y'] }),
    call({ span: 'c', parent: 'a', answers: ['z'] }),
  ];
  expect(counted(await join(calls)).length).toBeGreaterThan(0);
  expect(counted(await join([call({ span: 'a', parent: 'a' })]))).toHaveLength(1);
});

test('D27.6: reports with the id of one answer are of one request, in other traces and processes', async () => {
  const anthropic = { model: 'claude-sonnet-4-5-20250929', answers: ['msg_1'] };
  const calls = [
    call({
      ...anthropic,
      id: 'fuller',
      scope: 'com.anthropic.sdk.python',
      trace: 't1',
      usage: { input: 1, cacheRead: 2, output: 5 },
    }),
    call({
      ...anthropic,
      model: 'anthropic/claude-sonnet-4-5',
      scope: 'langchain',
      trace: 't2',
      tags: { user_id: 'ann' },
    }),
    call({ ...anthropic, model: '', process: 'gateway', scope: 'litellm', span: '', endMs: 3_600_000 }),
  ];
  const joined = await join(calls);
  expect(counted(joined)).toEqual(['fuller']);
  expect(joined[0]?.tags).toEqual({ user_id: 'ann' });
});

test('D27.6: an id of another model, of another time, or that one emitter repeats joins nothing', async () => {
  const day = 86_400_000;
  const first = { answers: ['id'], scope: 'a', process: 'p' };
  expect(counted(await join([call(first), call({ ...first, scope: 'b', model: 'gpt-4o-mini' })]))).toHaveLength(2);
  expect(
    counted(
      await join([call(first), call({ ...first, scope: 'b', process: 'q', startMs: 3 * day, endMs: 3 * day + 1 })]),
    ),
  ).toHaveLength(2);
  expect(counted(await join([call(first), call({ ...first, startMs: 3_000, endMs: 4_000 })]))).toHaveLength(2);
  // A server that gives each answer one id, asked by two processes.
  const other = { ...first, process: 'q', startMs: 3_000, endMs: 4_000 };
  expect(counted(await join([call(first), call({ ...other, usage: { input: 11, output: 5 } })]))).toHaveLength(2);
  expect(counted(await join([call(first), call(other)]))).toHaveLength(1);
  expect(counted(await join([call(first), call({ ...other, usage: {} })]))).toHaveLength(1);
  const often = Array.from({ length: 51 }, (_, index) =>
    call({ ...first, scope: `s${index}`, usage: { output: 1 + index } }),
  );
  expect(counted(await join(often))).toHaveLength(51);
  expect(counted(await join([call({ answers: [''] }), call({ answers: [''], scope: 'b' })], [], false))).toHaveLength(
    2,
  );
});

test("D27.6: LiteLLM's id of a response holds the provider's, and what stands for a missing id is none", () => {
  const own = 'resp_68d1c2a4b5f08190a1b2c3d4e5f60718';
  const text = `litellm:custom_llm_provider:openai;model_id:m-1;response_id:${own}`;
  const ofProxy = hashAnswerIds([`resp_${Buffer.from(text).toString('base64')}`]);
  expect(ofProxy).toHaveLength(2);
  expect(ofProxy).toEqual(expect.arrayContaining(hashAnswerIds([own])));
  expect(hashAnswerIds(['', 'null', 'None', ' ', '0000', 'unknown', 7, undefined, 'x'.repeat(2_000)])).toEqual([]);
});

test('D27.6: a client that is wrapped twice reports one call, and a constant id of one emitter joins nothing', async () => {
  for (const one of [{ span: '', scope: '', process: '' }, {}]) {
    const report = { ...one, answers: ['chatcmpl-1'] };
    expect(counted(await join([call({ ...report, startMs: 999 }), call(report)]))).toHaveLength(1);
    expect(counted(await join([call(report), call(report), call(report)]))).toHaveLength(3);
  }
});

test('D27.6: an id that many processes have is a constant, and joins what is at one time', async () => {
  const calls = [1, 2, 3].flatMap((index) => {
    const at = { startMs: index * 60_000, endMs: index * 60_000 + 900, answers: ['constant'], process: `p${index}` };
    return [call(at), call({ ...at, scope: 'b', usage: { input: 5, cacheRead: 5, output: 5 } })];
  });
  expect(counted(await join(calls))).toEqual([1, 3, 5].map((index) => calls[index]?.eventId));
});

test('D27.6: a constant id, seen by two emitters, joins each request with itself', async () => {
  const calls = [0, 1, 2].flatMap((index) => {
    const at = { startMs: 1_000 + 300 * index, endMs: 1_200 + 300 * index, answers: ['constant'] };
    return [call({ ...at, scope: 'a' }), call({ ...at, scope: 'b', usage: { input: 5, cacheRead: 5, output: 5 } })];
  });
  expect(counted(await join(calls))).toEqual([1, 3, 5].map((index) => calls[index]?.eventId));
});

test('D27.6: reports that are alike are joined one to one, unless the project leaves them apart', async () => {
  const outer = { scope: 'langchain', startMs: 900, endMs: 2_100 };
  const calls = [
    call({ ...outer, trace: 't1', tags: { customer: 'acme' } }),
    call({ id: 'a', trace: 't2', usage: { input: 4, cacheRead: 6, output: 5 } }),
    call({ ...outer, startMs: 950, trace: 't3', tags: { customer: 'bolt' } }),
    call({ id: 'b', trace: 't4', startMs: 1_100, usage: { input: 4, cacheRead: 6, output: 5 } }),
  ];
  const joined = await join(calls);
  expect(counted(joined)).toEqual(['a', 'b']);
  expect(joined[1]).toMatchObject({ tags: { customer: 'acme' }, fields: { alike: 'joined' } });
  expect(joined[3]?.tags).toEqual({ customer: 'bolt' });
  expect(counted(await join(calls, [], false))).toHaveLength(4);
});

test.each([
  ['processes', { process: 'q' }],
  ['models', { model: 'gpt-4o-mini' }],
  ['outputs', { usage: { output: 6 } }],
  ['times', { startMs: 1_500, endMs: 2_500 }],
  ['ids of answers', { answers: ['y'] }],
  ['emitters, of which there is one', { scope: 'openai' }],
])('D27.6: reports of different %s are not alike', async (_, other) => {
  const calls = [call({ answers: ['x'] }), call({ scope: 'langchain', startMs: 900, endMs: 2_100, ...other })];
  expect(counted(await join(calls))).toHaveLength(2);
});

const refused = { usage: {}, failed: true };
const embedding = { usage: { input: 37 } };

test.each([
  ['a refused request', refused, refused],
  ['an embedding', embedding, embedding],
  ['an embedding that one leaves without usage', embedding, { usage: {} }],
  ['speech, which has no usage', { usage: {} }, { usage: {} }],
  ['a stream whose usage one was not told', { usage: {} }, {}],
])('D27.6: two emitters beside each other in a trace report one request: %s', async (_, inner, outer) => {
  const around = { scope: 'langchain', startMs: 900, endMs: 2_100, tags: { customer: 'acme' } };
  const pair = [call({ parent: 'p', ...inner }), call({ parent: 'q', ...around, ...outer })];
  const [id] = counted(await join(pair));
  expect(counted(await join(pair))).toHaveLength(1);
  expect((await join(pair)).find(({ eventId }) => eventId === id)).toMatchObject({
    tags: { customer: 'acme' },
    fields: { alike: 'joined' },
  });
  expect(counted(await join(pair, [], false))).toHaveLength(2);
  const twice = [...pair, call({ startMs: 1_100, ...inner }), call({ ...around, startMs: 950, ...outer })];
  expect(counted(await join(twice))).toHaveLength(2);
});

test.each([
  ['a refused request', refused],
  ['an embedding', embedding],
])('D27.6: two emitters in traces of their own report one request without output: %s', async (_, one) => {
  const pair = [
    call({ trace: 'a', ...one }),
    call({ trace: 'b', scope: 'langchain', startMs: 900, endMs: 2_100, ...one }),
  ];
  expect(counted(await join(pair))).toHaveLength(1);
  expect(counted(await join(pair, [], false))).toHaveLength(2);
  const twice = [...pair, call({ trace: 'c', ...one }), call({ trace: 'd', scope: 'langchain', startMs: 900, ...one })];
  expect(counted(await join(twice))).toHaveLength(2);
});

test('D27.6: what is beside a request in its trace is joined before what is in another one', async () => {
  const around = { scope: 'langchain', ...refused, startMs: 900, endMs: 2_100 };
  const calls = ['a', 'b'].flatMap((trace) => [
    call({ trace, ...refused, id: `inner-${trace}` }),
    call({ trace, ...around, tags: { customer: trace } }),
  ]);
  const joined = (await join(calls.toReversed())).filter(isCounted);
  expect(Object.fromEntries(joined.map(({ eventId, tags }) => [eventId, tags.customer]))).toEqual({
    'inner-a': 'a',
    'inner-b': 'b',
  });
});

test.each([
  ['400', 'langchain_anthropic.AnthropicInvalidRequestError', 1],
  ['invalid_request_error', 'anthropic.BadRequestError', 1],
  ['anthropic.RateLimitError', '429', 1],
  ['openai.BadRequestError', 'error', 1],
  ['openai.BadRequestError', 'openai.RateLimitError', 2],
  ['openai.APITimeoutError', '500', 2],
])('D27.6: faults %s and %s may be of %d requests', async (one, other, count) => {
  const calls = [
    call({ ...refused, fields: { error_type: one } }),
    call({ ...refused, scope: 'b', trace: 'u', fields: { error_type: other } }),
  ];
  expect(counted(await join(calls))).toHaveLength(count);
});

test('D27.6: an id in the text of a fault joins, and tells nothing apart', async () => {
  const [client, framework] = [
    { ...refused, answers: ['req_1'], trace: 'a' },
    { ...refused, loose: true, scope: 'b', trace: 'b' },
  ];
  expect(counted(await join([call(client), call({ ...framework, answers: ['req_1'] })], [], false))).toHaveLength(1);
  expect(counted(await join([call(client), call({ ...framework, answers: ['req_2'] })]))).toHaveLength(1);
  const firm = { ...framework, loose: false, answers: ['req_2'] };
  expect(counted(await join([call(client), call(firm)]))).toHaveLength(2);
});

test('D27.6: a name that is no known model may be a deployment of any', async () => {
  const first = { answers: ['id'], model: 'my-deploy' };
  const other = { answers: ['id'], scope: 'b', trace: 'u', usage: { input: 10, cacheRead: 1, output: 5 } };
  for (const calls of [
    [call(first), call(other)],
    [call(other), call(first)],
    [call({ ...first, ...other, model: 'my-deploy' }), call({ answers: ['id'] })],
  ]) {
    const [joined] = (await join(calls)).filter(isCounted);
    expect(counted(await join(calls))).toHaveLength(1);
    expect(joined?.fields.model).toBe('gpt-4o');
  }
});

test.each([
  ['gpt-4o', 'gpt-4o-2024-08-06'],
  ['openai/gpt-4o-latest', 'gpt-4o'],
  ['anthropic/claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
])('D27.6: of the names %s and %s the second says more, whichever counts', async (less, more) => {
  for (const [counting, other] of [
    [less, more],
    [more, less],
  ]) {
    const calls = [
      call({ answers: ['id'], model: counting ?? '', usage: { input: 9, cacheRead: 1, output: 5 } }),
      call({ answers: ['id'], scope: 'b', trace: 'u', model: other ?? '' }),
    ];
    expect((await join(calls)).find(isCounted)?.fields.model).toBe(more);
  }
});

test.each([
  ['processes', refused, { ...refused, process: 'q' }],
  ['models', refused, { ...refused, model: 'gpt-4o-mini' }],
  ['times', refused, { ...refused, startMs: 1_500, endMs: 2_500 }],
  ['ends', refused, { usage: {} }],
  ['inputs', embedding, { usage: { input: 38 } }],
  ['outputs', embedding, { usage: { input: 37, output: 1 } }],
  ['ids of answers', { usage: {}, answers: ['x'] }, { usage: {}, answers: ['y'] }],
])('D27.6: without an output to compare, reports of different %s are of two requests', async (_, one, other) => {
  const calls = [call(one), call({ scope: 'langchain', startMs: 900, endMs: 2_100, ...other })];
  expect(counted(await join(calls))).toHaveLength(2);
});

/** An event of the SDK, which names the span in which the request was made. */
const event = { scope: '', process: '' };

test('D27.6: an event and the span that it was made in are one call, whichever knows less', async () => {
  const streams = ['a', 'b'].flatMap((span) => [
    call({ span, parent: 'p', usage: {} }),
    call({ ...event, id: `in-${span}`, parent: span, tags: { customer: span } }),
  ]);
  const joined = (await join(streams.toReversed(), [plainSpan({ own: { user: 'ann' } })], false)).filter(isCounted);
  expect(Object.fromEntries(joined.map(({ eventId, tags }) => [eventId, tags]))).toEqual({
    'in-a': { customer: 'a', user: 'ann' },
    'in-b': { customer: 'b', user: 'ann' },
  });
  const told = [
    call({ id: 'span', span: 'a' }),
    call({ ...event, parent: 'a', usage: {}, tags: { customer: 'acme' } }),
  ];
  const [counts] = (await join(told)).filter(isCounted);
  expect(counts).toMatchObject({ eventId: 'span', tags: { customer: 'acme' } });
  // Anthropic's client makes a span of its own beside the event.
  for (const sent of [{ answers: ['msg_1'] }, { usage: {}, failed: true }]) {
    const three = [call({ span: 'a', ...sent }), call({ parent: 'a', scope: 'client', ...sent })];
    expect(counted(await join([...three, call({ ...event, parent: 'a', ...sent })]))).toHaveLength(1);
  }
});

test.each([
  ['no usage', { usage: {} }, 1],
  ['equal usage', {}, 1],
  ['another output', { usage: { input: 10, output: 6 } }, 2],
  ['another model', { usage: {}, model: 'gpt-5' }, 2],
  ['another time', { usage: {}, startMs: 1_500, endMs: 2_500 }, 2],
  ['another end', { usage: {}, failed: true }, 2],
  ['another parent', { usage: {}, parent: 'q' }, 2],
  ['another trace', { usage: {}, trace: 'u' }, 2],
  ['the id of another answer', { usage: {}, answers: ['y'] }, 2],
])('D27.6: an event and a span within one span, with %s', async (_, sent, calls) => {
  const pair = [call({ parent: 'p', ...sent }), call({ ...event, parent: 'p', answers: ['x'] })];
  expect(counted(await join(pair))).toHaveLength(calls);
  expect(counted(await join(pair, [], false))).toHaveLength(2);
});

test("a stream's span without usage and what follows with it are one call", async () => {
  const logfire = { scope: 'logfire.openai', trace: 't', process: 'p' };
  const begun = call({ ...logfire, begins: true, endMs: 1_100, usage: {}, tags: { customer: 'acme' } });
  const told = call({ ...logfire, id: 'told', startMs: 9_000, endMs: 9_000, follows: true, answers: ['chatcmpl-1'] });
  const joined = await join([begun, told]);
  expect(counted(joined)).toEqual(['told']);
  expect(joined[1]?.tags).toEqual({ customer: 'acme' });
});

test("a stream's usage is of the last request before the stream began, and of no other customer's", async () => {
  const logfire = { scope: 'logfire.openai', begins: true };
  const request = (id: string, endMs: number, customer?: string) =>
    call({ ...logfire, id, startMs: endMs - 50, endMs, usage: {}, ...(customer && { tags: { customer } }) });
  const tell = (startMs: number, sent: Sent = {}) =>
    call({ ...logfire, begins: false, follows: true, id: 'told', startMs, endMs: 9_000, ...sent });
  const left = request('left', 1_000, 'acme');
  // By its time alone, by the customer alone, and by neither: then it is the first's.
  for (const told of [tell(2_010), tell(9_000, { tags: { customer: 'globex' } })])
    expect(counted(await join([left, request('read', 2_000, 'globex'), told])).toSorted()).toEqual(['left', 'told']);
  expect(counted(await join([left, request('read', 2_000), tell(9_000)])).toSorted()).toEqual(['read', 'told']);
  expect(counted(await join([request('later', 3_000), tell(2_010)])).toSorted()).toEqual(['later', 'told']);
  // Where the stream's length is known, it began soon after its request.
  expect(counted(await join([request('earlier', 1_000), tell(62_000, { endMs: 90_000 })]))).toHaveLength(2);
  // An application's own event within the request's span tells it too; the next request has begun meanwhile.
  const own = call({ id: 'own', scope: '', parent: 'begun', answers: ['resp-1'], startMs: 950, endMs: 8_000 });
  const begun = call({ ...logfire, span: 'begun', startMs: 950, endMs: 1_000, usage: {} });
  const told = tell(1_010, { usage: {} });
  expect(counted(await join([begun, own, request('next', 8_500), told])).toSorted()).toEqual(['next', 'own']);
  // A request that has its log takes no other one.
  const first = call({ ...logfire, id: 'first', span: 'first', startMs: 850, endMs: 900, usage: {} });
  const ended = tell(2_000, { id: 'ended', answers: ['resp-1'] });
  expect(counted(await join([first, begun, own, ended, tell(2_010, { usage: {} })]))).toHaveLength(2);
  // What that event says tells it from others, too.
  for (const sent of [{ answers: ['resp-2'] }, { tags: { customer: 'globex' } }]) {
    const acme = { ...own, tags: { customer: 'acme' } };
    expect(counted(await join([begun, acme, tell(9_000, sent)])).toSorted()).toEqual(['own', 'told']);
  }
});

test("D27.6: at once, likeness joins each customer's reports first, which tell whose user is whose", async () => {
  const tell = (scope: string, startMs: number, tags: Readonly<Record<string, string>>) =>
    call({ scope, trace: String(startMs), startMs, endMs: 4_000 - startMs, tags });
  const outer = [tell('langfuse', 1_000, { customer: 'acme' }), tell('langfuse', 1_001, { customer: 'globex' })];
  const bob = tell('openinference', 1_002, { customer: 'globex', user: 'bob' });
  const ann = tell('openinference', 1_003, { customer: 'acme', user: 'ann' });
  expect((await join([...outer, bob, ann])).filter(isCounted).map(({ tags }) => tags)).toEqual([
    { customer: 'acme', user: 'ann' },
    { customer: 'globex', user: 'bob' },
  ]);
  // Alone, they are of one request whose emitters have two names for its customer, if the input is equal too.
  expect(counted(await join([...outer.slice(0, 1), bob]))).toHaveLength(1);
  const other = call({
    ...{ scope: 'openinference', trace: '1002', startMs: 1_002, endMs: 2_998 },
    usage: { input: 9, output: 5 },
    tags: { customer: 'globex' },
  });
  expect(counted(await join([...outer.slice(0, 1), other]))).toHaveLength(2);
});

test.each([
  ['in its trace', {}, ['told']],
  ['in another trace', { trace: 'other' }, ['guess', 'told']],
  ['of another model', { model: 'gpt-5' }, ['guess', 'told']],
  ['that is more than the provider counted', { usage: { input: 3, output: 401 } }, ['guess', 'told']],
  ['that nobody says is one', { estimates: false }, ['guess', 'told']],
])("D27.6: an emitter's own count of a stream, %s", async (_, sent, expected) => {
  const usage = { input: 3, output: 3 };
  const guess = call({ id: 'guess', startMs: 1_100, endMs: 1_900, usage, estimates: true, ...sent });
  const told = call({ id: 'told', scope: 'langchain', usage: { input: 3_000, output: 400 } });
  expect(counted(await join([guess, told])).sort()).toEqual(expected);
});

test.each([
  ['most of the time of', { startMs: 1_300, endMs: 2_300 }, 1],
  ['less than half of the time of', { startMs: 1_600, endMs: 2_600 }, 2],
  ['another input, and most of the time of', { startMs: 1_300, endMs: 2_300, usage: { input: 11, output: 5 } }, 2],
  ['another trace, and most of the time of', { startMs: 1_300, endMs: 2_300, trace: 'other' }, 2],
  ['another trace, and nearly all of the time of', { startMs: 1_100, endMs: 2_100, trace: 'other' }, 1],
  ['no span, and most of the time of', { startMs: 1_300, endMs: 2_300, trace: '', span: '', answers: ['a'] }, 1],
  [
    'no span, and less than half of the time of',
    { startMs: 1_600, endMs: 2_600, trace: '', span: '', answers: ['a'] },
    2,
  ],
  [
    'another trace and input, and nearly all of the time of',
    { startMs: 1_100, endMs: 2_100, trace: 'other', usage: { input: 11, output: 5 } },
    2,
  ],
])('D27.6: a handler that is told after another one, with %s it', async (_, sent, calls) => {
  expect(counted(await join([call({ scope: 'langfuse' }), call({ scope: 'openinference', ...sent })]))).toHaveLength(
    calls,
  );
});

test('a stream inside a span that reports it too is one call with all three', async () => {
  const inside = { scope: 'logfire.anthropic', parent: 'chat' };
  const calls = [
    call({ scope: 'pydantic-ai', span: 'chat', startMs: 900, endMs: 9_100, usage: { input: 5, output: 5 } }),
    call({ ...inside, begins: true, endMs: 1_100, usage: {} }),
    call({
      ...inside,
      id: 'told',
      startMs: 9_000,
      endMs: 9_000,
      follows: true,
      usage: { input: 1, cacheRead: 4, output: 5 },
    }),
  ];
  expect(counted(await join(calls))).toEqual(['told']);
});

test('D27.6: what a user has said of a call wins over what a library says of itself, wherever it stands', async () => {
  const inner = call({
    parent: 'p',
    tags: { feature: 'helper', customer: 'acme', env: 'prod' },
    weak: ['feature', 'env'],
  });
  const around = [
    plainSpan({ span: 'p', parent: 'q', own: { customer: 'bolt' }, weak: { feature: 'RunnableSequence' } }),
    plainSpan({ span: 'q', own: { feature: 'chat', user: 'ann' } }),
  ];
  expect((await join([inner], around))[0]?.tags).toEqual({
    customer: 'acme',
    feature: 'chat',
    user: 'ann',
    env: 'prod',
  });
  const [alone] = await join([inner], [plainSpan({ weak: { feature: 'RunnableSequence', agent: 'x' } })]);
  expect(alone?.tags).toEqual({ customer: 'acme', feature: 'helper', env: 'prod', agent: 'x' });
});

test("what an application's event says wins over what a library passes on of its request, whichever counts", async () => {
  const event = { scope: '', trace: '', answers: ['chatcmpl-1'], tags: { user: 'ann' } };
  const span = { ...ofCounts, scope: 'litellm', answers: ['chatcmpl-1'], tags: { user_id: 'acme', customer: 'acme' } };
  for (const counts of [{}, { usage: { input: 4, cacheRead: 6, output: 5 } }]) {
    const joined = (await join([call(event), call({ ...span, ...counts })])).filter(isCounted);
    expect(joined).toMatchObject([{ tags: { user: 'ann', customer: 'acme' } }]);
  }
});

test('a report takes over the model, terms and dimensions that it lacks, and no alias of what it has', async () => {
  const calls = [
    call({ model: '', answers: ['x'], usage: { input: 1, cacheRead: 1, output: 5 }, tags: { customer_id: 'acme' } }),
    call({
      answers: ['x'],
      scope: 'b',
      tags: { customer: 'bolt' },
      fields: { service_tier: 'flex', user_id: 'ann', provider: 'openai' },
    }),
  ];
  const [joined] = await join(calls);
  expect(joined).toMatchObject({ fields: { model: 'gpt-4o', service_tier: 'flex', provider: 'openai' } });
  expect(joined?.tags).toEqual({ customer_id: 'acme', user: 'ann' });
});

const bucketsOf = (counts: number) =>
  Object.fromEntries((['cacheRead', 'cacheWrite'] as const).slice(0, counts).map((name) => [name, 1]));

test('D27.6: as many calls as requests, with the fullest usage and the outer customer, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(randomRequests, fc.infiniteStream(fc.nat()), async (requests, order) => {
      const spans = requests.flatMap((request) => request.spans);
      const calls = spans
        .filter(({ isCall }) => isCall)
        .map(({ answer, counts, output, customer, ...sent }) =>
          call({
            ...sent,
            receivedAtMs: Number(order.next().value),
            answers: answer === '' ? [] : [answer],
            usage: { input: 1, output, ...bucketsOf(counts) },
            ...(customer !== '' && { tags: { customer } }),
          }),
        );
      const shuffled = calls.map((one) => ({ one, at: Number(order.next().value) })).sort((a, b) => a.at - b.at);
      const plain = spans.filter(({ isCall }) => !isCall).map(({ trace, span, parent }) => ({ trace, span, parent }));
      const joined = await join(
        shuffled.map(({ one }) => one),
        plain.map(plainSpan),
      );
      const found = joined.filter(isCounted).map(({ tags, usage, fields }) => ({
        customer: tags.customer,
        counts: usage.filter((tokens) => tokens > 0).length - 2,
        output: usage[usageBuckets.indexOf('output')],
        model: fields.model,
        isJoinedAlike: fields.alike === 'joined',
      }));
      const expected = requests.map(({ spans: _, ...request }) => request);
      expect(found.toSorted((a, b) => String(a.customer).localeCompare(String(b.customer)))).toEqual(expected);
    }),
    { numRuns: usualOrLong(300, 20_000) },
  );
});

test('D27.6: of requests at one time that are alike, each report of one emitter is joined to one of another', async () => {
  const time = fc.record({ startMs: fc.nat({ max: 200 }), lastsMs: fc.integer({ min: 10, max: 300 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(time, { minLength: 1, maxLength: 12 }), async (times) => {
      const calls = times.flatMap(({ startMs, lastsMs }) => [
        call({ scope: 'client', startMs: 1_000 + startMs, endMs: 1_000 + startMs + lastsMs }),
        call({ scope: 'framework', startMs: 990 + startMs, endMs: 1_010 + startMs + lastsMs }),
      ]);
      expect(counted(await join(calls))).toHaveLength(times.length);
      expect(counted(await join(calls, [], false))).toHaveLength(2 * times.length);
    }),
    { numRuns: usualOrLong(100, 10_000) },
  );
});

test('D27.6: of requests at one time, each event is joined to one span: that of its request, or one beside it', async () => {
  const request = fc.record({
    startMs: fc.nat({ max: 200 }),
    lastsMs: fc.integer({ min: 10, max: 300 }),
    parent: fc.constantFrom('p', 'q'),
    isInside: fc.boolean(),
    isTold: fc.boolean(),
    output: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), fc.boolean(), async (requests, isReversed) => {
      const calls = requests.flatMap(({ startMs, lastsMs, parent, isInside, isTold, output }, at) => {
        const times = { startMs: 1_000 + startMs, endMs: 1_000 + startMs + lastsMs };
        const made = { parent: isInside ? `s${at}` : parent, usage: { input: 10, output } };
        return [
          call({ ...times, span: `s${at}`, parent, usage: isTold ? { output } : {} }),
          call({ ...event, ...times, ...made, id: `event-${at}` }),
        ];
      });
      const joined = await join(isReversed ? calls.toReversed() : calls);
      expect(counted(joined).toSorted()).toEqual(requests.map((_, at) => `event-${at}`).toSorted());
    }),
    { numRuns: usualOrLong(100, 10_000) },
  );
});

test('D27.7: thousands of reports that are alike, at one time, are joined without holding up others', async () => {
  const reports = Array.from({ length: 4_000 }, (_, at) =>
    call({ scope: at % 2 ? 'openai' : 'langchain', trace: `t${at}` }),
  );
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  });
  const joined = await join(reports);
  clearInterval(others);
  expect(counted(joined)).toHaveLength(2_000);
  expect(turns).toBeGreaterThan(3);
});
