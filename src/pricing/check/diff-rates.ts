import { bucketNames, inputBuckets, outputBuckets } from '../../lib/usage-buckets.ts';
import type { RatesByName } from './listed-rates.ts';

/** A rate that differs between two price lists. Null where a list has no such rate. */
export interface RateChange {
  readonly rate: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The rate that a bucket follows when nothing else is said of it. */
const leaders: ReadonlyMap<string, string> = new Map([
  ...inputBuckets.filter((bucket) => bucket !== 'input').map((bucket) => [bucketNames[bucket], 'input'] as const),
  ...outputBuckets.filter((bucket) => bucket !== 'output').map((bucket) => [bucketNames[bucket], 'output'] as const),
]);

/**
 * What differs between two price lists of a model. A price for large prompts that a list lacks is that for any prompt.
 * A rate that is that of `input` or `output` in both lists, or changes from it to it, is not named beside it.
 */
export function diffRates(before: RatesByName, after: RatesByName): RateChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((rate): RateChange[] => {
    const [was, is] = [rateOf(before, rate), rateOf(after, rate)];
    if (was === is) return [];
    const leader = leaderOf(rate);
    const follows = leader !== undefined && rateOf(before, leader) === was && rateOf(after, leader) === is;
    return follows ? [] : [{ rate, before: was, after: is }];
  });
}

const rateOf = (rates: RatesByName, name: string): string | null =>
  rates.get(name) ?? rates.get(splitName(name).bucket) ?? null;

function leaderOf(name: string): string | undefined {
  const { bucket, suffix } = splitName(name);
  const leader = leaders.get(bucket);
  return leader === undefined ? undefined : `${leader}${suffix}`;
}

function splitName(name: string): { readonly bucket: string; readonly suffix: string } {
  const at = name.indexOf('_above_');
  return at === -1 ? { bucket: name, suffix: '' } : { bucket: name.slice(0, at), suffix: name.slice(at) };
}
