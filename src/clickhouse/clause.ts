import type { Parameters } from './analytic-store.ts';

/** A piece of SQL, from a condition to a whole statement, with the values of its placeholders. */
export interface Clause {
  readonly sql: string;
  readonly parameters: Parameters;
}
