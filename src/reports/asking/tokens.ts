import { z } from 'zod';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';

/** Token counts by bucket, with the API's names: each token is in exactly one bucket. */
export const tokensSchema = z.object(
  Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().int()])),
);

/** Converts counts, as text in the order of the store's columns, to the API's form; missing counts are 0. */
export const toTokens = (counts: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(usageBuckets.map((bucket, index) => [bucketNames[bucket], Number(counts[index] ?? 0)]));
