import { type JsonObject, ownValue } from '../../../lib/json-object.ts';
import { maxTokens } from '../../../usage/readers/usage-counts.ts';
import { PageFault } from './part.ts';

/** A count of a result; 0 if it is missing. @throws PageFault if it is not a whole number from 0 */
export function countOf(result: JsonObject, name: string): number {
  const value = ownValue(result, name) ?? 0;
  if (!Number.isSafeInteger(value) || Number(value) < 0)
    throw new PageFault(`has a count that is not a whole number: ${name}`);
  return Number(value);
}

/** Counts that add up to these, none above what an event may have: almost always one part. */
export function splitCounts<Counts extends Readonly<Record<string, number>>>(counts: Counts): Counts[] {
  const parts = Math.max(1, Math.ceil(Math.max(...Object.values(counts)) / maxTokens));
  const share = (count: number, part: number) =>
    Number((BigInt(count) * BigInt(part + 1)) / BigInt(parts) - (BigInt(count) * BigInt(part)) / BigInt(parts));
  return Array.from(
    { length: parts },
    // The names are those of the counts.
    (_, part) =>
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, share(count, part)])) as Counts,
  );
}
