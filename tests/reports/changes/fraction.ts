/** An exact fraction in lowest terms; the denominator is above 0. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const abs = (value: bigint): bigint => (value < 0n ? -value : value);

export function fraction(over: bigint, under = 1n): Fraction {
  if (under === 0n) throw new RangeError('division by zero');
  const shared = gcd(abs(over), abs(under)) * (under < 0n ? -1n : 1n);
  return { over: over / shared, under: under / shared };
}

const zero = fraction(0n);
const plus = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.under + b.over * a.under, a.under * b.under);
export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under);
export const sumOf = (values: readonly Fraction[]): Fraction => values.reduce(plus, zero);

/** The whole numbers that the fractions are over their least common denominator. */
export function overOneDenominator(values: readonly Fraction[]): { overs: bigint[]; under: bigint } {
  const under = values.reduce((common, { under: own }) => (common / gcd(common, own)) * own, 1n);
  return { overs: values.map((value) => value.over * (under / value.under)), under };
}
