import type { Json } from './otlp/attributes.ts';
import type { SpanIds } from './span-ids.ts';

/** Where a span is in its trace, and when. */
export interface SpanPlace {
  readonly trace: string;
  readonly span: string;
  /** '' for the outermost span of a trace. */
  readonly parent: string;
  /** Whether it is of a client or server of HTTP, a database or a queue, and so between no calls; false for a call. */
  readonly isOfProtocol: boolean;
  readonly times: Json;
}

/** The place of a call. */
export const placeAt = (ids: SpanIds, parent: SpanIds | undefined, times: Json): SpanPlace => ({
  trace: ids.traceId,
  span: ids.spanId,
  parent: parent?.spanId ?? '',
  isOfProtocol: false,
  times,
});
