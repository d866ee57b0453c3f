import type { Supplement } from '../supplement-data.ts';

export const xAiSupplements: readonly Supplement[] = [];
