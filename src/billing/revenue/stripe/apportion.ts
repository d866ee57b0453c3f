import type { Lines } from './objects.ts';

/**
 * Splits a whole amount by weights, so that the parts add up to it. Each part is rounded towards 0. The parts that lost
 * the most by rounding get 1 more each, until the sum is exact. Without a weight above 0, the first part gets
 * everything.
 */
export function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n) return weights.map((_, index) => (index === 0 ? amount : 0n));
  const [magnitude, sign] = amount < 0n ? [-amount, -1n] : [amount, 1n];
  const parts = weights.map((weight) => (magnitude * weight) / total);
  const lost = weights.map((weight, index) => ({ index, lost: (magnitude * weight) % total }));
  lost.sort((a, b) => (a.lost === b.lost ? a.index - b.index : a.lost > b.lost ? -1 : 1));
  const left = magnitude - parts.reduce((sum, part) => sum + part, 0n);
  for (const { index } of lost.slice(0, Number(left))) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts.map((part) => sign * part);
}

/**
 * The amounts of an object's lines, and the rest: the part of its net total that belongs to no known line. When all
 * lines are known, the rest is shared among them. It can be a coupon on the whole invoice, in old API versions.
 */
export function settle(
  { list, isComplete }: Lines<{ readonly net: number }>,
  net: number,
): { readonly amounts: readonly bigint[]; readonly rest: bigint } {
  const amounts = list.map((line) => BigInt(line.net));
  const rest = BigInt(net) - amounts.reduce((sum, amount) => sum + amount, 0n);
  const weights = amounts.map((amount) => (amount > 0n ? amount : 0n));
  if (rest === 0n || !isComplete || !weights.some((weight) => weight > 0n)) return { amounts, rest };
  const shares = apportion(rest, weights);
  return { amounts: amounts.map((amount, index) => amount + (shares[index] ?? 0n)), rest: 0n };
}
