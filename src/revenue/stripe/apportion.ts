import type { Lines } from './objects.ts';

/**
 * Splits a whole amount by weights, at least one of them above 0, so that the parts add up to it: each part is rounded
 * towards 0, and what is left goes in units of 1 to the parts that lost the most.
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
 * The amounts of an object's lines, and the rest of its net total that is of no known line. Where all lines are known,
 * what they differ by from the total, such as a coupon on the whole invoice of an old API version, is shared among
 * them.
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
