import type { Supplement } from '../supplement-data.ts';

export const perplexitySupplements: readonly Supplement[] = [];
