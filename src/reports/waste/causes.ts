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
    definition: 'Calls that failed: the cost of what they report to have used.',
  },
  retried: {
    bound: 'upper',
    definition:
      'The retry: the next call of the same run, feature and model after a failed one, unless it failed too; an upper bound, because the work had to be paid once.',
  },
  aborted: {
    bound: 'exact',
    definition: 'Calls whose answer was not read to its end: the cost of what they had used until then.',
  },
  uncached_input: {
    bound: 'upper',
    definition:
      'Calls that used no cache, within 5 minutes after a call of the same provider, model and feature with a prompt of about the same size (1,024 to 2,047 tokens, 2,048 to 4,095, and so on): an upper bound, as if all their input could have been read from the cache at its price.',
  },
  dearer_model: {
    bound: 'upper',
    definition:
      'Calls of a model that cost more than the same usage costs with its alternative: an upper bound, as if the alternative could take all of them.',
  },
};
