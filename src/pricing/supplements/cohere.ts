import type { Supplement } from '../supplement-data.ts';

export const cohereSupplements: readonly Supplement[] = [];
