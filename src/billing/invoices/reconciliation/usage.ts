import type { Money } from '../../../lib/money.ts';
import type { UnitName } from '../../../lib/units.ts';
import { usageBuckets } from '../../../lib/usage-buckets.ts';

export interface LineUsage {
  readonly calls: bigint;
  /** The calls among them without a price, and their tokens. */
  readonly unpriced: bigint;
  readonly unpricedTokens: bigint;
  readonly cost: Money;
  /** In the order of `usageBuckets`. */
  readonly tokens: readonly bigint[];
  /** Counts by unit, in units of 1e-12. */
  readonly units: ReadonlyMap<UnitName, bigint>;
}

/** The calls with the same model, day, and day at the provider. Days are numbers since 1970. */
export interface UsageRecord extends LineUsage {
  readonly day: number;
  readonly providerDay: number;
  readonly provider: string;
  readonly model: string;
}

export const noUsage: LineUsage = {
  calls: 0n,
  unpriced: 0n,
  unpricedTokens: 0n,
  cost: 0n,
  tokens: usageBuckets.map(() => 0n),
  units: new Map(),
};

/** The sum; with `sign` −1 the difference. */
export function addUsage(a: LineUsage, b: LineUsage, sign: 1n | -1n = 1n): LineUsage {
  // Most days of a line have one record.
  if (a === noUsage && sign === 1n) return b;
  if (b === noUsage) return a;
  const units = new Map(a.units);
  for (const [name, count] of b.units) units.set(name, (units.get(name) ?? 0n) + sign * count);
  return {
    calls: a.calls + sign * b.calls,
    unpriced: a.unpriced + sign * b.unpriced,
    unpricedTokens: a.unpricedTokens + sign * b.unpricedTokens,
    cost: a.cost + sign * b.cost,
    tokens: a.tokens.map((count, index) => count + sign * (b.tokens[index] ?? 0n)),
    units,
  };
}

export const sumTokens = ({ tokens }: Pick<LineUsage, 'tokens'>): bigint =>
  tokens.reduce((sum, count) => sum + count, 0n);

export const hasUnits = ({ units }: Pick<LineUsage, 'units'>): boolean =>
  [...units.values()].some((count) => count > 0n);
