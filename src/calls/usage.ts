import { dollar, type Money, parseMoney } from '../lib/money.ts';
import type { inputBuckets, outputBuckets, Usage } from '../lib/usage-buckets.ts';
import { readProviderUsage } from './provider-usage.ts';
import {
  CountReader,
  type InputCounts,
  type JsonObject,
  noInput,
  noOutput,
  type OutputCounts,
  ownObject,
  ownValue,
  type ReportedCounts,
} from './usage-counts.ts';

/** Flags of a reading that coverage counts (D3.4, D3.10). */
type UsageFlags = {
  /** Cache-read and cache-write tokens exceed the prompt count, so the count is taken to exclude them. */
  isReadAsExcludingCache: boolean;
  /** A count was not a whole number from 0 to 10⁹ and was ignored. */
  hasUnusableCounts: boolean;
};

/** What one event reports. `usage` is null when the event has no usable count. */
export type UsageReading = { usage: Usage | null; flags: UsageFlags };

/** Reads the usage that one event reports (D3.10). Never throws. */
export function readUsage(event: JsonObject): UsageReading {
  const counts = new CountReader();
  const flat = readFlatCounts(event, counts);
  const nested = readNestedCounts(event, counts);
  const input = resolveInput(flat, nested?.input);
  const output = resolveOutput(flat, nested?.output);
  const { hasUnusableCounts } = counts;
  if (isUnreported(input) && isUnreported(output)) {
    return { usage: null, flags: { isReadAsExcludingCache: false, hasUnusableCounts } };
  }

  const inputSplit = splitInput(input);
  return {
    usage: { ...inputSplit.usage, ...splitOutput(output) },
    flags: { isReadAsExcludingCache: inputSplit.isReadAsExcludingCache, hasUnusableCounts },
  };
}

/** A call's service tier as its event names it (D5.3), or the empty string. */
export function readServiceTier(event: JsonObject): string {
  const response = ownObject(event, 'response');
  for (const source of [event, response, ownObject(event, 'usage'), ownObject(response, 'usage')]) {
    const tier = source === undefined ? undefined : ownValue(source, 'service_tier');
    if (typeof tier === 'string' && tier !== '') return tier;
  }
  return '';
}

/** The highest cost that an event may report (D3.11). */
const maxReportedCost = 100_000n * dollar;

/** The cost in US dollars that an event reports for its call (D3.11); null unless it is from 0 to 100,000. */
export function readReportedCost(event: JsonObject): Money | null {
  const cost = ownValue(event, 'cost');
  const amount = typeof cost === 'number' ? parseMoney(cost) : null;
  return amount !== null && amount >= 0n && amount <= maxReportedCost ? amount : null;
}

/** Counts at the top level of an event, by OpenAI's convention: totals include their parts. */
type FlatCounts = {
  prompt: number | undefined;
  completion: number | undefined;
  cacheRead: number | undefined;
  cacheWrite: number | undefined;
  inputAudio: number | undefined;
  reasoning: number | undefined;
  outputAudio: number | undefined;
};

function readFlatCounts(event: JsonObject, counts: CountReader): FlatCounts {
  return {
    prompt: counts.read(event, 'prompt_tokens', 'input_tokens'),
    completion: counts.read(event, 'completion_tokens', 'output_tokens'),
    cacheRead: counts.read(event, 'cached_tokens', 'cache_read_tokens'),
    cacheWrite: counts.read(event, 'cache_write_tokens'),
    inputAudio: counts.read(event, 'input_audio_tokens'),
    reasoning: counts.read(event, 'reasoning_tokens'),
    outputAudio: counts.read(event, 'output_audio_tokens'),
  };
}

/** Reads the first provider's usage object that reports a count. */
function readNestedCounts(event: JsonObject, counts: CountReader): ReportedCounts | null {
  const response = ownObject(event, 'response');
  for (const source of [event, response]) {
    for (const name of ['usage', 'usageMetadata', 'usage_metadata']) {
      const usage = ownObject(source, name);
      const reported = usage === undefined ? null : readProviderUsage(usage, counts);
      if (reported !== null) return reported;
    }
  }
  return null;
}

/** Flat counts win over nested ones; see `isOutvoted`. */
function resolveInput(flat: FlatCounts, nested: InputCounts | undefined): InputCounts {
  const base = nested === undefined || isOutvoted(flat.prompt, nested) ? noInput : nested;
  return {
    ...base,
    total: base.total ?? flat.prompt,
    cacheRead: flat.cacheRead ?? base.cacheRead,
    cacheWrite: flat.cacheWrite ?? base.cacheWrite,
    audio: flat.inputAudio ?? base.audio,
  };
}

