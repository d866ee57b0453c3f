/** The place of a call within a span of OpenTelemetry. */
export interface Within {
  readonly trace: string;
  readonly parent: string;
}

/** What the process has set up of OpenTelemetry, where every copy of its API finds it. */
const registry = Symbol.for('opentelemetry.js.api.1');
const span = Symbol.for('OpenTelemetry Context Key SPAN');

interface Registry {
  readonly [registry]: {
    readonly context: {
      active(): { getValue(key: symbol): { spanContext(): { traceId: string; spanId: string } } };
    };
  };
}

/** The span within which this runs; undefined without one, or without OpenTelemetry. */
export function activeSpan(): Within | undefined {
  try {
    const { context } = (globalThis as unknown as Registry)[registry];
    const { traceId: trace, spanId: parent } = context.active().getValue(span).spanContext();
    // All 0 means that nothing is traced.
    return /[^0]/.test(trace) ? { trace, parent } : undefined;
  } catch {
    return undefined;
  }
}
