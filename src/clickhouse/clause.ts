import type { Parameters } from './analytic-store.ts';

/** A condition with its values. */
export interface Clause {
  readonly sql: string;
  readonly parameters: Parameters;
}
