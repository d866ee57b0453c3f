import { type TermName, type Terms, termNames } from '../lib/units.ts';

/** Terms in lower case, in which they are compared: stored events of older versions have them as they were sent. */
export function foldTerms(terms: Terms): Terms {
  const folded: Partial<Record<TermName, string>> = {};
  for (const name of termNames) {
    const value = terms[name];
    if (value !== undefined) folded[name] = value.toLowerCase();
  }
  return folded;
}

/** The names that choose a price. Absent ones are empty strings. */
type PricedNames = { readonly provider: string; readonly model: string; readonly terms: Terms };

/** A key for maps. Names can contain any character, so their lengths stand before them. */
export function keyOfNames({ provider, model, terms }: PricedNames): string {
  let key = `${provider.length} ${model.length} ${provider}${model}`;
  for (const name of termNames) {
    const value = terms[name];
    if (value !== undefined) key += `${name} ${value.length} ${value}`;
  }
  return key;
}
