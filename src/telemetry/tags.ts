import { type Attributes, parseObject } from './otlp/attributes.ts';
import { metadataKeyOf } from './plain-attributes.ts';
import { metadataObjects, ownPrefix, tagPrefixes, tagRows } from './tables.ts';

/** The bounds of tags in events (D3.5). Longer values can't be tags. */
const maxKeyLength = 128;
const maxValueLength = 1_024;

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
    const key = metadataKeyOf(name, tagPrefixes);
    if (key !== undefined) add(key, value);
  }
  for (const name of metadataObjects) {
    const text = source.get(name);
    const object = typeof text === 'string' ? parseObject(text) : undefined;
    for (const [key, value] of Object.entries(object ?? {})) add(key, value);
  }
}
