import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The two encodings of OTLP over HTTP. */
export type Encoding = 'protobuf' | 'json';

export const mediaTypes: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** The part of a request that could not be stored. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** The names of the count in OTLP JSON; in protobuf all have the field number 1. */
export type RejectedName = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints';

/** An `Export…ServiceResponse`; `partial_success` is left out when everything was stored. */
export function encodeResponse(encoding: Encoding, name: RejectedName, partial: PartialSuccess | undefined): Buffer {
  if (encoding === 'json') {
    const partialSuccess = partial && { [name]: String(partial.rejected), errorMessage: partial.message };
    return Buffer.from(JSON.stringify(partialSuccess === undefined ? {} : { partialSuccess }));
  }
  const writer = new BinaryWriter();
  if (partial !== undefined) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).int64(partial.rejected);
    writer.tag(2, WireType.LengthDelimited).string(partial.message);
    writer.join();
  }
  return Buffer.from(writer.finish());
}

/** A `google.rpc.Status`. Source: https://github.com/googleapis/googleapis, google/rpc/status.proto. */
export function encodeStatus(encoding: Encoding, code: number, message: string): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }));
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  writer.tag(2, WireType.LengthDelimited).string(message);
  return Buffer.from(writer.finish());
}
