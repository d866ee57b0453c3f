/**
 * The disjoint buckets of a call's usage, whole tokens each; every token is in exactly one, and every bucket has one unit price.
 * The sum of the input buckets is the whole prompt, that of the output buckets the whole completion, as the provider bills them.
 */
export const inputBuckets = [
  /** Text that is neither cached nor written to the cache, and media that the provider doesn't tell apart. */
  'input',
  /** Read from the prompt cache; `cacheReadAudio` and `cacheReadImage` hold what of it is known to be media. */
  'cacheRead',
  /** Written to the prompt cache for the provider's usual lifetime (Anthropic: 5 minutes). */
  'cacheWrite',
  /** Written to the prompt cache for an hour (Anthropic and Bedrock price it apart). */
  'cacheWrite1h',
  'inputAudio',
  'cacheReadAudio',
  'inputImage',
  'cacheReadImage',
  'inputVideo',
] as const;

export const outputBuckets = [
  /** Visible text. */
  'output',
  /** Reasoning that the provider bills and counts apart. */
  'reasoning',
  'outputAudio',
  'outputImage',
  'outputVideo',
] as const;

export const usageBuckets = [...inputBuckets, ...outputBuckets] as const;

export type UsageBucket = (typeof usageBuckets)[number];

/** Tokens by bucket: whole numbers from 0 to 2 × 10⁹. */
export type Usage = Record<UsageBucket, number>;

/** The buckets in the names of the API and of the store: `cacheRead` is `cache_read`. */
export const bucketNames = Object.fromEntries(
  usageBuckets.map((bucket) => [bucket, bucket.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`)]),
) as Readonly<Record<UsageBucket, string>>;
