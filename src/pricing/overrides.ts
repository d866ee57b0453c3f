import { type Terms, termNames, type UnitName, unitNames } from '../lib/units.ts';
import {
  type PriceSource,
  parseRate,
  spreadRates,
  type TokenPrice,
  type TokenRates,
  toPlainPrice,
  type UnitPrice,
} from './rates.ts';

/** A project's own price for a model (D5.3). Rates are decimal text, at least 0, with at most 6 fractional digits. */
export type PriceOverride = {
  id: string;
  /** Matches without regard to case; null matches every provider. */
  provider: string | null;
  /** A model's name, or a prefix of names if it ends in `*`. */
  model: string;
  /** Matches calls that name all of these terms, without regard to case. */
  terms: Terms;
  /** Its first and last valid day, inclusive, as YYYY-MM-DD in the project's timezone; null is unbounded. */
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
  /** US dollars for one of a unit. Units that the override does not name keep their list price. */
  units: OverrideUnits;
  /** Milliseconds since 1970. */
  createdAt: number;
};

export type OverrideRates = Pick<PriceOverride, Extract<keyof PriceOverride, `${string}PerMtok`> | 'perRequest'>;

/** An override that is not in force yet. */
export type NewOverride = Omit<PriceOverride, 'id' | 'createdAt'>;

/** Units whose price an override can set here. The price of requests is `perRequest`. */
type OverrideUnit = Exclude<UnitName, 'requests'>;
export const overrideUnits = unitNames.filter((name): name is OverrideUnit => name !== 'requests');
type OverrideUnits = Readonly<Partial<Record<OverrideUnit, string>>>;

export type OverrideSubject = {
  provider: string;
  model: string;
  terms: Terms;
  /** YYYY-MM-DD in the project's timezone. */
  day: string;
};

/**
 * The override that prices a call: the most specific one that is valid on its day (D5.3). An exact model beats a
 * prefix, and a longer prefix beats a shorter one. After that an override with a provider wins, then one with more
 * terms, then the newest.
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
      countTerms(b) - countTerms(a) ||
      b.createdAt - a.createdAt ||
      (b.id < a.id ? -1 : 1),
  );
}

const countTerms = ({ terms }: PriceOverride): number => Object.keys(terms).length;

/** Whether the override matches the call, on any day. Both must write terms in the same case. */
export function isMatch(override: PriceOverride, { provider, model, terms }: Omit<OverrideSubject, 'day'>): boolean {
  return (
    isForModel(override, model) &&
    (override.provider === null || override.provider.toLowerCase() === provider.toLowerCase()) &&
    termNames.every((name) => override.terms[name] === undefined || override.terms[name] === terms[name])
  );
}

/** Whether the override is for the model, with any provider and terms and on any day. */
export const isForModel = (override: PriceOverride, model: string): boolean =>
  override.model.endsWith('*') ? model.startsWith(override.model.slice(0, -1)) : model === override.model;

export function isValidOn({ effectiveFrom, effectiveTo }: PriceOverride, day: string): boolean {
  return (effectiveFrom === null || effectiveFrom <= day) && (effectiveTo === null || day <= effectiveTo);
}

export type OpenedOverride = {
  readonly override: PriceOverride;
  readonly tokens: TokenPrice;
  readonly units: ReadonlyMap<UnitName, UnitPrice>;
};

/** Prepares an override for lookups. Its prices are final: no term of a call changes them. */
export function openOverride(override: PriceOverride): OpenedOverride {
  const source: PriceSource = { kind: 'override', overrideId: override.id };
  const rates = readOverrideRates(override);
  const plain = { terms: [], unknownTerms: [] };
  const units = overrideUnits.flatMap((name) => {
    const usd = override.units[name];
    if (usd === undefined) return [];
    return [[name, toPlainPrice(parseRate(usd), source)] as const];
  });
  return {
    override,
    tokens: {
      ...plain,
      rates,
      source,
      seller: '',
      cacheWrite: plain,
      request: rates.perRequest && toPlainPrice(rates.perRequest, source),
    },
    units: new Map<UnitName, UnitPrice>(units),
  };
}

/** The override's token rates. A kind of token without a field costs the same as its wider kind. */
export function readOverrideRates(override: OverrideRates): TokenRates {
  const rate = (text: string | null) => (text === null ? null : parseRate(text));
  return spreadRates({
    input: parseRate(override.inputPerMtok),
    output: parseRate(override.outputPerMtok),
    cacheRead: rate(override.cacheReadPerMtok),
    cacheWrite: rate(override.cacheWritePerMtok),
    inputAudio: rate(override.inputAudioPerMtok),
    reasoning: rate(override.reasoningPerMtok),
    outputAudio: rate(override.outputAudioPerMtok),
    perRequest: rate(override.perRequest),
  });
}

function modelRank(model: string): number {
  return model.endsWith('*') ? model.length - 1 : Number.POSITIVE_INFINITY;
}
