/** Token counts in posted JSON, before they are split into buckets (D3.10), and functions that read them. */

/** Token counts of the prompt, whole numbers; undefined where not reported. */
export type InputCounts = {
  /** The whole prompt: plain, cached, cache-write and every modality. */
  total: number | undefined;
  /** The prompt count as the provider sent it. It is below `total` where the provider's convention leaves parts out. */
  totalAsSent: number | undefined;
  /** Read from the cache, part of `total`. */
  cacheRead: number | undefined;
  /** Written to the cache for any lifetime, part of `total`. */
  cacheWrite: number | undefined;
  /** Written to the cache for the longer lifetime (an hour, 12 hours), part of `cacheWrite`. */
  cacheWrite1h: number | undefined;
  /** By modality, cached or not, part of `total`. */
  audio: number | undefined;
  image: number | undefined;
  video: number | undefined;
  /** By modality, read from the cache, part of `cacheRead`. */
  cacheReadAudio: number | undefined;
  cacheReadImage: number | undefined;
};

/** Token counts of the completion, whole numbers; undefined where not reported. */
export type OutputCounts = {
  /** The whole completion: visible text, reasoning and every modality. */
  total: number | undefined;
  /** The completion as the provider sent it: below `total` where the convention leaves parts out. */
  totalAsSent: number | undefined;
  /** Parts of `total`. */
  reasoning: number | undefined;
  audio: number | undefined;
  image: number | undefined;
  video: number | undefined;
};

export type ReportedCounts = { input: InputCounts; output: OutputCounts };

/** The highest count that is accepted (D3.4). */
export const maxTokens = 1_000_000_000;

/** Whether a value is a whole number from 0 to 10⁹. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens;

export const noInput: Readonly<InputCounts> = {
  total: undefined,
  totalAsSent: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  cacheWrite1h: undefined,
  audio: undefined,
  image: undefined,
  video: undefined,
  cacheReadAudio: undefined,
  cacheReadImage: undefined,
};

export const noOutput: Readonly<OutputCounts> = {
  total: undefined,
  totalAsSent: undefined,
  reasoning: undefined,
  audio: undefined,
  image: undefined,
  video: undefined,
};

/** The sum of the reported counts; undefined when none is reported. */
export function sumReported(...reported: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const count of reported) if (count !== undefined) sum = (sum ?? 0) + count;
  return sum;
}

/** Limits a sum over a list of any length to the highest count that is accepted. */
export function believed(sum: number | undefined): number | undefined {
  return sum === undefined ? undefined : Math.min(sum, maxTokens);
}

export function noneReported(...reported: readonly (number | undefined)[]): boolean {
  return reported.every((count) => count === undefined);
}
