import { z } from 'zod';
import { maxRate } from './rates.ts';

/**
 * The format of a stored catalogue snapshot: those parts of the genai-prices project's format that prices need. It is
 * checked when a snapshot is opened, because newer data may come over the network (D5.2).
 */

export type MatchLogic =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: MatchLogic[] }
  | { and: MatchLogic[] };

export const matchLogic: z.ZodType<MatchLogic> = z.lazy(() =>
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

/** US dollars, with the same bounds as in overrides. */
const amount = z.number().nonnegative().max(maxRate);

/** A price by prompt size. The last tier whose `start` is below the prompt's tokens prices the *whole* request. */
const tieredAmount = z.object({
  base: amount,
  tiers: z.array(z.object({ start: z.int().nonnegative(), price: amount })).min(1),
});

/** US dollars: `…_mtok` per million tokens, `requests_kcount` per thousand calls. Other kinds are not used. */
export const tokenPrices = z.record(z.string(), z.union([amount, tieredAmount]));

const timeOfDay = z.string().regex(/^\d{2}:\d{2}:\d{2}Z$/);

/**
 * When a price is valid, in UTC. The catalogue uses either a start or hours of the day; corrections may combine start,
 * hours and weekdays. Unknown conditions are refused: if one were ignored, its price would always be valid.
 */
const constraint = z
  .strictObject({
    /** The package's name of the kind; redundant, since the other fields imply it. */
    type: z.enum(['start_date', 'time_of_date']).optional(),
    /** A day, or an instant. */
    start_date: z.union([z.iso.date(), z.iso.datetime()]).optional(),
    /** From `start_time` (inclusive) to `end_time` (exclusive), past midnight when the end is earlier. */
    start_time: timeOfDay.optional(),
    end_time: timeOfDay.optional(),
    /** Days of the week, Sunday is 0. */
    weekdays: z.array(z.int().min(0).max(6)).optional(),
  })
  .transform(({ type: _, ...when }) => when);

const scheduledPrices = z.object({ constraint: constraint.optional(), prices: tokenPrices });

export const model = z.object({
  id: z.string(),
  match: matchLogic,
  /** Of several prices, the last whose constraint is met counts, or else the first. */
  prices: z.union([z.tuple([scheduledPrices], scheduledPrices), tokenPrices]),
});

const provider = z.object({
  id: z.string(),
  provider_match: matchLogic.optional(),
  model_match: matchLogic.optional(),
  fallback_model_providers: z.array(z.string()).optional(),
  models: z.array(model),
});

export const catalogueData = z.object({ version: z.string(), providers: z.array(provider) });

/** The file in the tree: the data of a release of genai-prices, and the day of the newest of it. */
export const installedData = catalogueData.extend({ date: z.iso.date() });

/** A reviewed correction: an entry that replaces the catalogue's, and the page that supports it. */
export const correction = z.strictObject({
  /** The catalogue's name of the provider. */
  provider: z.string(),
  /** The page that supports it, and the day on which the page was read. */
  source: z.url(),
  checkedOn: z.iso.date(),
  /** What is wrong with the catalogue's own entry. */
  reason: z.string(),
  /** Further pages, and what a reviewer has to know. */
  note: z.string().optional(),
  model,
});

export type InstalledData = z.infer<typeof installedData>;
export type CatalogueProvider = z.infer<typeof provider>;
export type CatalogueModel = z.infer<typeof model>;
export type CataloguePrices = z.infer<typeof tokenPrices>;
export type PriceConstraint = z.infer<typeof constraint>;
export type Correction = z.infer<typeof correction>;
