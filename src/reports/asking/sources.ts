import type { Progress } from '../../calls/assembly/progress.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { CellCache } from './cell-cache.ts';

/** The stores and services that answers are computed from. */
export interface AnswerSources {
  readonly store: AnalyticStore;
  readonly answerCache: AnswerCache;
  readonly cellCache: CellCache;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly progress: Progress;
}
