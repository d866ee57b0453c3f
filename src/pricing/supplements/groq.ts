import type { Supplement } from '../supplement-data.ts';

export const groqSupplements: readonly Supplement[] = [];
