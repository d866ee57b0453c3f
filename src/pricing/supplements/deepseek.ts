import type { Supplement } from '../supplement-data.ts';

export const deepseekSupplements: readonly Supplement[] = [];
