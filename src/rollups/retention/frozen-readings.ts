import type { FrozenReading } from '../../accounts/key-metrics/readings.ts';
import type { Day } from '../../lib/days.ts';
import { type Column, column, list, text, uint64 } from '../../storage/analytic/native-block.ts';

/** The value of one reading for one user on a frozen day. */
interface FrozenReadingRow extends FrozenReading {
  readonly projectId: string;
  readonly day: Day;
  readonly seal: number;
}

export const readingColumns: readonly Column<FrozenReadingRow>[] = [
  column('project', text, ({ projectId }) => projectId),
  column('day', text, ({ day }) => day),
  column('seal', uint64, ({ seal }) => seal),
  column('reading', text, ({ reading }) => reading),
  column('user', text, ({ user }) => user),
  column('fed', uint64, ({ fed }) => fed),
  column('sum', text, ({ sum }) => sum),
  column('rest', text, ({ rest }) => rest),
  column('hashes', list(text), ({ hashes }) => hashes),
];
