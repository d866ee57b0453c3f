import { parseJson } from '../lib/json.ts';
import { contentOf } from './content.ts';
import { type Attributes, isJson } from './otlp/attributes.ts';
import { metadataObjects, metadataPrefixes, tagRows } from './tables.ts';

/** The bounds of tags in events (D3.5). Longer values can't be tags. */
const maxKeyLength = 128;
const maxValueLength = 1_024;

/** Attributes with this prefix are tags without it: `farthing.customer` is the tag `customer`. */
const ownPrefix = 'farthing.';

/**
 * The tags of a call (D14.4), in this order: attributes `farthing.…` of the span, the customary names for customer,
 * user, session and feature, and metadata; then the same of the enclosing spans, the nearest first, and of the
 * resource. The first value of a tag counts.
 */
export function readTags(sources: readonly Attributes[], maxTags: number): Record<string, string> {
  const tags = new Map<string, string>();
  const add = (key: string, value: unknown): void => {
    if (tags.has(key) || tags.size >= maxTags || key === '' || key.length > maxKeyLength) return;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text === 'string' && text !== '' && text.length <= maxValueLength) tags.set(key, text);
  };
  for (const source of sources) {
    for (const [name, value] of source) if (name.startsWith(ownPrefix)) add(name.slice(ownPrefix.length), value);
    for (const [tag, names] of tagRows) for (const name of names) add(tag, source.get(name));
    addMetadata(source, add);
  }
  return Object.fromEntries(tags);
}

function addMetadata(source: Attributes, add: (key: string, value: unknown) => void): void {
  for (const [name, value] of source) {
    const found = metadataPrefixes.find(({ prefix }) => name.startsWith(prefix));
    if (found === undefined) continue;
    const key = name.slice(found.prefix.length);
    if (!found.except?.includes(key) && contentOf(name) === undefined) add(key, value);
  }
  for (const name of metadataObjects) {
    const text = source.get(name);
    const object = typeof text === 'string' ? parseObject(text) : undefined;
    for (const [key, value] of Object.entries(object ?? {})) add(key, value);
  }
}

/** The object in a JSON text; undefined if the text holds anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
