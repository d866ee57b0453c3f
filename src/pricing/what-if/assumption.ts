import { parseJson } from '../../lib/json.ts';
import type { NewOverride } from '../overrides.ts';

/** What a what-if assumes about prices and calls (D22). Parts without an assumption are empty or null. */
export type Assumption = {
  /** The models that replace those of calls, by the names in the calls. */
  readonly models: ReadonlyMap<string, string>;
  /** They count as newer than those of the project; the last one is the newest. */
  readonly overrides: readonly NewOverride[];
  /** The share of the input tokens that is read from the cache: decimal text from 0 to 1. */
  readonly cachedShare: string | null;
  /** In lower case, as terms are. */
  readonly serviceTier: string | null;
};

/** Stores `models` as pairs, because an object would lose the key `__proto__`. */
type StoredAssumption = Omit<Assumption, 'models'> & { readonly models: readonly (readonly [string, string])[] };

export const writeAssumption = (assumption: Assumption): string =>
  JSON.stringify({ ...assumption, models: [...assumption.models] } satisfies StoredAssumption);

export function readAssumption(text: string): Assumption {
  const stored = parseJson(text) as StoredAssumption;
  return { ...stored, models: new Map(stored.models) };
}
