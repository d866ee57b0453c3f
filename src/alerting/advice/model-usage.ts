import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';

/** What the calls of a model used and cost, as `POST /api/usage/` and `POST /api/costs/` show it. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly unpricedCalls: number;
  /** By bucket, with the API's names. */
  readonly tokens: Readonly<Record<string, number>>;
  /** USD. */
  readonly cost: number;
}

export const sumTokens = ({ tokens }: Pick<ModelUsage, 'tokens'>): number =>
  usageBuckets.reduce((sum, bucket) => sum + (tokens[bucketNames[bucket]] ?? 0), 0);
