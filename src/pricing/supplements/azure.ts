import type { Supplement } from '../supplement-data.ts';

export const azureSupplements: readonly Supplement[] = [];
