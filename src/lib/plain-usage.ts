import { type DroppedKeys, isPlainName } from './dropped-keys.ts';
import { isNumberText, isWord } from './plain-texts.ts';
import { termNames } from './units.ts';

/** The members of usage objects whose values are words: terms of the price, and what a count counts. */
const wordMembers: ReadonlySet<string> = new Set([
  ...termNames,
  ...['serviceTier', 'inference_geo', 'traffic_type', 'trafficType', 'data_residency', 'vertex_location'],
  ...['modality', 'type', 'model', 'unit', 'object', 'latency'],
]);
const maxWordLength = 64;
const maxDepth = 12;

/** In place of a count that is a text: it is told in coverage like any other count that can't be used. */
const notACount = 'not a number';

/** A usage object's numbers and words that change the price, alone: senders may put other texts beside them. */
export function plainUsage(usage: unknown, dropped: DroppedKeys, name = '', path = 'usage', depth = maxDepth): unknown {
  if (typeof usage === 'number' || typeof usage === 'boolean' || usage === null) return usage;
  if (typeof usage === 'string') {
    if (isNumberText(usage)) return usage;
    if (wordMembers.has(name) && usage.length <= maxWordLength && isWord(usage)) return usage;
    dropped.add(path);
    return name.endsWith('_tokens') ? notACount : undefined;
  }
  if (typeof usage !== 'object') return undefined;
  if (depth === 0) {
    dropped.add(path);
    return undefined;
  }
  if (Array.isArray(usage)) {
    return usage.map((item: unknown) => plainUsage(item, dropped, name, path, depth - 1) ?? null);
  }
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(usage)) {
    if (!isPlainName(key)) {
      dropped.add(key);
      continue;
    }
    const plain = plainUsage(value, dropped, key, `${path}.${key}`, depth - 1);
    if (plain !== undefined) kept.push([key, plain]);
  }
  return Object.fromEntries(kept);
}
