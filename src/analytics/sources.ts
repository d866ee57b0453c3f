import type { Progress } from '../calls/assembly/progress.ts';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { ControlStore } from '../control/control-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { SealedCells } from './sealed-cells.ts';
import type { SettledRows } from './settled-rows.ts';

/** The stores and services that answers are computed from. */
export interface AnalyticsSources {
  readonly store: AnalyticStore;
  readonly settled: SettledRows;
  readonly sealedCells: SealedCells;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly progress: Progress;
}
