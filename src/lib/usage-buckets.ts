/**
 * The disjoint buckets of a call's usage, in whole tokens. Every token is in exactly one bucket, and every bucket has one unit price.
 * The input buckets add up to the whole prompt and the output buckets to the whole completion, as the provider bills them.
 */
export const inputBuckets = [
  /** Text that is neither read from nor written to the cache, and media that the provider doesn't report separately. */
  'input',
  /** Read from the prompt cache, except tokens known to be audio or images: `cacheReadAudio`, `cacheReadImage`. */
  'cacheRead',
  /** Written to the prompt cache for the provider's usual lifetime (Anthropic: 5 minutes). */
  'cacheWrite',
  /** Written to the prompt cache for longer, at a price of its own: an hour (Anthropic, Bedrock), 12 hours (OpenAI). */
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
  /** Reasoning that the provider bills and counts separately. */
  'reasoning',
  'outputAudio',
  'outputImage',
  'outputVideo',
] as const;

export const usageBuckets = [...inputBuckets, ...outputBuckets] as const;

export type UsageBucket = (typeof usageBuckets)[number];

/** Tokens by bucket: whole numbers from 0 to 2 × 10⁹. */
export type Usage = Record<UsageBucket, number>;

/** The tokens that another model used within a call, such as an advisor or a tool. The name is empty if it isn't known. */
export type OtherUsage = {
  readonly model: string;
  readonly usage: Usage;
  /** Whether the call's own usage has these tokens too, because the models it names did all of its work. */
  readonly isPart?: true | undefined;
};

/** The buckets' names in the API and the store: `cacheRead` is `cache_read`. */
export const bucketNames = Object.fromEntries(
  usageBuckets.map((bucket) => [bucket, bucket.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`)]),
) as Readonly<Record<UsageBucket, string>>;
