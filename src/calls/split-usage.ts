import type { inputBuckets, outputBuckets } from '../lib/usage-buckets.ts';
import type { InputCounts, OutputCounts } from './usage-counts.ts';

/**
 * Splits a prompt into its buckets. A part larger than its whole is cut to it, so no bucket is negative and no token
 * counts twice.
 */
export function splitInput(counts: InputCounts): {
  usage: Record<(typeof inputBuckets)[number], number>;
  isReadAsExcludingCache: boolean;
  /** The counts that are not used whole, because they contradict the others. */
  cut: readonly (keyof InputCounts)[];
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
    cut: cutOf([
      ['cacheWrite1h', (counts.cacheWrite1h ?? 0) > cacheWrite],
      ['cacheReadAudio', cacheReadAudio < cachedAudio || (cachedAudio > 0 && furtherCachedAudio > 0)],
      ['cacheReadImage', cacheReadImage < cachedImage || (cachedImage > 0 && furtherCachedImage > 0)],
      ['audio', (counts.audio ?? 0) > 0 && audio !== inputAudio + furtherCachedAudio],
      ['audio', cachedAudio > (counts.audio ?? cachedAudio)],
      ['image', (counts.image ?? 0) > 0 && image !== inputImage + furtherCachedImage],
      ['image', cachedImage > (counts.image ?? cachedImage)],
      ['video', video !== inputVideo],
    ]),
  };
}

const none: readonly never[] = [];

/** The names whose condition holds. */
function cutOf<Name>(conditions: readonly (readonly [Name, boolean])[]): readonly Name[] {
  const cut = conditions.filter(([, isCut]) => isCut);
  return cut.length === 0 ? none : cut.map(([name]) => name);
}

function uncached(counts: InputCounts, isReadAsExcludingCache: boolean): number | undefined {
  if (counts.total === undefined) return undefined;
  return isReadAsExcludingCache ? counts.total : counts.total - (counts.cacheRead ?? 0) - (counts.cacheWrite ?? 0);
}

export function splitOutput(counts: OutputCounts): {
  usage: Record<(typeof outputBuckets)[number], number>;
  cut: readonly (keyof OutputCounts)[];
} {
  const { audio = 0, image = 0, video = 0, reasoning = 0 } = counts;
  const completion = new Allotment(counts.total ?? audio + image + video + reasoning);
  const outputAudio = completion.take(audio);
  const outputImage = completion.take(image);
  const outputVideo = completion.take(video);
  const reasoningTokens = completion.take(reasoning);
  return {
    usage: { output: completion.rest, reasoning: reasoningTokens, outputAudio, outputImage, outputVideo },
    cut: cutOf([
      ['audio', outputAudio < audio],
      ['image', outputImage < image],
      ['video', outputVideo < video],
      ['reasoning', reasoningTokens < reasoning],
    ]),
  };
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