function resolveOutput(flat: FlatCounts, nested: OutputCounts | undefined): OutputCounts {
  const base = nested === undefined || isOutvoted(flat.completion, nested) ? noOutput : nested;
  return {
    ...base,
    total: base.total ?? flat.completion,
    reasoning: flat.reasoning ?? base.reasoning,
    audio: flat.outputAudio ?? base.audio,
  };
}

/**
 * Whether the flat count contradicts the nested one of the same side. If it does, the nested side is ignored with its
 * parts, because they belong to another total. A flat count equal to the nested one keeps the nested parts and the
 * provider's convention.
 */
function isOutvoted(
  flatTotal: number | undefined,
  nested: { total: number | undefined; totalAsSent: number | undefined },
) {
  return flatTotal !== undefined && flatTotal !== nested.total && flatTotal !== nested.totalAsSent;
}

function isUnreported(side: Readonly<Record<string, number | undefined>>): boolean {
  for (const name in side) if (side[name] !== undefined) return false;
  return true;
}

/**
 * Splits a prompt into its buckets. A part larger than its whole is cut to it, so no bucket is negative and no token
 * counts twice.
 */
function splitInput(counts: InputCounts): {
  usage: Record<(typeof inputBuckets)[number], number>;
  isReadAsExcludingCache: boolean;
} {
  const { cacheRead = 0, cacheWrite = 0 } = counts;
  const isReadAsExcludingCache = counts.total !== undefined && cacheRead + cacheWrite > counts.total;
  const cachedAudio = counts.cacheReadAudio ?? 0;
  const cachedImage = counts.cacheReadImage ?? 0;
  const reportedMedia = [
    Math.max((counts.audio ?? 0) - cachedAudio, 0),
    Math.max((counts.image ?? 0) - cachedImage, 0),
    counts.video ?? 0,
  ];

  // Tokens neither read from the cache nor written to it. Without a total, only the media counts are known.
  const fresh = new Allotment(uncached(counts, isReadAsExcludingCache) ?? sum(reportedMedia));
  const read = new Allotment(cacheRead);
  const cacheReadAudio = read.take(cachedAudio);
  const cacheReadImage = read.take(cachedImage);
  const [audio = 0, image = 0, video = 0] = reportedMedia;
  const inputAudio = fresh.take(audio);
  const inputImage = fresh.take(image);
  const inputVideo = fresh.take(video);
  const cacheWrite1h = Math.min(counts.cacheWrite1h ?? 0, cacheWrite);
  // Media beyond the uncached part can only have been read from the cache.
  const furtherCachedAudio = read.take(audio - inputAudio);
  const furtherCachedImage = read.take(image - inputImage);
  return {
    usage: {
      input: fresh.rest,
      cacheRead: read.rest,
      cacheWrite: cacheWrite - cacheWrite1h,
      cacheWrite1h,
      inputAudio,
      cacheReadAudio: cacheReadAudio + furtherCachedAudio,
      inputImage,
      cacheReadImage: cacheReadImage + furtherCachedImage,
      inputVideo,
    },
    isReadAsExcludingCache,
  };
}

function uncached(counts: InputCounts, isReadAsExcludingCache: boolean): number | undefined {
  if (counts.total === undefined) return undefined;
  return isReadAsExcludingCache ? counts.total : counts.total - (counts.cacheRead ?? 0) - (counts.cacheWrite ?? 0);
}

function splitOutput(counts: OutputCounts): Record<(typeof outputBuckets)[number], number> {
  const { audio = 0, image = 0, video = 0, reasoning = 0 } = counts;
  const completion = new Allotment(counts.total ?? audio + image + video + reasoning);
  const outputAudio = completion.take(audio);
  const outputImage = completion.take(image);
  const outputVideo = completion.take(video);
  const reasoningTokens = completion.take(reasoning);
  return { output: completion.rest, reasoning: reasoningTokens, outputAudio, outputImage, outputVideo };
}

/** A number of tokens to take parts from. A part is at most what is left. */
class Allotment {
  rest: number;

  constructor(tokens: number) {
    this.rest = tokens;
  }

  take(tokens: number): number {
    const taken = Math.min(tokens, this.rest);
    this.rest -= taken;
    return taken;
  }
}

function sum(tokens: readonly number[]): number {
  return tokens.reduce((total, count) => total + count, 0);
}
