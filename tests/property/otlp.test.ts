import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainCall } from '../support/calls.ts';
import {
  expectStatus,
  type Json,
  type Project,
  sharedFarthing,
  untilAssembled,
  wholeRange,
} from '../support/client.ts';
import { dollars } from '../support/decimal.ts';
import { usualOrLong } from '../support/effort.ts';
import { callsIn, encodings, eventsIn, pricedProject, sendOtlp } from '../support/otlp/post.ts';
import { type RandomSpan, randomRequests } from '../support/otlp/random-reports.ts';
import { callSpan, nanos, span, traces } from '../support/otlp/records.ts';
import { checkCases } from '../support/random-cases.ts';
import { rebuildProject } from '../support/reprice.ts';

const farthing = sharedFarthing();

/** A span of a random tree: a call by what it reports, or a span that is none. */
interface Node {
  readonly kind: 'plain' | 'call' | 'fuller call' | 'call without usage' | 'refused';
  /** The place of its parent among the spans before it; one that is not before it is never sent, but for a trace's first span. */
  readonly parent: number;
  readonly trace: 0 | 1;
  readonly tokens: number;
  readonly customer: string;
  /** The days after 15 May 2024: a wrapper may end on another day than what it wraps. */
  readonly day: number;
  readonly isExported: boolean;
}

const node: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom('plain', 'plain', 'call', 'call', 'fuller call', 'call without usage', 'refused'),
  parent: fc.nat({ max: 12 }),
  trace: fc.constantFrom(0, 0, 0, 1),
  tokens: fc.integer({ min: 1, max: 5_000 }),
  customer: fc.constantFrom('acme', 'bolt', ''),
  day: fc.nat({ max: 1 }),
  isExported: fc.nat({ max: 5 }).map((lost) => lost > 0),
});

const tree = fc.array(node, { minLength: 1, maxLength: 14 });

