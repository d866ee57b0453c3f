import type { DroppedKeys } from '../../lib/dropped-keys.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isUnspaced, maxPlainLength } from '../../lib/plain-texts.ts';
import { plainUsage } from '../../lib/plain-usage.ts';
import { asList, asNumber, asObject, asText, isTag, isTime, metadataText } from './places.ts';

/**
 * How a part of a record is kept without content (D14.5): `word` an id or code, `text` a name, `texts` a list
 * of them, `number`, `time`, `counts` an object of numbers, `metadata` a text that a caller set to describe a call,
 * `bag` an object of them, `address` the scheme, host and port of a URL, `content` what only a project that keeps content
 * keeps.
 */
export type KeptForm =
  | ('word' | 'text' | 'texts' | 'number' | 'time' | 'counts' | 'metadata' | 'bag' | 'address' | 'content')
  | KeptParts;

/** The parts of a record that are kept, by name. */
export interface KeptParts extends ReadonlyMap<string, KeptForm> {}

/** Parts that are kept in the same form. */
export const as = (form: KeptForm, ...names: readonly string[]): [string, KeptForm][] =>
  names.map((name) => [name, form]);

/** The members of a record that are kept. The names of all other non-empty ones are added to `dropped`. */
export function keep(record: JsonObject, parts: KeptParts, prefix: string, dropped: string[]): JsonObject {
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (isEmpty(value)) continue;
    const form = parts.get(name);
    if (form === undefined) dropped.push(prefix + name);
    else if (typeof form === 'object' && isJsonObject(value))
      rest.push([name, keep(value, form, `${prefix}${name}.`, dropped)]);
    else rest.push([name, value]);
  }
  return Object.fromEntries(rest);
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every((inner) => inner === null || inner === ''));

/** Kept parts of a record without what does not have their form. */
export function plainParts(kept: JsonObject, parts: KeptParts, dropped: DroppedKeys, prefix = ''): JsonObject {
  const plain: [string, unknown][] = [];
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined) continue;
    const path = prefix + name;
    const inForm = toForm(value, parts.get(name), dropped, path);
    if (inForm === undefined) dropped.add(path);
    else plain.push([name, inForm]);
  }
  return Object.fromEntries(plain);
}

const isShort = (text: string | undefined): text is string => text !== undefined && text.length <= maxPlainLength;

const isMetadata = (value: unknown): boolean => isShort(metadataText(value));

/** Paths repeat prompts too. */
function originOf(address: string): string | undefined {
  const origin = URL.parse(address)?.origin;
  // What schemes without hosts have.
  return origin === 'null' ? undefined : origin;
}

function toForm(value: unknown, form: KeptForm | undefined, dropped: DroppedKeys, path: string): unknown {
  if (form === undefined) return undefined;
  if (typeof form === 'object') return isJsonObject(value) ? plainParts(value, form, dropped, `${path}.`) : undefined;
  const text = asText(value);
  switch (form) {
    case 'content':
      return undefined;
    case 'word':
      return text !== undefined && isUnspaced(text) ? value : undefined;
    case 'text':
      return isShort(text) ? value : undefined;
    case 'number':
      return asNumber(value) === undefined && typeof value !== 'boolean' ? undefined : value;
    case 'time':
      return isTime(value) ? value : undefined;
    case 'address':
      return isShort(text) ? originOf(text) : undefined;
    case 'texts':
      return asList(value)?.filter((item) => isShort(asText(item)) && isTag(item));
    case 'metadata':
      return isMetadata(value) ? value : undefined;
    case 'bag': {
      const all = Object.entries(asObject(value) ?? {});
      const members = all.filter(([, member]) => isMetadata(member));
      if (members.length > 0) for (const [name, member] of all) if (!isMetadata(member)) dropped.add(`${path}.${name}`);
      return members.length === 0 ? undefined : Object.fromEntries(members);
    }
    case 'counts':
      return plainUsage(asObject(value) ?? asNumber(value), dropped, '', path);
  }
}
