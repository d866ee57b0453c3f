import { tryParseJson } from '../../lib/json.ts';
import { isJsonObject, type JsonObject, ownValue } from '../../lib/json-object.ts';
import { holdsObject } from '../telemetry/plain-attributes.ts';

/** Where a record of another system has a value: names from the outside in, and the page or file that documents it. */
export interface Place {
  readonly source: string;
  readonly path: readonly string[];
}

/** Places that one source documents, in falling precedence. Dots separate names. */
export const places = (source: string, ...paths: readonly string[]): readonly Place[] =>
  paths.map((path) => ({ source, path: path.split('.') }));

/** The value at a path; undefined if there is none or it is null. */
export function valueAt(record: JsonObject, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const name of path) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, name);
  }
  return value ?? undefined;
}

/** The first value at these places that `read` accepts. */
function firstAt<T>(record: JsonObject, list: readonly Place[], read: (value: unknown) => T | undefined) {
  for (const { path } of list) {
    const value = read(valueAt(record, path));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A text that is not empty; numbers and booleans count as texts. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The same for metadata that a caller set. JSON of an object is left out, since it may be a whole request (D14.5). */
export function metadataText(value: unknown): string | undefined {
  const text = asText(value);
  return text === undefined || holdsObject(text) ? undefined : text;
}

/** Whether an item of a list of tags, `name:value` or a name alone, holds no object. */
export const isTag = (item: unknown): boolean =>
  typeof item !== 'string' || [item, item.replace(nameOfTag, '')].every((text) => !holdsObject(text));

const nameOfTag = /^[^:=]+[:=]/;

const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A finite number, as a number or as text. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && !numberText.test(value.trim())) return undefined;
  const read = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(read) ? read : undefined;
}

/** A JSON object, parsed or as text. */
export function asObject(value: unknown): JsonObject | undefined {
  const read = typeof value === 'string' ? tryParseJson(value) : value;
  return isJsonObject(read) ? read : undefined;
}

/** A list, parsed or as text. */
export function asList(value: unknown): readonly unknown[] | undefined {
  const read = typeof value === 'string' ? tryParseJson(value) : value;
  return Array.isArray(read) ? read : undefined;
}

export const textAt = (record: JsonObject, list: readonly Place[]) => firstAt(record, list, asText);
export const numberAt = (record: JsonObject, list: readonly Place[]) => firstAt(record, list, asNumber);
export const objectAt = (record: JsonObject, list: readonly Place[]) => firstAt(record, list, asObject);
export const listAt = (record: JsonObject, list: readonly Place[]) => firstAt(record, list, asList);
export const timeAt = (record: JsonObject, list: readonly Place[]) => firstAt(record, list, asTime);

/** The range of plausible times in seconds since 1970: this century. */
const [earliestS, latestS] = [946_684_800, 4_102_444_800];
const withoutZone = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/;

/** Milliseconds since 1970, of seconds, milliseconds or a date and time, which is in UTC unless it has a zone. */
function asTime(value: unknown): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) {
    if (number >= earliestS && number <= latestS) return Math.round(number * 1_000);
    return number >= 1_000 * earliestS && number <= 1_000 * latestS ? Math.round(number) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  // Times in CSV may be JSON texts with quotes around them.
  const text = value.trim().replace(/^"(.*)"$/, '$1');
  const ms = Date.parse(text.replace(withoutZone, '$1T$2Z'));
  return Number.isNaN(ms) ? undefined : ms;
}

/** The digits and signs of times, without the sentences in which `Date.parse` finds one. */
const timeText = /^["\dT :.,+-]{1,48}(?:Z|UTC|GMT)?"?$/;

/** Whether a value is a time and nothing else. */
export const isTime = (value: unknown): boolean =>
  asTime(value) !== undefined && (typeof value !== 'string' || timeText.test(value));
