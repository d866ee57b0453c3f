import type { inputBuckets, outputBuckets, Usage } from '../lib/usage-buckets.ts';
import type { InputCounts, OutputCounts } from './readers/usage-counts.ts';

/** Splits a prompt. A part larger than its whole is cut to it, so no bucket is negative or counts twice. */
export function splitInput(counts: InputCounts): {
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
  // Media tokens that don't fit into the uncached part must have been read from the cache.
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

export function splitOutput(counts: OutputCounts): Record<(typeof outputBuckets)[number], number> {
  const { audio = 0, image = 0, video = 0, reasoning = 0 } = counts;
  const completion = new Allotment(counts.total ?? audio + image + video + reasoning);
  const outputAudio = completion.take(audio);
  const outputImage = completion.take(image);
  const outputVideo = completion.take(video);
  const reasoningTokens = completion.take(reasoning);
  return { output: completion.rest, reasoning: reasoningTokens, outputAudio, outputImage, outputVideo };
}

/** The input counts that are not fully used, because they contradict the others. */
export function cutInput(counts: InputCounts, usage: Usage): (keyof InputCounts)[] {
  const cut: (keyof InputCounts)[] = [];
  if ((counts.cacheWrite1h ?? 0) > usage.cacheWrite1h) cut.push('cacheWrite1h');
  if (isOther(counts.cacheReadAudio, usage.cacheReadAudio)) cut.push('cacheReadAudio');
  if (isOther(counts.cacheReadImage, usage.cacheReadImage)) cut.push('cacheReadImage');
  if (isMediumCut(counts.audio, counts.cacheReadAudio, usage.inputAudio + usage.cacheReadAudio)) cut.push('audio');
  if (isMediumCut(counts.image, counts.cacheReadImage, usage.inputImage + usage.cacheReadImage)) cut.push('image');
  if (isOther(counts.video, usage.inputVideo)) cut.push('video');
  return cut;
}

/** The output counts that are not fully used, because they contradict the others. */
export function cutOutput(counts: OutputCounts, usage: Usage): (keyof OutputCounts)[] {
  const cut: (keyof OutputCounts)[] = [];
  if (isOther(counts.audio, usage.outputAudio)) cut.push('audio');
  if (isOther(counts.image, usage.outputImage)) cut.push('image');
  if (isOther(counts.video, usage.outputVideo)) cut.push('video');
  if (isOther(counts.reasoning, usage.reasoning)) cut.push('reasoning');
  return cut;
}

const isOther = (count: number | undefined, used: number): boolean =>
  count !== undefined && count > 0 && count !== used;

/** Whether some of a medium's tokens are not used, or whether more of them are cached than there are. */
const isMediumCut = (count = 0, cached = 0, used = 0): boolean => count > 0 && (cached > count || used !== count);

/** A number of tokens to take parts from. A part has at most the remaining tokens. */
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
