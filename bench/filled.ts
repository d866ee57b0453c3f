import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The description that `bench/fill.ts` leaves in a data folder. */
export interface Filled {
  readonly calls: number;
  readonly days: number;
  readonly correlated: boolean;
  readonly projects: readonly { readonly id: string; readonly type: 'revenue' | 'internal'; readonly apiKey: string }[];
}

export const readFilled = (dir: string): Filled => JSON.parse(readFileSync(join(dir, 'bench.json'), 'utf8')) as Filled;
