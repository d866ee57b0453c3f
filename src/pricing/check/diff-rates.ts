import { bucketNames, inputBuckets, outputBuckets } from '../../lib/usage-buckets.ts';
import type { RatesByName } from './listed-rates.ts';

/** A rate that differs between two price lists; null if a list lacks it. */
export interface RateChange {
  readonly rate: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** For each bucket, the wider kinds of tokens whose rate applies if the bucket has none. */
const leaders = new Map<string, readonly string[]>([
  ...inputBuckets.map((bucket) => [bucketNames[bucket], ['input', 'cache_read', 'cache_write']] as const),
  ...outputBuckets.map((bucket) => [bucketNames[bucket], ['output']] as const),
  // These come last, so that they replace entries from above.
  ['input', []],
  ['output', []],
  ['cache_read', ['input']],
  ['cache_write', ['input']],
]);

/**
 * The differences between two price lists of a model. If a list has no price for large prompts, its price for any
 * prompt applies. A rate that changes like the rate of its wider kind of token is not listed.
 */
export function diffRates(before: RatesByName, after: RatesByName): RateChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((rate): RateChange[] => {
    const [was, is] = [rateOf(before, rate), rateOf(after, rate)];
    if (was === is) return [];
    const follows = leadersOf(rate).some((leader) => rateOf(before, leader) === was && rateOf(after, leader) === is);
    return follows ? [] : [{ rate, before: was, after: is }];
  });
}

const rateOf = (rates: RatesByName, name: string): string | null =>
  rates.get(name) ?? rates.get(splitName(name).bucket) ?? null;

function leadersOf(name: string): string[] {
  const { bucket, suffix } = splitName(name);
  return (leaders.get(bucket) ?? []).map((leader) => `${leader}${suffix}`);
}

function splitName(name: string): { readonly bucket: string; readonly suffix: string } {
  const at = name.indexOf('_above_');
  return at === -1 ? { bucket: name, suffix: '' } : { bucket: name.slice(0, at), suffix: name.slice(at) };
}
