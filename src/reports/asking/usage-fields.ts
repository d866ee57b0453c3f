import { z } from 'zod';
import { parseMoney, toJsonNumber } from '../../lib/money.ts';
import { unitNames } from '../../lib/units.ts';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';

/** The billable units of calls other than tokens, with the API's names. */
export const unitsSchema = z
  .partialRecord(z.enum(unitNames), z.number())
  .describe('What the provider charges for besides tokens, by unit; only units that were used.');

/** Counts by unit as the store returns them: decimal text. */
export type UnitCounts = Readonly<Record<string, string>>;

export const toUnits = (counts: UnitCounts = {}): z.input<typeof unitsSchema> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, toJsonNumber(parseMoney(count) ?? 0n)]));

/** Token counts by bucket, with the API's names: each token is in exactly one bucket. */
export const tokensSchema = z.object(
  Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().int()])),
);

/** Converts counts, as text in the order of the store's columns, to the API's form; missing counts are 0. */
export const toTokens = (counts: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(usageBuckets.map((bucket, index) => [bucketNames[bucket], Number(counts[index] ?? 0)]));
