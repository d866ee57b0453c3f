import type { Supplement } from '../supplement-data.ts';

export const anthropicSupplements: readonly Supplement[] = [];
