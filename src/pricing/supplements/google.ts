import type { Supplement } from '../supplement-data.ts';

export const googleSupplements: readonly Supplement[] = [];
