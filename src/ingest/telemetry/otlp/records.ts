import type { JsonObject } from '../../../lib/json-object.ts';

/** The resource and scope of a span or log record, in the form of OTLP JSON. */
export interface RecordOrigin {
  readonly resource: JsonObject | undefined;
  readonly scope: JsonObject | undefined;
}

/** A span or log record of a request. */
export interface SentRecord {
  /** Decoded on demand, because most records of a request are not calls. */
  readonly origin: () => RecordOrigin;
  /** The record in the form of OTLP JSON, not validated. */
  readonly decode: () => unknown;
  /** Whether its attributes' names may tell of a call, which is cheaper than to decode it. False is certain. */
  readonly mayTell: boolean;
  /** Where a span is in its trace, and when, which is cheaper than decoding it. */
  readonly place: () => JsonObject | undefined;
}

/** The body does not match its Content-Type. */
export class NotOtlp extends Error {
  override readonly name = 'NotOtlp';
}

export interface DecodeOptions {
  readonly record: 'span' | 'logRecord';
  /** Whether an attribute of this name makes a record worth reading; absent if all records are read. */
  readonly isTelling?: (name: string) => boolean;
}

/** The most groups, spans and log records of a request, and in protobuf the most fields around them. */
const maxParts = 200_000;
/** Parts that are decoded between two yields. */
const partsBetweenYields = 256;

/** Counts the parts of a request. */
export class PartCount {
  #taken = 0;

  /** Counts one more part; true when it is time to yield. @throws NotOtlp when there are too many */
  take(): boolean {
    this.#taken += 1;
    if (this.#taken > maxParts) throw new NotOtlp(`A request holds at most ${maxParts} spans or log records.`);
    return this.#taken % partsBetweenYields === 0;
  }
}
