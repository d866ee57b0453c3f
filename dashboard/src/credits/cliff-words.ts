import type { CreditCliff } from '../api/types.ts';
import { toDay, toPercent } from '../lib/format.ts';

/** What the end of the credits does to margins; undefined while no credits are left. */
export function remarkOnCliff({
  credits_left: left,
  ends_on: ends,
  now,
  after,
  customers,
  others,
}: CreditCliff): string | undefined {
  if (left <= 0) return undefined;
  const when = ends === null ? 'When the credits end' : `From ${toDay(ends)} on`;
  const turning = customers.filter(({ turns }) => turns).length + others.turns;
  const who =
    turning === 0
      ? 'no customer turns unprofitable'
      : `${turning} ${turning === 1 ? 'customer turns' : 'customers turn'} unprofitable`;
  return `${when}, the margin falls from ${toPercent(now.margin_pct)} to ${toPercent(after.margin_pct)}, and ${who}.`;
}
