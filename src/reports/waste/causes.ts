/** In order of precedence: a call belongs to the first that holds, so no money is counted twice (D23). */
export const wasteCauses = ['failed', 'retried', 'aborted', 'uncached_input', 'dearer_model'] as const;
export type WasteCause = (typeof wasteCauses)[number];

/** Whether a wasted amount is exact or an upper bound. */
export const wasteBounds = ['exact', 'upper'] as const;
export type WasteBound = (typeof wasteBounds)[number];

/** The description of a cause. The rules in SQL are in `rules.ts`. */
export interface WasteDefinition {
  readonly bound: WasteBound;
  /** One sentence. */
  readonly definition: string;
}

/** The fewest tokens that any large provider caches. */
export const leastCacheableTokens = 1_024;
/** The shortest time that a provider keeps a cached prompt, in milliseconds. */
export const cacheLifetimeMs = 300_000;

export const wasteDefinitions: Readonly<Record<WasteCause, WasteDefinition>> = {
  failed: {
    bound: 'exact',
    definition: 'Calls that failed, at the cost of the usage that they report.',
  },
  retried: {
    bound: 'upper',
    definition:
      'The next call of a run after a failed one of the same feature and model, unless it failed too. An upper bound: the work itself had to be paid for once.',
  },
  aborted: {
    bound: 'exact',
    definition: 'Calls whose answer was not read to its end, at the cost of what they had used by then.',
  },
  uncached_input: {
    bound: 'upper',
    definition:
      'Calls that read nothing from a cache, within 5 minutes of a call of the same provider, model and feature with a prompt of about the same size (1,024 to 2,047 tokens, 2,048 to 4,095, and so on). An upper bound: a cache may not have had all of their input.',
  },
  dearer_model: {
    bound: 'upper',
    definition:
      'Calls that cost more than the same usage would with the other model. An upper bound: the other model may not answer all of them well enough.',
  },
};
