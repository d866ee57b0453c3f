/**
 * All arithmetic with money (D5.1): US dollars as exact whole numbers of picodollars, never floats.
 *
 * Floats appear only at the edges: `parseDecimal` reads a number by its shortest decimal text, and the `…ToNumber`
 * functions return the double nearest to an exact result.
 */

/** An amount of US dollars in picodollars (1e-12 USD). It may be negative (a refund, a loss). Add and compare it as a bigint. */
export type Money = bigint;

/** An exact decimal, `mantissa × 10^-scale`, in lowest terms: `scale` is 0 or the mantissa doesn't end in 0. */
export type Decimal = { readonly mantissa: bigint; readonly scale: number };

/** The number of fractional digits of `Money`. */
const moneyScale = 12;

export const dollar: Money = 10n ** BigInt(moneyScale);

/** Longer decimal text, or a greater power of ten, is rejected: it would only cost memory. Doubles end at 1e-324. */
const longestDecimalText = 400;
const greatestPowerOfTen = 400;

const decimalText = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Reads decimal text such as `0.0019`, `-2` or `1e-7`, or a finite number by its shortest decimal text. Null for anything else. */
export function parseDecimal(value: string | number): Decimal | null {
  const text = String(value);
  if (text.length > longestDecimalText) return null;
  const match = decimalText.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = ''] = match;
  const powerOfTen = Number(exponent);
  if (Math.abs(powerOfTen) > greatestPowerOfTen) return null;
  const digits = BigInt(whole + fraction);
  return decimal(sign === '-' ? -digits : digits, fraction.length - powerOfTen);
}

/** The decimal `mantissa × 10^-scale` in lowest terms; a negative scale multiplies. */
export function decimal(mantissa: bigint, scale: number): Decimal {
  if (scale < 0) return { mantissa: mantissa * powerOf10(-scale), scale: 0 };
  let lowest = mantissa;
  let lowestScale = scale;
  while (lowestScale > 0 && lowest % 10n === 0n) {
    lowest /= 10n;
    lowestScale -= 1;
  }
  return { mantissa: lowest, scale: lowestScale };
}

/** Plain decimal text with no exponent and no superfluous digits: `2.5`, `0.0000001`, `10`. */
export function formatDecimal({ mantissa, scale }: Decimal): string {
  return formatScaled(mantissa, scale);
}

/** Reads an amount in US dollars, rounded half-even to 12 fractional digits. Null when it is not a decimal. */
export function parseMoney(value: string | number): Money | null {
  const amount = parseDecimal(value);
  return amount === null ? null : toMoney(amount);
}

/** Reads an amount that a store has written. @throws RangeError for other text */
export function readMoney(text: string | undefined): Money {
  const amount = text === undefined ? null : parseMoney(text);
  if (amount === null) throw new RangeError(`${text} is not an amount of money`);
  return amount;
}

/** Converts a decimal amount in US dollars to money, rounded half-even to 12 fractional digits. */
export const toMoney = (amount: Decimal): Money => toScaled(amount, moneyScale);

/** A decimal as a whole number of 10^-digits, rounded half-even. */
export function toScaled({ mantissa, scale }: Decimal, digits: number): bigint {
  return scale <= digits ? mantissa * powerOf10(digits - scale) : divideHalfEven(mantissa, powerOf10(scale - digits));
}

/** Plain decimal text in US dollars with all 12 fractional digits, the stores' format: `0.001900000000`. */
export function formatMoney(amount: Money): string {
  return formatScaled(amount, moneyScale);
}

/** The double nearest to the exact amount in US dollars, for JSON (D5.1). */
export function toJsonNumber(amount: Money): number {
  return divideToNumber(amount, dollar);
}

/**
 * An amount after credits, in units of 1e-30 USD: a cost of 12 fractional digits times a fraction of 18 (D7.3).
 * Add and compare it as a bigint.
 */
export type WideMoney = bigint;

const wideScale = 30;

export const widen = (amount: Money): WideMoney => amount * powerOf10(wideScale - moneyScale);

/** Reads decimal text of at most 30 fractional digits, the format of the store's sums of money. @throws RangeError for other text */
export function parseWideMoney(text: string): WideMoney {
  const amount = parseDecimal(text);
  if (amount === null || amount.scale > wideScale) throw new RangeError(`${text} is not an amount of money`);
  return amount.mantissa * powerOf10(wideScale - amount.scale);
}

/** The double nearest to the exact amount in US dollars, for JSON (D5.1, D7.3). */
export const wideToJsonNumber = (amount: WideMoney): number => divideToNumber(amount, powerOf10(wideScale));

/** The double nearest to `total / count` in US dollars, not rounded in between. `count` is a whole number above 0. */
export function calcAverage(total: Money, count: number | bigint): number {
  return divideToNumber(total, BigInt(count) * dollar);
}

/** The exact product. */
export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal =>
  decimal(a.mantissa * b.mantissa, a.scale + b.scale);

/**
 * The cost of an exact `count`, in 1e-12 of one, at `rate` US dollars per `per`, rounded once, half-even, to 12 digits.
 * A count has as many digits as money, so the powers of ten cancel.
 */
export function multiplyCount(count: bigint, rate: Decimal, per: number): Money {
  return divideHalfEven(count * rate.mantissa, BigInt(per) * powerOf10(rate.scale));
}

/** The cost of `count` units at `rate` US dollars per `per` units, rounded once, half-even, to 12 digits (D5.3). */
export function multiplyRate(count: number, rate: Decimal, per: number): Money {
  const exact = BigInt(count) * rate.mantissa * dollar;
  return divideHalfEven(exact, BigInt(per) * powerOf10(rate.scale));
}

/** `numerator / denominator` rounded to the nearest whole number, half to even. The denominator is above 0. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  const twice = 2n * (remainder < 0n ? -remainder : remainder);
  const roundsAway = twice > denominator || (twice === denominator && quotient % 2n !== 0n);
  if (!roundsAway) return quotient;
  return numerator < 0n ? quotient - 1n : quotient + 1n;
}

/**
 * The double nearest to the exact quotient `numerator / denominator`; for averages, percentages and costs per unit.
 *
 * The quotient is taken to at least 61 significant bits, and its last bit is set when there is a remainder. That bit is
 * below every bit that decides the rounding, so converting bigint → double rounds as the exact value would.
 */
export function divideToNumber(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) throw new RangeError('division by zero');
  if (numerator === 0n) return 0;
  const isNegative = numerator < 0n !== denominator < 0n;
  const dividend = numerator < 0n ? -numerator : numerator;
  const divisor = denominator < 0n ? -denominator : denominator;
  const shift = 64 - (bitLength(dividend) - bitLength(divisor));
  const shiftedDividend = shift > 0 ? dividend << BigInt(shift) : dividend;
  const shiftedDivisor = shift < 0 ? divisor << BigInt(-shift) : divisor;
  const quotient = shiftedDividend / shiftedDivisor;
  const sticky = shiftedDividend % shiftedDivisor === 0n ? quotient : quotient | 1n;
  const magnitude = Number(sticky) * 2 ** -shift;
  return isNegative ? -magnitude : magnitude;
}

const powersOf10: bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOf10(exponent: number): bigint {
  return powersOf10[exponent] ?? 10n ** BigInt(exponent);
}

/** The bit length of a number, or up to 3 more. */
const bitLength = (value: bigint): number => 4 * value.toString(16).length;

function formatScaled(scaled: bigint, scale: number): string {
  const sign = scaled < 0n ? '-' : '';
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(digits.length - scale)}`;
}
