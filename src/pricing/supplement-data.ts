import { z } from 'zod';
import { termNames, unitNames } from '../lib/units.ts';
import { correction, matchLogic, tokenPrices } from './catalogue-data.ts';
import { maxRate } from './rates.ts';

/**
 * Prices of units and terms, which the catalogue package lacks (D26.2). Every price book is stored with them and the
 * corrections, so a change of them changes no past number (D5.5, D5.7).
 *
 * A supplement holds for a call if its provider and model match and the call names every term of `when`. The call's
 * time must be at or after `from` and before `until`. If several hold, the most specific counts:
 *
 * 1. the one with most terms in `when`;
 * 2. then `equals` before `regex`, before the longest prefix or part of a name, before no `match`;
 * 3. then the one with the latest `from`.
 */

const terms = z.partialRecord(z.enum(termNames), z.array(z.string()).min(1));

/** Decimal text such as `0.5`, because a factor must be exact. */
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
  /** Where sources disagree, or the reason for the price. */
  note: z.string().optional(),
  /** Matches the model's bare name in lower case; all models of the provider by default. */
  match: matchLogic.optional(),
  /** The first instant or day (UTC) on which it holds, and the first on which it does not hold any more. */
  from: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  until: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  /** For each term, the values with which the supplement holds. Other terms may have any value or none. */
  when: terms.optional(),
  /**
   * The effect on token prices: a factor on all of them, or a whole price list with the catalogue's names
   * (`input_mtok` …). Of supplements with the same names in `when` only the most specific counts. The factors of others
   * multiply. A price list includes the factors of its own terms. A factor of 1 means the ordinary price.
   */
  tokens: z.union([z.strictObject({ factor }), z.strictObject({ prices: tokenPrices })]).optional(),
  /**
   * Prices of units. The price of `requests` is charged for every call and replaces the catalogue's price per request.
   */
  units: z
    .partialRecord(z.enum(unitNames), unitPrice)
    .refine(
      ({ requests }) => requests === undefined || /^10*$/.test(String(requests.per)),
      'requests: per must be a power of ten',
    )
    .optional(),
});

export type Supplement = z.infer<typeof supplement>;

/** The stored snapshot of corrections and supplements. */
export const correctionsData = z.array(z.union([supplement, correction]));
