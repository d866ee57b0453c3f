import { type DroppedKeys, isPlainName } from '../../lib/dropped-keys.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isNumberText, isUnspaced, maxPlainLength } from '../../lib/plain-texts.ts';
import { remembered } from '../../lib/remembered.ts';
import type { TagPrefix } from './ecosystem.ts';
import { parseObject, parseText } from './otlp/attributes.ts';
import {
  countObjects,
  emitterNamespaces,
  metadataPrefixes,
  ownPrefix,
  plainCounts,
  plainNames,
  plainNamespaces,
  plainWords,
} from './tables.ts';

/**
 * How an attribute is kept (D14.5): as an id or code; as a name; as an object of counts; as a value that the app set to
 * describe a call; or only if it is a number. Any other attribute may be content.
 */
export type Form = 'word' | 'value' | 'counts' | 'metadata' | 'number' | 'content';

const maxNameLength = 256;
const formOfShort = remembered(findForm);

/** How the tables keep an attribute of this name. */
export const formOf = (name: string): Form => (name.length > maxNameLength ? 'content' : formOfShort(name));

function findForm(name: string): Form {
  if (countObjects.has(name)) return 'counts';
  if (plainNames.has(name)) return 'value';
  if (plainCounts.has(name)) return 'number';
  if (plainWords.has(name)) return 'word';
  if (name.startsWith(ownPrefix)) return 'value';
  if (metadataKeyOf(name, metadataPrefixes) !== undefined) return 'metadata';
  return isWithin(plainNamespaces, name) && isPlainName(name) ? 'number' : 'content';
}

const isWithin = (namespaces: ReadonlySet<string>, name: string): boolean =>
  namespaces.has(name.slice(0, Math.max(0, name.indexOf('.'))));

/** The key of metadata that the app set. What exporters copy there stays what it was before. */
export function metadataKeyOf(name: string, prefixes: readonly TagPrefix[]): string | undefined {
  for (const { prefix, except } of prefixes) {
    if (!name.startsWith(prefix)) continue;
    const key = name.slice(prefix.length);
    if (except?.test(key)) return undefined;
    return isWithin(emitterNamespaces, key) && !['value', 'word'].includes(formOf(key)) ? undefined : key;
  }
  return undefined;
}

/** A value as OTLP has it, without anything that OTLP does not know; undefined if the form rules it out. */
function keepValue(value: unknown, form: Form): JsonObject | undefined {
  if (!isJsonObject(value) || form === 'content') return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue } = value;
  if (typeof boolValue === 'boolean') return { boolValue };
  if (isWholeNumber(intValue)) return { intValue };
  if (typeof doubleValue === 'number' || isNoFiniteNumber(doubleValue)) return { doubleValue };
  if (typeof stringValue === 'string') return keepText(stringValue, form);
  return form === 'value' || form === 'word' ? keepList(arrayValue, form) : undefined;
}

/** The doubles that JSON has as text. */
const isNoFiniteNumber = (value: unknown): boolean => value === 'NaN' || value === 'Infinity' || value === '-Infinity';

export const isWholeNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,20}$/.test(value));

/** Whether a text is kept as the name or id that an attribute of this name holds, or as metadata. */
export function isKeptName(name: string, text: string): boolean {
  const form = formOf(name);
  return (form === 'value' || form === 'word' || form === 'metadata') && keepText(text, form) !== undefined;
}

const maxCountsLength = 8_192;

function keepText(text: string, form: Form): JsonObject | undefined {
  if (form === 'word') return isUnspaced(text) ? { stringValue: text } : undefined;
  if (form === 'number') return isNumberText(text) ? { stringValue: text } : undefined;
  if (form === 'metadata' && holdsObject(text)) return undefined;
  if (form !== 'counts') return text.length <= maxPlainLength ? { stringValue: text } : undefined;
  const counts = text.length <= maxCountsLength ? parseObject(text) : undefined;
  // Written anew, since JSON can hide texts under names that repeat.
  return counts !== undefined && areCounts(counts) ? { stringValue: JSON.stringify(counts) } : undefined;
}

const beginningOfObject = /^[\s"']*(?:\{|[\w.]{1,100}\(\w+=|\[\s*\\?(?:[[{"'\d]|[\w.]{1,100}\())/;

/**
 * Whether a text is an object or a list, as JSON or as Python writes it, also in quotes: libraries put whole answers
 * into what apps use for names, and exporters cut them. A list of single words is not one.
 */
export function holdsObject(text: string): boolean {
  if (!beginningOfObject.test(text)) return false;
  const list = text.length <= maxPlainLength ? parseText(text) : undefined;
  return !Array.isArray(list) || !list.every((item) => typeof item === 'string' && isUnspaced(item));
}

const maxCountsDepth = 8;

/** Whether an object holds nothing but numbers, booleans and nulls, under plain names. */
function areCounts(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'string';
  if (depth > maxCountsDepth) return false;
  return Object.entries(value).every(
    ([name, inner]) => (Array.isArray(value) || isPlainName(name)) && areCounts(inner, depth + 1),
  );
}

function keepList(list: unknown, form: Form): JsonObject | undefined {
  if (!isJsonObject(list) || !Array.isArray(list.values)) return undefined;
  const values: JsonObject[] = [];
  let length = 0;
  for (const item of list.values as readonly unknown[]) {
    const kept = isJsonObject(item) && item.arrayValue === undefined ? keepValue(item, form) : undefined;
    length += typeof kept?.stringValue === 'string' ? kept.stringValue.length : 8;
    if (kept === undefined || length > maxPlainLength) return undefined;
    values.push(kept);
  }
  return { arrayValue: { values } };
}

/** The attributes of a list that the tables allow. The names of the others are noted, after `place`. */
export function keepPlain(list: unknown, dropped: DroppedKeys, place = ''): JsonObject[] {
  const kept: JsonObject[] = [];
  for (const pair of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    if (!isJsonObject(pair) || typeof pair.key !== 'string') continue;
    const value = keepValue(pair.value, formOf(pair.key));
    if (value === undefined) dropped.add(place + pair.key);
    else kept.push({ key: pair.key, value });
  }
  return kept;
}
