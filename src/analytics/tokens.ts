import { z } from 'zod';
import { bucketNames, usageBuckets } from '../lib/usage-buckets.ts';

/** Token counts by bucket in the names of the API: each token is in exactly one. */
export const tokensSchema = z.object(
  Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().int()])),
);

/** The counts as they are answered, out of texts in the order of the store's columns; 0 for those left out. */
export const toTokens = (counts: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(usageBuckets.map((bucket, index) => [bucketNames[bucket], Number(counts[index] ?? 0)]));
