import { z } from 'zod';
import { maxRate } from './rates.ts';

/**
 * The price catalogue's own format (that of the genai-prices project), as far as prices need it: what a stored snapshot holds. Checked
 * when a snapshot is opened, because newer data may come over the network (D5.2).
 */

export type MatchLogic =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: MatchLogic[] }
  | { and: MatchLogic[] };

const matchLogic: z.ZodType<MatchLogic> = z.lazy(() =>
  z.union([
    z.strictObject({ equals: z.string() }),
    z.strictObject({ starts_with: z.string() }),
    z.strictObject({ or: z.array(matchLogic) }),
    z.strictObject({ contains: z.string() }),
    z.strictObject({ ends_with: z.string() }),
    z.strictObject({ regex: z.string().refine(isRegex, 'not a regular expression') }),
    z.strictObject({ and: z.array(matchLogic) }),
  ]),
);

function isRegex(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** US dollars, bounded as those of overrides are. */
const amount = z.number().nonnegative().max(maxRate);

/** A price that is dearer for a large prompt: the last tier whose `start` the prompt's tokens exceed prices the *whole* request. */
const tieredAmount = z.object({
  base: amount,
  tiers: z.array(z.object({ start: z.int().nonnegative(), price: amount })).min(1),
});

/** US dollars by kind of unit, `…_mtok` per million tokens, `requests_kcount` per thousand calls; other kinds are kept, not used. */
const prices = z.record(z.string(), z.union([amount, tieredAmount]));

const timeOfDay = z.string().regex(/^\d{2}:\d{2}:\d{2}Z$/);

/**
 * When a price holds. The catalogue uses either a start or hours of the day; corrections may join all three. All are UTC. A condition of
 * another kind is refused: left out, its price would hold always.
 */
const constraint = z
  .strictObject({
    /** The package's name of the kind, which the other fields say too. */
    type: z.enum(['start_date', 'time_of_date']).optional(),
    /** A day, or an instant. */
    start_date: z.union([z.iso.date(), z.iso.datetime()]).optional(),
    /** From the first (inclusive) to the second (exclusive), over midnight when the second is earlier. */
    start_time: timeOfDay.optional(),
    end_time: timeOfDay.optional(),
    /** Days of the week, Sunday is 0. */
    weekdays: z.array(z.int().min(0).max(6)).optional(),
  })
  .transform(({ type: _, ...when }) => when);

const scheduledPrices = z.object({ constraint: constraint.optional(), prices });

const model = z.object({
  id: z.string(),
  match: matchLogic,
  /** Of several, the last whose constraint holds; if none does, the first. */
  prices: z.union([z.tuple([scheduledPrices], scheduledPrices), prices]),
});

const provider = z.object({
  id: z.string(),
  provider_match: matchLogic.optional(),
  model_match: matchLogic.optional(),
  fallback_model_providers: z.array(z.string()).optional(),
  models: z.array(model),
});

/** A catalogue snapshot: which version of the data it is, and the data. */
export const catalogueData = z.object({ version: z.string(), providers: z.array(provider) });

/** Reviewed corrections: entries that take the place of the catalogue's, each with the page that it rests on. */
export const correctionsData = z.array(
  z.object({
    /** The catalogue's name of the provider. */
    provider: z.string(),
    /** The page that it rests on, and the day on which that was looked up. */
    source: z.url(),
    checkedOn: z.iso.date(),
    /** What is wrong with the catalogue's own entry. */
    reason: z.string(),
    model,
  }),
);

export type CatalogueProvider = z.infer<typeof provider>;
export type CatalogueModel = z.infer<typeof model>;
export type CataloguePrices = z.infer<typeof prices>;
export type PriceConstraint = z.infer<typeof constraint>;
export type Correction = z.infer<typeof correctionsData>[number];