/** In which requests the spans are exported, and in which order: each number chooses a span. */
const requests = fc.array(
  fc.record({
    chosen: fc.array(fc.nat({ max: 13 }), { minLength: 1, maxLength: 10 }),
    encoding: fc.constantFrom(...encodings),
    /** Whether the requests before are in the calls before this one comes. */
    isLater: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

const traceIds = ['a'.repeat(32), 'b'.repeat(32)] as const;
/** A parent that is a span of the other trace is none: there an id may mean another span. */
const spanIdOf = (index: number): string => (index + 1).toString(16).padStart(16, '0');
const lostSpanId = 'f'.repeat(16);

const isFirst = (nodes: readonly Node[], index: number): boolean =>
  nodes.findIndex(({ trace }) => trace === nodes[index]?.trace) === index;

const isRoot = (nodes: readonly Node[], index: number): boolean =>
  isFirst(nodes, index) && (nodes[index] ?? never()).parent >= index;

function toSpan(nodes: readonly Node[], index: number): Json {
  const { kind, parent, trace, customer, day } = nodes[index] ?? never();
  const fields = {
    traceId: traceIds[trace],
    spanId: spanIdOf(index),
    name: `span-${index}`,
    ...(!isRoot(nodes, index) && { parentSpanId: parent < index ? spanIdOf(parent) : lostSpanId }),
    as: { endTimeUnixNano: nanos(`2024-05-${15 + day}T12:00:00Z`) },
  };
  const attributes = { ...(customer !== '' && { 'farthing.customer': customer }) };
  if (kind === 'plain') return span({ ...fields, attributes });
  const as = { ...fields.as, ...(kind === 'refused' && { status: { code: 2 } }) };
  return callSpan({ ...fields, as, attributes }, usageOf(nodes[index] ?? never()));
}

/** Tokens of input and output. What reports both is fuller. */
const usageOf = ({ kind, tokens }: Node): [number, number] =>
  kind === 'call' || kind === 'fuller call' ? [tokens, kind === 'call' ? 0 : 7] : [0, 0];

const never = (): never => {
  throw new Error('there is no such span');
};

/** A request to a model by those of its spans that report it. */
interface Request {
  readonly counts: number;
  readonly customer: string;
}

/** The requests that exported spans report, and those of calls that only add up the requests inside them. */
interface Expected {
  readonly requests: readonly Request[];
  /** The calls that count nothing, each with the calls of which its explanation may name one. */
  readonly wrappers: ReadonlyMap<number, readonly number[]>;
}

/** What D27.6 b says of spans of a tree, told from each leaf outwards. */
function expectedOf(nodes: readonly Node[], exported: ReadonlySet<number>): Expected {
  const at = (index: number): Node => nodes[index] ?? never();
  const outwards = (index: number): number[] => {
    const { parent, trace } = at(index);
    return parent < index && at(parent).trace === trace && exported.has(parent) ? [parent, ...outwards(parent)] : [];
  };
  const calls = [...exported].filter((index) => at(index).kind !== 'plain');
  const reportsUsage = (index: number) => usageOf(at(index))[0] > 0;
  /** The innermost report of the request that each call is of; undefined for one that adds up several. */
  const requestOf = new Map<number, number | undefined>();
  // A span has a higher number than those around it.
  for (const call of calls.toSorted((a, b) => b - a)) {
    const inside = calls.filter((other) => outwards(other).includes(call));
    const requests = [...new Set(inside.flatMap((other) => requestOf.get(other) ?? []))];
    const ofRequest = (request: number) => inside.filter((other) => requestOf.get(other) === request);
    const used = requests.filter((request) => ofRequest(request).some(reportsUsage));
    if (used.length === 0 && reportsUsage(call)) {
      requestOf.set(call, call);
      for (const request of requests) {
        const reports = ofRequest(request);
        if (reports.every((other) => at(other).kind === 'refused')) continue;
        for (const other of reports) requestOf.set(other, call);
      }
    } else {
      const [only, ...more] = used.length > 0 ? used : requests;
      requestOf.set(call, more.length > 0 ? undefined : (only ?? call));
    }
  }
  const requests: Request[] = [];
  const wrappers = new Map<number, readonly number[]>();
  for (const request of new Set(requestOf.values())) {
    if (request === undefined) continue;
    const depthOf = (index: number) => outwards(index).filter((outer) => at(outer).kind !== 'plain').length;
    const reports = calls.filter((call) => requestOf.get(call) === request).sort((a, b) => depthOf(a) - depthOf(b));
    const fullest = Math.max(...reports.map((report) => usageOf(at(report)).filter((count) => count > 0).length));
    const counts = reports.findLast((report) => usageOf(at(report)).filter((count) => count > 0).length === fullest);
    // The first span of a trace is around all others, also where one between is not known.
    const allAround = (index: number) => {
      const first = [...exported].filter((root) => isRoot(nodes, root) && at(root).trace === at(index).trace);
      return [...outwards(index), ...first];
    };
    const around = [...allAround(counts ?? never()), ...reports.flatMap(allAround)];
    const names = [counts ?? never(), ...reports, ...around].map((index) => at(index).customer);
    requests.push({ counts: counts ?? never(), customer: names.find((name) => name !== '') ?? '' });
    for (const report of reports) if (report !== counts) wrappers.set(report, [counts ?? never()]);
  }
  for (const [call, request] of requestOf) {
    if (request !== undefined) continue;
    const inside = requests.filter(({ counts }) => calls.includes(counts));
    wrappers.set(
      call,
      inside.map(({ counts }) => counts),
    );
  }
  return { requests, wrappers };
}

/** Checks costs, counts and lists against the calls that should count. */
async function expectCounted(project: Project, nodes: readonly Node[], { requests }: Expected): Promise<void> {
  const counted = requests.map(({ counts, customer }) => ({ usage: usageOf(nodes[counts] ?? never()), customer }));
  const costs = new Map<string, bigint>();
  for (const { usage, customer } of counted) {
    const cost = BigInt(usage[0] + 10 * usage[1]) * 1_000_000n;
    costs.set(customer, (costs.get(customer) ?? 0n) + cost);
  }
  const expected = Object.fromEntries([...costs].map(([name, cost]) => [name, dollars(cost)]));
  expect(await project.costBy('customer')).toEqual(expected);
  const answer = await project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all' });
  const input = counted.reduce((sum, { usage }) => sum + usage[0], 0);
  expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ calls: counted.length, tokens: { input } }] });
  expect(await callsIn(project)).toHaveLength(counted.length);
}

