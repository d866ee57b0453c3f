import type { Supplement } from '../supplement-data.ts';

export const mistralSupplements: readonly Supplement[] = [];
