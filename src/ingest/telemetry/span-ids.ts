import type { JsonObject } from '../../lib/json-object.ts';

/** A trace id and a span id, in lower case. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The ids of a span; undefined unless both are hexadecimal, of the right length, and not all 0. */
export const toIds = (traceId: unknown, spanId: unknown): SpanIds | undefined =>
  isId(traceId, 32) && isId(spanId, 16) ? { traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase() } : undefined;

/** Whether a value is an id of this many hexadecimal digits that are not all 0. */
const isId = (value: unknown, digits: number): value is string =>
  typeof value === 'string' && value.length === digits && /^[\da-f]+$/i.test(value) && /[^0]/.test(value);

/** Whether a value is an id as OTLP writes it, of any length up to that of a trace. */
export const isHex = (value: unknown): value is string => typeof value === 'string' && /^[\da-f]{1,32}$/i.test(value);

/** Where a span is in its trace, and when. */
export interface SpanPlace {
  readonly trace: string;
  readonly span: string;
  /** '' for the outermost span of a trace. */
  readonly parent: string;
  /** Whether it is of a client or server of HTTP, a database or a queue, and so between no calls; false for a call. */
  readonly isOfProtocol: boolean;
  readonly times: JsonObject;
}

export const placeAt = (ids: SpanIds, parent: SpanIds | undefined, times: JsonObject): SpanPlace => ({
  trace: ids.traceId,
  span: ids.spanId,
  parent: parent?.spanId ?? '',
  isOfProtocol: false,
  times,
});
