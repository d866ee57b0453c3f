// Many traces of one shape through the real exporters: in any order, over many requests, and more than once.
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { type ReadableSpan, type SpanExporter, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { seed, usualOrLong } from '../../support/effort.ts';
import { pricedProject } from '../../support/otlp/post.ts';
import { poll } from '../../support/poll.ts';

const farthing = sharedFarthing();

/** How many traces there are of `spansEach` spans; a million spans in the long form. */
const traces = usualOrLong(150, 125_000);
const spansEach = 8;
/** How many traces are begun before their spans are sent: about half of each lot waits for the next. */
const tracesAtOnce = 1_000;
/** As large as the batches of the SDK's own processor. */
const spansInBatch = 512;
const customers = 50;
const noon = Date.parse('2024-05-15T12:00:00Z');

/** Collects what has ended, as a processor of the SDK does. */
class Collector implements SpanProcessor {
  ended: ReadableSpan[] = [];
  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

const usage = (input: number, output: number) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.response.model': 'm1',
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
});

/**
 * A web request in which an agent takes two steps with a tool between them. Each step is traced by two libraries and the
 * agent's span repeats the sum of its steps, so eight spans are two calls.
 */
function traceAgent(provider: TracerProvider, number: number): void {
  const tracer = provider.getTracer('a test', '1.0.0');
  const begin = (name: string, within: Context, attributes = {}): Span =>
    tracer.startSpan(name, { startTime: noon, attributes: { ...attributes, 'farthing.customer': of(number) } }, within);
  const inside = (span: Span) => trace.setSpan(ROOT_CONTEXT, span);
  const web = begin('POST /ask', ROOT_CONTEXT);
  const agent = begin('invoke_agent', inside(web), { ...usage(300, 30), 'gen_ai.operation.name': 'invoke_agent' });
  const steps = [100, 200].flatMap((input) => {
    const outer = begin('ai.generateText', inside(agent), usage(input, input / 10));
    return [begin('chat m1', inside(outer), usage(input, input / 10)), outer];
  });
  const tool = begin('execute_tool', inside(agent), { 'gen_ai.operation.name': 'execute_tool' });
  const lookUp = begin('SELECT', inside(tool));
  for (const span of [...steps, lookUp, tool, agent, web]) span.end(noon + 500);
}

const of = (number: number): string => `customer ${number % customers}`;

const exportAll = (exporter: SpanExporter, spans: ReadableSpan[]): Promise<void> =>
  new Promise((resolve, reject) => {
    exporter.export(spans, ({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error('not exported'))));
  });

/** The items in an order that depends on the seed alone. */
function mix<Item>(items: readonly Item[], by: number): Item[] {
  const keys = fc.sample(fc.noBias(fc.nat()), { seed: by, numRuns: items.length });
  return items
    .map((item, index) => ({ item, key: keys[index] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Sends lots of traces whose spans are mixed, some of them twice, and half of each lot only with the next. */
async function sendMixed(provider: TracerProvider, collector: Collector, exporters: readonly SpanExporter[]) {
  let requests = 0;
  let held: ReadableSpan[] = [];
  for (let first = 0; first < traces; first += tracesAtOnce) {
    const isLast = first + tracesAtOnce >= traces;
    for (let number = first; number < Math.min(traces, first + tracesAtOnce); number += 1) traceAgent(provider, number);
    const mixed = mix([...held, ...collector.ended], seed + first);
    collector.ended = [];
    held = isLast ? [] : mixed.splice(0, mixed.length / 2);
    for (let at = 0; at < mixed.length; at += spansInBatch) {
      // A retry after a lost answer sends a batch again, and one after a partial success a part of it.
      const batch = mixed.slice(at, at + spansInBatch);
      const repeated = requests % 10 === 0 ? [batch, batch, batch.slice(batch.length / 3)] : [batch];
      for (const spans of repeated) {
        const exporter = exporters[requests % exporters.length];
        if (exporter) await exportAll(exporter, spans);
        requests += 1;
      }
    }
  }
  return requests;
}

const range = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer', limit: 1_000 };

/** Asks until assembly has caught up, which takes a while after a million spans. */
const ask = (project: Project, path: string): Promise<Answer> =>
  poll('everything is assembled', { within: 600_000, every: 500 }, async () => {
    const answer = await project.api('POST', path, range);
    return answer.status === 503 ? undefined : answer;
  });

test(
  `D14.3: ${traces * spansEach} spans of one shape in any order, repeated and split over requests, are the same calls`,
  async () => {
    const project = await pricedProject(() => farthing.createProject());
    const settings = {
      url: `${farthing.url}${project.intakePath}v1/traces`,
      headers: { Authorization: `Bearer ${project.secret}` },
      // By default it gives up after ten seconds, which a busy machine may take.
      timeoutMillis: 300_000,
    };
    const exporters = [new ProtobufExporter(settings), new JsonExporter(settings)];
    const collector = new Collector();
    const provider = new TracerProvider({ spanProcessors: [collector] });
    const requests = await sendMixed(provider, collector, exporters);
    expect(requests).toBeGreaterThan((traces * spansEach) / spansInBatch);
    await Promise.all(exporters.map((exporter) => exporter.shutdown()));

    const { rows } = expectStatus(await ask(project, '/api/usage/'), 200) as { rows: Json[] };
    const ofEach = traces / customers;
    expect(rows).toHaveLength(customers);
    for (const { calls, errors, unpriced_calls, tokens } of rows) {
      expect({ calls, errors, unpriced_calls }).toEqual({ calls: 2 * ofEach, errors: 0, unpriced_calls: 0 });
      expect(tokens).toMatchObject({ input: 300 * ofEach, output: 30 * ofEach });
    }
    // 300 tokens of input at 1 USD a million and 30 of output at 10: 600 millionths of a USD for each trace.
    const costs = expectStatus(await ask(project, '/api/costs/'), 200) as { rows: Json[] };
    expect(costs.rows.map(({ customer, cost }) => [customer, cost])).toEqual(
      Array.from({ length: customers }, (_, number) => [of(number), (600 * ofEach) / 1e6]).toSorted(),
    );
  },
  usualOrLong(600_000, 3_600_000),
);
