/** How near the amount is. */
export type BudgetTone = 'calm' | 'warned' | 'over';

/** By what was passed: nothing, a threshold, or the amount itself. */
export function toTone(spentPct: number, thresholdsPassed: readonly number[]): BudgetTone {
  if (spentPct >= 100) return 'over';
  return thresholdsPassed.length > 0 ? 'warned' : 'calm';
}
