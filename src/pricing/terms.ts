import { type TermName, type Terms, termNames } from '../lib/units.ts';

/** Terms in lower case, as calls have them: overrides are stored as they were posted. */
export function foldTerms(terms: Terms): Terms {
  const folded: Partial<Record<TermName, string>> = {};
  for (const name of termNames) {
    const value = terms[name];
    if (value !== undefined) folded[name] = value.toLowerCase();
  }
  return folded;
}
