import type { Supplement } from '../supplement-data.ts';

export const othersSupplements: readonly Supplement[] = [];
