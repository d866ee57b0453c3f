import { bucketNames, usageBuckets } from '../../../lib/usage-buckets.ts';

/** The columns of `calls` and of cells that hold token counts, one for each bucket of a call's usage. */
export const usageColumns: readonly string[] = usageBuckets.map((bucket) => `${bucketNames[bucket]}_tokens`);
