// Exact money for the model: whole picodollars (10⁻¹² USD, D5.1) in a BigInt.

const digits = 12;
const one = 10n ** BigInt(digits);

/** The picodollars of a number or decimal text that has at most 12 fractional digits. */
export function picos(value: number | string): bigint {
  return wholeUnits(value, digits);
}

/** A number or decimal text in whole units of 10^-`fractionDigits`; throws if it has more fractional digits. */
export function wholeUnits(value: number | string, fractionDigits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value));
  if (!match) throw new Error(`not a decimal: ${value}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = fractionDigits - fraction.length + Number(exponent);
  const digitsOfValue = BigInt(whole + fraction);
  if (shift < 0 && digitsOfValue % 10n ** BigInt(-shift) !== 0n) {
    throw new Error(`more than ${fractionDigits} digits: ${value}`);
  }
  const size = shift >= 0 ? digitsOfValue * 10n ** BigInt(shift) : digitsOfValue / 10n ** BigInt(-shift);
  return sign === '-' ? -size : size;
}

/** The double nearest to this many picodollars. */
export function dollars(amount: bigint): number {
  return quotient(amount, one);
}

/** The double nearest to `amount` picodollars divided by `count`. */
export function dollarsEach(amount: bigint, count: number): number {
  return count === 0 ? 0 : quotient(amount, one * BigInt(count));
}

/** The double nearest to an exact quotient. */
export function quotient(dividend: bigint, divisor: bigint): number {
  const scale = 10n ** 90n;
  const scaled = (dividend * scale) / divisor;
  return Number(`${scaled}e-90`);
}
