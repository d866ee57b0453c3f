import type { Json } from './attributes.ts';

/** Where a span or log record comes from, in the form of OTLP JSON. */
export interface Origin {
  readonly resource: Json | undefined;
  readonly scope: Json | undefined;
}

/** A span or log record of a request. */
export interface SentRecord {
  /** Decoded when it is asked for: most records of a request are of no interest. */
  readonly origin: () => Origin;
  /** The record in the form of OTLP JSON, not checked. */
  readonly decode: () => unknown;
  /**
   * Whether it may be a call, by the names of its attributes, which cost less to look at than the whole record. False
   * only if it is certainly none.
   */
  readonly mayBeCall: boolean;
  /** The trace id and span id of a span that is no call, in hexadecimal; undefined if that takes decoding it. */
  readonly ids: string | undefined;
}

/** The body is not what its Content-Type says. */
export class NotOtlp extends Error {
  override readonly name = 'NotOtlp';
}

export interface DecodeOptions {
  readonly record: 'span' | 'logRecord';
  /** The attribute names of which a record has at least one if it may be a call; absent if all records are looked at. */
  readonly deciding?: ReadonlySet<string>;
}

/** The most groups, spans and log records of a request: telling them apart keeps everything else waiting. */
export const maxParts = 200_000;

export const tooManyParts = `A request holds at most ${maxParts} spans or log records.`;
