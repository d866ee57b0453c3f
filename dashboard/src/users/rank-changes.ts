import { byName } from '../../../src/lib/by-name.ts';
import type { PerformanceRow, RankedChanges } from '../api/types.ts';
import { causes } from '../overview/cause-words.ts';

/** The largest changes of users' costs, and all others together, as the API ranks those of customers. */
export function rankChanges(
  now: readonly PerformanceRow[],
  before: readonly PerformanceRow[],
  most: number,
): RankedChanges {
  const toCosts = (rows: readonly PerformanceRow[]) => new Map(rows.map(({ user = '', cost }) => [user, cost]));
  const [costs, costsBefore] = [toCosts(now), toCosts(before)];
  const rows = [...new Set([...costs.keys(), ...costsBefore.keys()])]
    .map((user) => toChanged(user, costsBefore.get(user) ?? 0, costs.get(user) ?? 0))
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  const rest = rows.slice(most);
  const sum = (of: 'cost' | 'cost_before') => rest.reduce((total, row) => total + row[of], 0);
  return {
    rows: rows.slice(0, most),
    others: { count: rest.length, ...toChanged('', sum('cost_before'), sum('cost')) },
    causes: [],
  };
}

const noParts = byName(causes, () => 0);
const toChanged = (user: string, before: number, cost: number) => ({
  user,
  cost_before: before,
  cost,
  difference: cost - before,
  parts: noParts,
});
