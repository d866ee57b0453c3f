import { parseRate, spreadRates, type UnitRates } from './rates.ts';

/** A project's own price for a model (D5.3). Rates are decimal text, at least 0, with at most 6 fractional digits. */
export type PriceOverride = {
  id: string;
  /** Matches without regard to case; null matches every provider. */
  provider: string | null;
  /** A model's name, or a prefix of names if it ends in `*`. */
  model: string;
  /** Null matches every service tier. */
  serviceTier: string | null;
  /** First and last day on which it is valid (YYYY-MM-DD in the project's timezone, both inclusive); null is unbounded. */
  effectiveFrom: string | null;
  effectiveTo: string | null;
  /** US dollars per million tokens; a null rate falls back to the override's own input or output rate. */
  inputPerMtok: string;
  outputPerMtok: string;
  cacheReadPerMtok: string | null;
  cacheWritePerMtok: string | null;
  inputAudioPerMtok: string | null;
  outputAudioPerMtok: string | null;
  reasoningPerMtok: string | null;
  /** US dollars per call that reports usage; null is none. */
  perRequest: string | null;
  /** Milliseconds since 1970. */
  createdAt: number;
};

/** The fields of a call that select its override. An absent service tier is the empty string. */
export type OverrideSubject = {
  provider: string;
  model: string;
  serviceTier: string;
  /** YYYY-MM-DD in the project's timezone. */
  day: string;
};

/**
 * The override that prices a call: the most specific one valid on its day (D5.3). An exact model comes before a prefix and a longer
 * prefix before a shorter one; then one with a provider, then one with a service tier, then the newest.
 */
export function resolveOverride(overrides: readonly PriceOverride[], subject: OverrideSubject): PriceOverride | null {
  return (
    sortBySpecificity(overrides).find((override) => isMatch(override, subject) && isValidOn(override, subject.day)) ??
    null
  );
}

/** Most specific first, independent of the order of `overrides`. */
export function sortBySpecificity(overrides: readonly PriceOverride[]): readonly PriceOverride[] {
  return overrides.toSorted(
    (a, b) =>
      modelRank(b.model) - modelRank(a.model) ||
      Number(b.provider !== null) - Number(a.provider !== null) ||
      Number(b.serviceTier !== null) - Number(a.serviceTier !== null) ||
      b.createdAt - a.createdAt ||
      (b.id < a.id ? -1 : 1),
  );
}

/** Whether the override matches the call, on any day. */
export function isMatch(
  override: PriceOverride,
  { provider, model, serviceTier }: Omit<OverrideSubject, 'day'>,
): boolean {
  const prefix = override.model.endsWith('*') ? override.model.slice(0, -1) : null;
  return (
    (prefix === null ? model === override.model : model.startsWith(prefix)) &&
    (override.provider === null || override.provider.toLowerCase() === provider.toLowerCase()) &&
    (override.serviceTier === null || override.serviceTier === serviceTier)
  );
}

export function isValidOn({ effectiveFrom, effectiveTo }: PriceOverride, day: string): boolean {
  return (effectiveFrom === null || effectiveFrom <= day) && (effectiveTo === null || day <= effectiveTo);
}

/** The override's unit prices. Kinds of tokens without a field cost the same as their wider kind. */
export function readOverrideRates(override: PriceOverride): UnitRates {
  const rate = (text: string | null) => (text === null ? null : parseRate(text));
  return spreadRates({
    input: parseRate(override.inputPerMtok),
    output: parseRate(override.outputPerMtok),
    cacheRead: rate(override.cacheReadPerMtok),
    cacheWrite: rate(override.cacheWritePerMtok),
    cacheWrite1h: null,
    inputAudio: rate(override.inputAudioPerMtok),
    cacheReadAudio: null,
    inputImage: null,
    cacheReadImage: null,
    inputVideo: null,
    reasoning: rate(override.reasoningPerMtok),
    outputAudio: rate(override.outputAudioPerMtok),
    outputImage: null,
    outputVideo: null,
    perRequest: rate(override.perRequest),
  });
}

function modelRank(model: string): number {
  return model.endsWith('*') ? model.length - 1 : Number.POSITIVE_INFINITY;
}
