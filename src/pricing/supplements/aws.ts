import type { Supplement } from '../supplement-data.ts';

export const awsSupplements: readonly Supplement[] = [];
