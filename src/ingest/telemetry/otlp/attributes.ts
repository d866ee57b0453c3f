import { tryParseJson } from '../../../lib/json.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json-object.ts';
import { byNames } from './by-names.ts';
import { parsePython } from './python-literal.ts';

/** Attributes by name, with their plain values. */
export type Attributes = ReadonlyMap<string, unknown>;

/** Lists and objects with deeper nesting are left out. */
const maxDepth = 16;

/** An `AnyValue`'s value; undefined for bytes and wrong types. Whole numbers that a double can't hold stay text. */
function plainValue(any: unknown, depth = 0): unknown {
  if (!isJsonObject(any) || depth > maxDepth) return undefined;
  if (typeof any.stringValue === 'string') return unquoted(any.stringValue);
  if (any.intValue !== undefined) return plainInteger(any.intValue);
  if (typeof any.doubleValue === 'number') return any.doubleValue;
  if (typeof any.boolValue === 'boolean') return any.boolValue;
  if (isJsonObject(any.arrayValue)) {
    const { values } = any.arrayValue;
    return Array.isArray(values) ? values.map((value) => plainValue(value, depth + 1)) : [];
  }
  if (!isJsonObject(any.kvlistValue)) return undefined;
  return Object.fromEntries(readAttributes(any.kvlistValue.values, depth + 1) ?? []);
}

/** Longer texts in quotes are no names. */
const maxQuoted = 1_026;

/** Python's exporters write metadata as JSON: the customer is `acme`, not `"acme"` (D27.8). */
function unquoted(text: string): string {
  if (!text.startsWith('"') || text.length > maxQuoted || !text.endsWith('"')) return text;
  const value = tryParseJson(text);
  return typeof value === 'string' ? value : text;
}

function plainInteger(value: unknown): unknown {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const resources = new WeakMap<JsonObject, Attributes>();

/** The attributes of the resource of records, read once for all of them. */
export function attributesOfResource(resource: JsonObject | undefined): Attributes {
  if (resource === undefined) return new Map();
  const known = resources.get(resource) ?? readAttributes(resource.attributes) ?? new Map<string, unknown>();
  resources.set(resource, known);
  return known;
}

/** The attributes of a list of `KeyValue`s; undefined if it is not a list. If a name is repeated, the first counts. */
export function readAttributes(list: unknown, depth = 0): Map<string, unknown> | undefined {
  if (list === undefined || list === null) return new Map();
  if (!Array.isArray(list)) return undefined;
  const attributes = new Map<string, unknown>();
  for (const pair of list as readonly unknown[]) {
    if (!isJsonObject(pair) || typeof pair.key !== 'string' || attributes.has(pair.key)) continue;
    const value = plainValue(pair.value, depth);
    if (value !== undefined) attributes.set(pair.key, value);
  }
  return attributes;
}

/** A name as tables have it, taken apart. */
interface Place {
  readonly name: string;
  readonly attribute: string;
  /** The way to a member of the object that the attribute holds. */
  readonly path?: string;
  /** What a text must have to hold that member: most answers are not parsed. */
  readonly word?: string;
  /** Of all attributes that make up an object; `attribute` is then one that such spans have. */
  readonly prefix?: string;
}

/** Stands for the name of the span's last event that tells of an answer, among its attributes. */
export const answerEvent = 'farthing:answer_event';

function toPlace(name: string): Place {
  const mark = name.indexOf('#');
  if (mark !== -1) {
    const path = name.slice(mark + 1);
    return { name, attribute: name.slice(0, mark), path, word: path.slice(path.lastIndexOf('.') + 1) };
  }
  return name.endsWith('.*') ? { name, attribute: answerEvent, prefix: name.slice(0, -1) } : { name, attribute: name };
}

/** Those names, as tables have them, at which these attributes may have a value; it depends on their names alone. */
export const presentNames = (attributes: Attributes, names: readonly string[]): string[] =>
  names.filter((name) => attributes.has(toPlace(name).attribute));

/**
 * The first value that `read` accepts: of an attribute, of a member (`gen_ai.usage.raw#input_tokens`), or of all with a
 * prefix (`response.raw.usage.*`).
 */
export function readFirst<Read>(
  attributes: Attributes,
  names: readonly string[],
  read: (value: unknown, name: string) => Read | undefined,
): Read | undefined {
  if (names.length === 0) return undefined;
  const places = byNames(attributes, names, () => presentNames(attributes, names).map(toPlace));
  for (const { name, attribute, path, word, prefix } of places) {
    const own = attributes.get(attribute);
    if (word !== undefined && typeof own === 'string' && !own.includes(word)) continue;
    const value =
      path !== undefined
        ? memberAt(contentAt(attributes, attribute), path)
        : prefix === undefined
          ? own
          : nested(attributes, prefix);
    const found = value === undefined || value === null ? undefined : read(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A member of an object or list; texts on the way that hold objects are read as such. */
function memberAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) {
    const inner = typeof value === 'string' ? parseText(value) : value;
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined;
    value = (inner as JsonObject)[name];
  }
  return value;
}

function nested(attributes: Attributes, prefix: string): JsonObject | undefined {
  let root: Record<string, unknown> | undefined;
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix) || value === 'null') continue;
    root ??= noMembers();
    const path = name.slice(prefix.length).split('.');
    const last = path.pop() ?? '';
    let at = root;
    for (const part of path) {
      const inner = isJsonObject(at[part]) ? at[part] : noMembers();
      at[part] = inner;
      at = inner as Record<string, unknown>;
    }
    at[last] = value;
  }
  return root;
}

/** Names are of any app, also `__proto__`. */
const noMembers = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

const parsed = new WeakMap<Attributes, Map<string, unknown>>();

/** The object or list in an attribute: as sent, as JSON, or as Python writes it; undefined for anything else. */
function contentAt(attributes: Attributes, name: string): unknown {
  const value = attributes.get(name);
  if (typeof value !== 'string') return value;
  const known = parsed.get(attributes) ?? new Map<string, unknown>();
  parsed.set(attributes, known);
  if (!known.has(name)) known.set(name, parseText(value));
  return known.get(name);
}

/** The same, if it is an object. */
export function objectAt(attributes: Attributes, name: string): JsonObject | undefined {
  const value = contentAt(attributes, name);
  return isJsonObject(value) ? value : undefined;
}

/** Before the first bracket Python writes at most the name of a type. */
const beginning = /^\s*[\w.]{0,100}[[{(]/;
/** Longer texts are not read. */
const maxContent = 1_048_576;

/** What a text holds: JSON, or an object or list as Python writes it; undefined for anything else. */
export function parseText(text: string): unknown {
  if (text.length > maxContent || !beginning.test(text)) return undefined;
  return tryParseJson(text) ?? parsePython(text);
}

/** The first value at these names. */
export const firstAt = (attributes: Attributes, names: readonly string[]): unknown =>
  readFirst(attributes, names, (value) => value);

/** The first text at these names that is not empty. */
export const firstText = (attributes: Attributes, names: readonly string[]): string | undefined =>
  readFirst(attributes, names, (value) => (typeof value === 'string' && value !== '' ? value : undefined));

/** A whole number, also as text, which some exporters write. Undefined for anything else. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\d{1,15}(?:\.\d{1,15})?$/.test(value)) return undefined;
  return Number(value);
}

/** The object in a JSON text; undefined if the text holds anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const value = tryParseJson(text);
  return isJsonObject(value) ? value : undefined;
}
