import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `bench/fill.ts` says of the folder that it filled. */
export interface Filled {
  readonly calls: number;
  readonly days: number;
  readonly correlated: boolean;
  readonly projects: readonly { readonly id: string; readonly type: 'revenue' | 'internal'; readonly apiKey: string }[];
}

export const readFilled = (dir: string): Filled => JSON.parse(readFileSync(join(dir, 'bench.json'), 'utf8')) as Filled;
