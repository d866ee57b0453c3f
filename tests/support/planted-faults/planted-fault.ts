/** The projects of vitest.config.ts that `npm test` runs. */
export type TestProject =
  | 'unit'
  | 'cli'
  | 'api-sqlite'
  | 'sealed-sqlite'
  | 'sealed-servers'
  | 'crash'
  | 'faults'
  | 'browser';

/** A mistake that somebody could make in the product, and the tests that should notice it. */
export interface PlantedFault {
  readonly id: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The code to change. It occurs in the file exactly once, and has no comment, since comments change more often. */
  readonly find: string;
  readonly replace: string;
  /** What goes wrong for a user. */
  readonly why: string;
  /** The files of tests that should notice, by the project that they run in: the cheapest ones. */
  readonly tests: Readonly<Partial<Record<TestProject, readonly string[]>>>;
}