test('D14.3, D27.6: costs are the sum over the requests, whatever arrives in whatever order, also after a rebuild', async () => {
  await checkCases([tree, requests], 30, async (nodes, sent) => {
    const project = await pricedProject(() => farthing.createProject());
    const exported = new Set<number>();
    for (const { chosen, encoding, isLater } of sent) {
      const indexes = chosen.filter((index) => nodes[index]?.isExported);
      if (isLater) await untilAssembled(project);
      await sendOtlp(project, traces(indexes.map((index) => toSpan(nodes, index))), encoding);
      for (const index of indexes) exported.add(index);
    }
    const expected = expectedOf(nodes, exported);
    await expectCounted(project, nodes, expected);
    await expectWrappers(project, expected);
    await rebuildProject(project);
    await expectCounted(project, nodes, expected);
  });
});

/** Checks that each call that does not count names one that does. */
async function expectWrappers(project: Project, { wrappers }: Expected): Promise<void> {
  const events = await eventsIn(project);
  const idOf = (index: number) =>
    String(
      events.find(({ event_type: type }) => [`span-${index}.after`, `span-${index}.error`].includes(String(type)))
        ?.event_id,
    );
  for (const [index, counted] of wrappers) {
    const { cost, cost_source: source, explanation } = await explainCall(project, idOf(index));
    expect({ cost, source }).toEqual({ cost: 0, source: 'wrapper' });
    expect(counted.map(idOf)).toContain(explanation.wraps);
  }
}

/** A span of a random request; an emitter that knows more than the output knows the input. */
function toSent({ isCall, scope, process, trace, answer, customer, counts, ...sent }: RandomSpan): Json {
  const idOf = (name: string, digits: number) => hash('sha256', name).slice(0, digits);
  const noon = '2024-05-15T12:00:00Z';
  const fields = {
    traceId: idOf(trace, 32),
    spanId: idOf(sent.span, 16),
    ...(sent.parent !== '' && { parentSpanId: idOf(sent.parent, 16) }),
    as: { startTimeUnixNano: nanos(noon, sent.startMs), endTimeUnixNano: nanos(noon, sent.endMs) },
  };
  const attributes = {
    ...(answer !== '' && { 'gen_ai.response.id': answer }),
    ...(customer !== '' && { 'farthing.customer': customer }),
  };
  const made = isCall ? callSpan({ ...fields, attributes }, [counts > 0 ? 10 : 0, 5]) : span(fields);
  return traces([made], { scope, resource: { 'service.instance.id': process } });
}

test('D27.6: as many calls as requests, whatever reports them, in any order, requests and repetition, also after a reread', async () => {
  const orders = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  const perRequests = fc.integer({ min: usualOrLong(3, 1), max: 9 });
  await checkCases([randomRequests, orders, perRequests], 30, async (asked, order, perRequest) => {
    const project = await pricedProject(() => farthing.createProject());
    const spans = asked.flatMap((each) => each.spans);
    const sent = [...spans, ...spans.slice(0, 3)]
      .map((each, index) => ({ each, at: order[index % order.length] ?? 0 }))
      .sort((a, b) => a.at - b.at);
    for (let at = 0; at < sent.length; at += perRequest) {
      const groups = sent.slice(at, at + perRequest).map(({ each }) => toSent(each));
      await sendOtlp(
        project,
        { resourceSpans: groups.flatMap(({ resourceSpans }) => resourceSpans) },
        encodings[at % encodings.length],
      );
      if (at % 2 === 0) await untilAssembled(project);
    }
    // The fullest usage is that with input.
    const costs = asked.map(({ customer, counts }) => [customer, dollars(counts > 0 ? 60_000_000n : 50_000_000n)]);
    const reread = [{ reread: true, dry_run: false }];
    // The test above rebuilds without reading anew.
    for (const rebuilds of usualOrLong([[], reread], [[], [{}], reread])) {
      for (const body of rebuilds) await rebuildProject(project, body);
      expect(await project.costBy('customer')).toEqual(Object.fromEntries(costs));
      expect(await callsIn(project)).toHaveLength(asked.length);
    }
    const coverage = expectStatus(
      await project.api('GET', '/api/coverage/?date_from=2024-05-15&date_to=2024-05-15'),
      200,
    );
    const joinedAlike = asked.filter(({ isJoinedAlike }) => isJoinedAlike).length;
    expect(coverage).toMatchObject({ calls: asked.length, joined_alike: { calls: joinedAlike } });
  });
});
