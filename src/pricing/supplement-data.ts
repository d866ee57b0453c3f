import { z } from 'zod';
import { termNames, unitNames } from '../lib/units.ts';
import { correction, matchLogic, tokenPrices } from './catalogue-data.ts';
import { maxRate } from './rates.ts';

/**
 * Prices of units and terms, which the catalogue package lacks (D26.2). They are stored with every price book beside the
 * corrections, so changing them changes no past number (D5.5, D5.7).
 *
 * A supplement holds for calls of its provider whose model matches, at times from `from` to before `until`, that name every
 * term of `when`. Of several that hold, the most specific counts: that with most terms in `when`; then `equals` before `regex`
 * before the longer prefix or part of a name before none; then the latest `from`.
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
  /**
   * What it does to token prices: a factor on all of them, or a whole price list of its own, in the catalogue's names (`input_mtok` …).
   * Of supplements with the same names in `when` only the most specific counts; the factors of different ones multiply. A price list
   * includes the factors of its own terms. A factor of 1 says that a value means the ordinary price.
   */
  tokens: z.union([z.strictObject({ factor }), z.strictObject({ prices: tokenPrices })]).optional(),
  /** Prices of units. A price of `requests` is charged for every call, and replaces the catalogue's price per request. */
  units: z
    .partialRecord(z.enum(unitNames), unitPrice)
    .refine(
      ({ requests }) => requests === undefined || /^10*$/.test(String(requests.per)),
      'requests: per must be a power of ten',
    )
    .optional(),
});

export type Supplement = z.infer<typeof supplement>;

/** The stored snapshot of corrections. Books of versions that knew no units and terms have no supplements in it. */
export const correctionsData = z.array(z.union([supplement, correction]));
