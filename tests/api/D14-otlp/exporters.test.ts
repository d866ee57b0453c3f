// The exporters of OpenTelemetry for Node, as a program sets them up.
import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { type Project, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { callsIn, eventsIn, pricedProject } from '../../support/otlp/post.ts';

const farthing = sharedFarthing();

type Settings = NonNullable<ConstructorParameters<typeof ProtobufExporter>[0]>;
type Compression = NonNullable<Settings['compression']>;

const request = (input: number) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.response.model': 'm1',
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': 200,
  'gen_ai.input.messages': 'the prompt',
});

/** A web request with two calls in it, of which one is traced by two libraries and one fails. */
async function traceRequest(exporter: SpanExporter): Promise<string> {
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('a test', '1.0.0');
  const web = tracer.startSpan('POST /ask', { startTime: new Date('2024-05-15T12:00:00Z') });
  const within = (parent: typeof web) => trace.setSpan(ROOT_CONTEXT, parent);
  const outer = tracer.startSpan('chat m1', { attributes: request(999) }, within(web));
  const inner = tracer.startSpan(
    'openai.chat',
    { attributes: { ...request(1000), 'farthing.customer': 'acme' } },
    within(outer),
  );
  inner.end();
  outer.end();
  const failed = tracer.startSpan(
    'chat m1',
    { attributes: { ...request(0), 'gen_ai.usage.output_tokens': 0 } },
    within(web),
  );
  failed.recordException(new RangeError('the answer was too long'));
  failed.setStatus({ code: SpanStatusCode.ERROR, message: 'Too long' });
  failed.end();
  web.end();
  await provider.forceFlush();
  await provider.shutdown();
  return web.spanContext().traceId;
}

const kinds = [
  ['protobuf', ProtobufExporter, 'none'],
  ['protobuf with gzip', ProtobufExporter, 'gzip'],
  ['JSON', JsonExporter, 'none'],
  ['JSON with gzip', JsonExporter, 'gzip'],
] as const;

test.each(someOf(kinds, 1))(
  'D14.1: the exporters of OpenTelemetry send calls as %s',
  async (_name, Exporter, compression) => {
    const project: Project = await pricedProject(() => farthing.createProject());
    const exporter = new Exporter({
      url: `${farthing.url}${project.intakePath}v1/traces`,
      headers: { Authorization: `Bearer ${project.secret}` },
      compression: compression as Compression,
    });
    const run = await traceRequest(exporter);
    const calls = await callsIn(project);
    expect(calls.map(({ cost, customer, failed }) => [cost, customer, failed]).toSorted()).toEqual([
      [0, '', true],
      [0.003, 'acme', false],
    ]);
    expect(calls.map((call) => call.run)).toEqual([run, run]);
    const events = await eventsIn(project);
    expect(events.find(({ event_type: type }) => type === 'chat m1.error')).toMatchObject({
      error_type: 'RangeError',
      content_dropped: expect.arrayContaining(['events.exception.message', 'status.message']),
    });
    const outer = events.find(({ event_type: type }) => type === 'chat m1.after');
    expect((await explainCall(project, String(outer?.event_id))).cost_source).toBe('wrapper');
    expect(outer?.content_dropped).toEqual(['gen_ai.input.messages', 'scope.name']);
  },
);
