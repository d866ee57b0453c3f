import { parseJsonInSlices, UnwieldyJson } from '../../../lib/json-in-slices.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json-object.ts';
import type { Slices } from '../../../lib/slices.ts';
import { isUnwieldy } from '../../../lib/unwieldy.ts';
import { type DecodeOptions, NotOtlp, PartCount, type RecordOrigin, type SentRecord } from './records.ts';

/** The names of the lists that lead to the records of a request. */
const lists = {
  span: ['resourceSpans', 'scopeSpans', 'spans'],
  logRecord: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The spans or log records of a body of OTLP JSON, in its order. @throws NotOtlp */
export function* decodeJson(body: Buffer, options: DecodeOptions): Slices<SentRecord[]> {
  const [groups, scopes, records] = lists[options.record];
  const sent: SentRecord[] = [];
  const parts = new PartCount();
  for (const group of listOf(yield* parse(body), groups)) {
    if (parts.take()) yield;
    const resource = objectOf(group, 'resource');
    for (const scopeGroup of listOf(group, scopes)) {
      if (parts.take()) yield;
      const origin: RecordOrigin = { resource, scope: objectOf(scopeGroup, 'scope') };
      for (const value of listOf(scopeGroup, records)) {
        if (parts.take()) yield;
        sent.push(toRecord(value, origin, options));
      }
    }
  }
  return sent;
}

/** Checks that a body of OTLP JSON has metrics; they are not read. @throws NotOtlp */
export function* checkJson(body: Buffer): Slices<void> {
  listOf(yield* parse(body), 'resourceMetrics');
}

function* parse(body: Buffer): Slices<unknown> {
  try {
    return yield* parseJsonInSlices(utf8.decode(body));
  } catch (cause) {
    if (cause instanceof UnwieldyJson) throw new NotOtlp(`The body can't be read: ${cause.message}.`, { cause });
    throw new NotOtlp('The body is not valid JSON.', { cause });
  }
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!isJsonObject(value)) throw new NotOtlp(`The body is no OTLP JSON: an object with ${name} is missing.`);
  const list = value[name];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new NotOtlp(`The body is no OTLP JSON: ${name} must be a list.`);
  return list;
}

function objectOf(value: unknown, name: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) && !isUnwieldy(found) ? found : undefined;
}

/** A span without a telling attribute is skipped. A span that can't be read is not, so that it is counted. */
function toRecord(value: unknown, origin: RecordOrigin, { isTelling }: DecodeOptions): SentRecord {
  const record = {
    origin: () => origin,
    decode: () => (isUnwieldy(value) ? undefined : value),
    place: () => (isJsonObject(value) ? value : undefined),
  };
  if (isTelling === undefined || !isJsonObject(value) || !Array.isArray(value.attributes)) {
    return { ...record, mayTell: true };
  }
  const hasTelling = (list: unknown, name: string): boolean =>
    Array.isArray(list) &&
    (list as readonly unknown[]).some(
      (one) => isJsonObject(one) && typeof one[name] === 'string' && isTelling(one[name]),
    );
  return { ...record, mayTell: hasTelling(value.attributes, 'key') || hasTelling(value.events, 'name') };
}
