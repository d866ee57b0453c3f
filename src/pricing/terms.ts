import { type TermName, type Terms, termNames } from '../lib/units.ts';

/** Terms in lower case, for comparison. Events stored by older versions have terms as clients sent them. */
export function foldTerms(terms: Terms): Terms {
  const folded: Partial<Record<TermName, string>> = {};
  for (const name of termNames) {
    const value = terms[name];
    if (value !== undefined) folded[name] = value.toLowerCase();
  }
  return folded;
}
