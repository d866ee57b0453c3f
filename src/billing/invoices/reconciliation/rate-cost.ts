import { usageBuckets } from '../../../lib/usage-buckets.ts';
import type { ListRates } from './list-rates.ts';
import type { Usage } from './usage.ts';

/** Costs by rates are in 1e-6 picodollars, because rates are for a million tokens. */
export const microsPerPico = 1_000_000n;

/** The scale of a unit's count, which has as many digits as money. */
const countScale = 10n ** 12n;

/** The cost of usage at some rates, in 1e-6 picodollars. */
export function costByRates(
  { tokens, units, calls }: Usage,
  { perMtok, perRequest, units: unitRates }: ListRates,
): bigint {
  let sum = calls * (perRequest ?? 0n) * microsPerPico;
  usageBuckets.forEach((bucket, place) => {
    sum += (tokens[place] ?? 0n) * (perMtok[bucket] ?? 0n);
  });
  for (const [name, count] of units) sum += (count * (unitRates.get(name) ?? 0n) * microsPerPico) / countScale;
  return sum;
}
