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
