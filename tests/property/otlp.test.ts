import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainCall } from '../support/calls.ts';
import { expectStatus, type Json, type Project, sharedFarthing, wholeRange } from '../support/client.ts';
import { dollars } from '../support/decimal.ts';
import { callsIn, encodings, eventsIn, pricedProject, sendOtlp } from '../support/otlp/post.ts';
import { callSpan, nanos, span, traces } from '../support/otlp/records.ts';
import { checkCases } from '../support/random-cases.ts';
import { rebuildProject } from '../support/reprice.ts';

const farthing = sharedFarthing();

/** A span of a random tree. */
interface Node {
  readonly kind: 'plain' | 'call' | 'call without usage';
  /** The place of its parent among the spans before it; one that is not before it is a root. */
  readonly parent: number;
  readonly trace: 0 | 1;
  readonly tokens: number;
  readonly customer: string;
  /** The days after 15 May 2024: a wrapper may end on another day than what it wraps. */
  readonly day: number;
  readonly isExported: boolean;
}

const node: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom('plain', 'call', 'call', 'call', 'call without usage'),
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

function toSpan(nodes: readonly Node[], index: number): Json {
  const { kind, parent, trace, tokens, customer, day } = nodes[index] ?? never();
  const fields = {
    traceId: traceIds[trace],
    spanId: spanIdOf(index),
    name: `span ${index}`,
    ...(parent < index && { parentSpanId: spanIdOf(parent) }),
    as: { endTimeUnixNano: nanos(`2024-05-${15 + day}T12:00:00Z`) },
  };
  if (kind === 'plain') return span(fields);
  const attributes = { ...(customer !== '' && { 'farthing.customer': customer }) };
  return callSpan({ ...fields, attributes }, kind === 'call' ? [tokens, 0] : [0, 0]);
}

const never = (): never => {
  throw new Error('there is no such span');
};

/** The calls that count: those exported, and within which no exported call with usage is a direct child. */
function innermost(nodes: readonly Node[], exported: ReadonlySet<number>): number[] {
  const wrapped = new Set<string>();
  for (const index of exported) {
    const { kind, parent, trace } = nodes[index] ?? never();
    if (kind === 'call' && parent < index) wrapped.add(`${trace} ${parent}`);
  }
  return [...exported].filter((index) => {
    const { kind, trace } = nodes[index] ?? never();
    return kind !== 'plain' && !wrapped.has(`${trace} ${index}`);
  });
}

/** The customer of a span in a request: its own, or that of the nearest span around it in there (D14.4). */
function customerIn(nodes: readonly Node[], index: number, request: ReadonlySet<number>): string {
  const { customer, kind, parent, trace } = nodes[index] ?? never();
  if (customer !== '' && kind !== 'plain') return customer;
  const isAround = parent < index && nodes[parent]?.trace === trace && request.has(parent);
  return isAround ? customerIn(nodes, parent, request) : '';
}

/** Checks costs, counts and lists against the calls that should count. */
async function expectCounted(
  project: Project,
  nodes: readonly Node[],
  exported: ReadonlyMap<number, string>,
): Promise<void> {
  const counted = innermost(nodes, new Set(exported.keys())).map((index) => ({
    ...(nodes[index] ?? never()),
    customer: exported.get(index) ?? never(),
  }));
  const costOf = ({ kind, tokens }: Node): bigint => (kind === 'call' ? BigInt(tokens) * 1_000_000n : 0n);
  const costs = new Map<string, bigint>();
  for (const call of counted) costs.set(call.customer, (costs.get(call.customer) ?? 0n) + costOf(call));
  const expected = Object.fromEntries([...costs].map(([name, cost]) => [name, dollars(cost)]));
  expect(await project.costBy('customer')).toEqual(expected);
  const answer = await project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all' });
  expect(expectStatus(answer, 200)).toMatchObject({
    rows: [
      {
        calls: counted.length,
        tokens: { input: counted.reduce((sum, { kind, tokens }) => sum + (kind === 'call' ? tokens : 0), 0) },
      },
    ],
  });
  expect(await callsIn(project)).toHaveLength(counted.length);
}

test('D14.3: costs are the sum over the innermost calls, whatever arrives in whatever order, also after a rebuild', async () => {
  await checkCases([tree, requests], 30, async (nodes, sent) => {
    const project = await pricedProject(() => farthing.createProject());
    // With the customer of its first export: another one of the same call changes nothing.
    const exported = new Map<number, string>();
    for (const { chosen, encoding, isLater } of sent) {
      const indexes = chosen.filter((index) => nodes[index]?.isExported);
      if (isLater) await project.totalCost();
      await sendOtlp(project, traces(indexes.map((index) => toSpan(nodes, index))), encoding);
      const request = new Set(indexes);
      for (const index of request) {
        if (!exported.has(index)) exported.set(index, customerIn(nodes, index, request));
      }
    }
    await expectCounted(project, nodes, exported);
    await expectWrappers(project, nodes, new Set(exported.keys()));
    await rebuildProject(project);
    await expectCounted(project, nodes, exported);
  });
});

/** Checks that each call that does not count says which call within it does. */
async function expectWrappers(project: Project, nodes: readonly Node[], exported: ReadonlySet<number>): Promise<void> {
  const counted = new Set(innermost(nodes, exported));
  const events = await eventsIn(project);
  const names = new Map(events.map(({ event_id: id, event_type: type }) => [id, type]));
  for (const index of exported) {
    if (nodes[index]?.kind === 'plain' || counted.has(index)) continue;
    const id = events.find(({ event_type: type }) => type === `span ${index}.after`)?.event_id;
    const { cost, cost_source: source, explanation } = await explainCall(project, String(id));
    expect({ cost, source }).toEqual({ cost: 0, source: 'wrapper' });
    const child = /^span (\d+)\.after$/.exec(String(names.get(explanation.wraps)))?.[1];
    expect(nodes[Number(child)]).toMatchObject({ kind: 'call', parent: index, trace: nodes[index]?.trace });
  }
}
