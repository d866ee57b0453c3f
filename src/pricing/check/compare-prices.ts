import type { Catalogue } from '../catalogue.ts';
import { diffRates, type RateChange } from './diff-rates.ts';
import type { ListedRates, ModelName } from './listed-rates.ts';
import type { SourceModel } from './second-source.ts';

export type FindingKind =
  /** The second source has another price than the catalogue in force. */
  | 'disagrees'
  /** The second source has a price, and the catalogue in force has none. */
  | 'missing'
  /** A newer catalogue has a different price, a first price, or no price any more. */
  | 'changed';

export interface PriceFinding extends ModelName {
  readonly finding: FindingKind;
  /** `before` is the rate of the catalogue in force. */
  readonly rates: readonly RateChange[];
}

export type FindRates = (name: ModelName) => ListedRates | undefined;

/** The models of a second source whose price is missing or different in the catalogue in force. */
export function compareWithSource(models: readonly SourceModel[], find: FindRates): PriceFinding[] {
  return models.flatMap(({ provider, model, rates }): PriceFinding[] => {
    const listed = find({ provider, model });
    if (!listed) {
      const missing = [...rates].map(([rate, after]): RateChange => ({ rate, before: null, after }));
      return [{ finding: 'missing', provider, model, rates: missing }];
    }
    // Compare only the rates that the source names.
    const differing = [...rates].flatMap(([rate, after]): RateChange[] => {
      const before = listed.rates.get(rate) ?? null;
      return before === after ? [] : [{ rate, before, after }];
    });
    return differing.length === 0 ? [] : [{ finding: 'disagrees', provider, model, rates: differing }];
  });
}

/** The models whose price a newer catalogue changes, each once, under the names of its entry. */
export function compareCatalogues(names: Iterable<ModelName>, inForce: FindRates, newer: FindRates): PriceFinding[] {
  const found = new Map<string, PriceFinding>();
  for (const name of names) {
    const [before, after] = [inForce(name), newer(name)];
    const entry = after ?? before;
    if (!entry) continue;
    const rates = diffRates(before?.rates ?? new Map(), after?.rates ?? new Map());
    if (rates.length === 0) continue;
    const { provider, entry: model } = entry;
    found.set(JSON.stringify([provider, model]), { finding: 'changed', provider, model, rates });
  }
  return [...found.values()];
}

/** The names of the entries that differ between two catalogues. All other entries have the same prices. */
export function listRewrittenEntries(before: Catalogue, after: Catalogue): ModelName[] {
  const written = (catalogue: Catalogue): Map<string, { readonly name: ModelName; readonly text: string }> => {
    const entries = new Map<string, { readonly name: ModelName; readonly text: string }>();
    for (const { provider, model, prices } of catalogue.listEntries()) {
      const key = JSON.stringify([provider, model]);
      if (!entries.has(key)) entries.set(key, { name: { provider, model }, text: JSON.stringify(prices) });
    }
    return entries;
  };
  const [was, is] = [written(before), written(after)];
  return [...new Map([...was, ...is])]
    .filter(([key]) => was.get(key)?.text !== is.get(key)?.text)
    .map(([, { name }]) => name);
}
