import { z } from 'zod';
import { termNames, unitNames } from '../lib/units.ts';
import { matchLogic, tokenPrices } from './catalogue-data.ts';
import { maxRate } from './rates.ts';

/**
 * Prices of units and terms, which the catalogue package lacks (D26.2). They are stored with every price book beside the
 * corrections, so changing them changes no past number (D5.5, D5.7).
 *
 * A supplement holds for calls of its provider whose model matches, at times from `from` to before `until`, that name every
 * term of `when`.
 */

const terms = z.partialRecord(z.enum(termNames), z.array(z.string()).min(1));

/** A decimal text, such as `0.5`: a factor must be exact. */
const factor = z.string().regex(/^\d{1,6}(\.\d{1,6})?$/);

const unitPrice = z.strictObject({
  /** US dollars for `per` of the unit, which is a power of ten or a count such as 60 (seconds of a minute). */
  usd: z.number().nonnegative().max(maxRate),
  per: z.int().positive(),
});

export const supplement = z.strictObject({
  kind: z.literal('supplement'),
  /** The catalogue's names of the providers. */
  providers: z.array(z.string()).min(1),
  /** The page that supports it, and the day on which the page was read. */
  source: z.url(),
  checkedOn: z.iso.date(),
  /** What sources disagree on, or why the price is what it is. */
  note: z.string().optional(),
  /** Matches the model's bare name in lower case; all models of the provider by default. */
  match: matchLogic.optional(),
  /** First instant or day (UTC) on which it holds, and the first on which it no longer does. */
  from: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  until: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  /** For each term, the values with which the supplement holds; a term that is not named may have any value or none. */
  when: terms.optional(),
  /** What it does to token prices: a factor on all of them, or prices of its own, in the catalogue's names (`input_mtok` …). */
  tokens: z.union([z.strictObject({ factor }), z.strictObject({ prices: tokenPrices })]).optional(),
  /** Prices of units. */
  units: z.partialRecord(z.enum(unitNames), unitPrice).optional(),
});

export type Supplement = z.infer<typeof supplement>;
