import type { Supplement } from '../supplement-data.ts';

export const openaiSupplements: readonly Supplement[] = [];
