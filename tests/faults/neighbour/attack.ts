// What an attack is: everything that it may use of the service is a target that keeps the ledger of what was acknowledged.
import type { Target } from './target.ts';

export interface Attack {
  /** What the hostile project does, as reports name it. */
  readonly name: string;
  /** The type of the hostile project; `revenue` unless set. */
  readonly projectType?: 'internal';
  /** Goes on until the target is over. A request that fails never throws. */
  readonly run: (target: Target) => Promise<void>;
}
