import { startOfDay } from '../../lib/days.ts';
import { noTerms } from '../../lib/units.ts';
import { resolveModelPrice } from '../model-price.ts';
import { baseOf } from '../snapshot-names.ts';
import type { BookInForce } from './price-books.ts';

/** How the name of the next smaller model of a family is made: the version stays, the size changes. */
const families: readonly { readonly name: RegExp; readonly smaller: string }[] = [
  // gpt-4o → gpt-4o-mini, o3 → o3-mini
  { name: /^(gpt-\d+(?:\.\d+)?o?|o\d+)$/, smaller: '$1-mini' },
  { name: /^(gpt-\d+(?:\.\d+)?o?)-mini$/, smaller: '$1-nano' },
  // claude-opus-4-5 → claude-sonnet-4-5, claude-3-5-sonnet → claude-3-5-haiku
  { name: /^(claude-.*)opus(.*)$/, smaller: '$1sonnet$2' },
  { name: /^(claude-.*)sonnet(.*)$/, smaller: '$1haiku$2' },
  // gemini-2.5-pro → gemini-2.5-flash
  { name: /^(gemini-\d+(?:\.\d+)?)-pro$/, smaller: '$1-flash' },
  { name: /^(gemini-\d+(?:\.\d+)?)-flash$/, smaller: '$1-flash-lite' },
];

/** The name of the next smaller model of the same family and version; undefined when the name shows none. */
export function nameSmaller(model: string): string | undefined {
  const base = baseOf(model.toLowerCase());
  const family = families.find(({ name }) => name.test(base));
  return family && base.replace(family.name, family.smaller);
}

/**
 * Finds the name of the next smaller model of a family at the same provider, if the price list has a model of exactly
 * that name.
 */
export function openSmallerModels({ opened, timezone }: Pick<BookInForce, 'opened' | 'timezone'>, day: string) {
  const time = startOfDay(timezone, day);
  return (model: string): string | undefined => {
    const name = nameSmaller(model);
    if (name === undefined) return undefined;
    const price = resolveModelPrice({ provider: '', model: name, terms: noTerms, time, day }, opened);
    if ('unpricedReason' in price || price.source === null) return undefined;
    const isNamed =
      price.source.kind === 'override' || (price.source.kind === 'catalogue' && price.source.entry === name);
    return isNamed && price.provider === opened.catalogue.deriveProvider(model) ? name : undefined;
  };
}
