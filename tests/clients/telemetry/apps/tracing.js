// What an app of a user does once: it sends its spans to Farthing, and puts what is in the baggage on each of them.
import { context, propagation, trace } from '@opentelemetry/api';
import { ALLOW_ALL_BAGGAGE_KEYS, BaggageSpanProcessor } from '@opentelemetry/baggage-span-processor';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** All spans are sent twice: as JSON and as protobuf. Where to is in the environment. */
export const exporters = () => [new JsonExporter(), new ProtobufExporter()];

export function startTracing() {
  const sending = exporters().map((exporter) => new BatchSpanProcessor(exporter));
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new BaggageSpanProcessor(ALLOW_ALL_BAGGAGE_KEYS), ...sending],
  });
  tracerProvider.register();
  return tracerProvider;
}

/** The trace of each scenario, by its name. */
const traces = {};

/**
 * Runs a scenario in a span of its own, as a web server does. `work` gets the base addresses of the providers.
 * @param {{ fails?: boolean, baggage?: Record<string, string> }} options
 */
export async function scenario(name, work, { fails = false, baggage = {} } = {}) {
  const of = `${process.env.PROVIDER_URL}/${encodeURIComponent(name)}`;
  const entries = Object.entries(baggage).map(([key, value]) => [key, { value }]);
  const withBaggage = propagation.setBaggage(context.active(), propagation.createBaggage(Object.fromEntries(entries)));
  await context.with(withBaggage, () =>
    trace.getTracer('app').startActiveSpan(name, async (span) => {
      traces[name] = span.spanContext().traceId;
      const failed = await work({ openai: `${of}/openai/v1`, anthropic: `${of}/anthropic` }).then(
        () => false,
        (error) => {
          if (!fails) throw error;
          return true;
        },
      );
      if (failed !== fails) throw new Error(`${name} should have failed`);
      span.end();
    }),
  );
}

/** Sends what is left, and tells the test which trace is of which scenario. */
export async function finish(tracerProviders) {
  for (const tracerProvider of tracerProviders) await tracerProvider.shutdown();
  process.stdout.write(`${JSON.stringify(traces)}\n`);
}

/** Reads a stream to its end. */
export async function drain(stream) {
  for await (const _ of stream);
}
