import { parseJson } from '../../lib/json.ts';

/** A JSON object as sent, with any content. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Attributes by name, with their plain values. */
export type Attributes = ReadonlyMap<string, unknown>;

/** Lists and objects with deeper nesting are left out. */
const maxDepth = 16;

/**
 * The plain value of an OTLP `AnyValue`; undefined if it has none, or one of a wrong type. Whole numbers that a
 * double can't hold exactly stay text, as in OTLP JSON.
 */
function plainValue(any: unknown, depth = 0): unknown {
  if (!isJson(any) || depth > maxDepth) return undefined;
  if (typeof any.stringValue === 'string') return any.stringValue;
  if (any.intValue !== undefined) return plainInteger(any.intValue);
  if (typeof any.doubleValue === 'number') return any.doubleValue;
  if (typeof any.boolValue === 'boolean') return any.boolValue;
  if (isJson(any.arrayValue)) {
    const { values } = any.arrayValue;
    return Array.isArray(values) ? values.map((value) => plainValue(value, depth + 1)) : [];
  }
  if (isJson(any.kvlistValue)) return Object.fromEntries(readAttributes(any.kvlistValue.values, depth + 1) ?? []);
  return typeof any.bytesValue === 'string' ? any.bytesValue : undefined;
}

function plainInteger(value: unknown): unknown {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The attributes of a list of `KeyValue`s; undefined if it is not a list. If a name is repeated, the first counts. */
export function readAttributes(list: unknown, depth = 0): Map<string, unknown> | undefined {
  if (list === undefined || list === null) return new Map();
  if (!Array.isArray(list)) return undefined;
  const attributes = new Map<string, unknown>();
  for (const pair of list as readonly unknown[]) {
    if (!isJson(pair) || typeof pair.key !== 'string' || attributes.has(pair.key)) continue;
    const value = plainValue(pair.value, depth);
    if (value !== undefined) attributes.set(pair.key, value);
  }
  return attributes;
}

/** The first text at these names that is not empty. */
export function firstText(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/**
 * A whole number as a count; text with a whole number, which some exporters write, counts too. Undefined for anything
 * else.
 */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\d{1,15}(?:\.\d{1,15})?$/.test(value)) return undefined;
  return Number(value);
}

/** The object in a JSON text; undefined if the text holds anything else. */
export function parseObject(text: string): Json | undefined {
  try {
    const value = parseJson(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
