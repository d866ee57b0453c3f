import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calcAverage,
  decimal,
  divideHalfEven,
  divideToNumber,
  formatDecimal,
  formatMoney,
  multiplyCount,
  multiplyDecimals,
  multiplyRate,
  parseDecimal,
  parseMoney,
  parseWideMoney,
  readMoney,
  toJsonNumber,
  toMoney,
  widen,
  wideToJsonNumber,
} from '../../src/lib/money.ts';

const money = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** A finite double as an exact fraction, by the definition of the format. */
function fractionOf(value: number): { numerator: bigint; denominator: bigint } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & ((1n << 52n) - 1n);
  const mantissa = (exponent === 0n ? fraction : fraction | (1n << 52n)) * (word >> 63n === 1n ? -1n : 1n);
  const power = (exponent === 0n ? 1n : exponent) - 1075n;
  return power >= 0n
    ? { numerator: mantissa << power, denominator: 1n }
    : { numerator: mantissa, denominator: 1n << -power };
}

/** How far a double is from an exact quotient, times a factor that is the same for every double of about this size. */
function distance(value: number, numerator: bigint, denominator: bigint): { numerator: bigint; denominator: bigint } {
  const exact = fractionOf(value);
  return {
    numerator: abs(exact.numerator * denominator - numerator * exact.denominator),
    denominator: exact.denominator * denominator,
  };
}

function isCloser(
  a: { numerator: bigint; denominator: bigint },
  b: { numerator: bigint; denominator: bigint },
): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

/** The doubles next to a finite one. */
function neighbours(value: number): number[] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigInt64(0);
  return [word - 1n, word + 1n].map((next) => {
    bits.setBigInt64(0, next);
    return bits.getFloat64(0);
  });
}

function expectNearest(value: number, numerator: bigint, denominator: bigint): void {
  for (const other of neighbours(value).filter(Number.isFinite)) {
    expect(isCloser(distance(other, numerator, denominator), distance(value, numerator, denominator))).toBe(false);
  }
}

describe('money as text', () => {
  it('is plain decimal text with 12 digits', () => {
    expect(formatMoney(1_900_000_000n)).toBe('0.001900000000');
    expect(formatMoney(-1n)).toBe('-0.000000000001');
    expect(formatMoney(0n)).toBe('0.000000000000');
    expect(formatMoney(10n ** 18n)).toBe('1000000.000000000000');
  });

  it('comes back as it was', () => {
    fc.assert(
      fc.property(money, (amount) => {
        expect(parseMoney(formatMoney(amount))).toBe(amount);
      }),
    );
  });

  it('is read with a sign, an exponent or no fraction', () => {
    expect(parseMoney('+2')).toBe(2_000_000_000_000n);
    expect(parseMoney('-0.5')).toBe(-500_000_000_000n);
    expect(parseMoney('1e-7')).toBe(100_000n);
    expect(parseMoney('12E+2')).toBe(1_200_000_000_000_000n);
    expect(parseMoney('1e3')).toBe(1_000_000_000_000_000n);
    expect(parseMoney(1e21)).toBe(10n ** 33n);
  });

  it('is read up to 400 characters and a power of ten of 400', () => {
    expect(parseMoney('1e400')).toBe(10n ** 412n);
    expect(parseMoney('5e-400')).toBe(0n);
    expect(parseMoney(`1${'0'.repeat(399)}`)).toBe(10n ** 411n);
  });

  it('is not read from anything else', () => {
    for (const text of [
      '',
      ' 1',
      '1 ',
      '.5',
      '1.',
      '1,5',
      '1_000',
      '0x10',
      'NaN',
      'Infinity',
      '--1',
      '1e',
      '1e99999',
      '1e401',
      '1e-401',
      `1${'0'.repeat(400)}`,
    ]) {
      expect(parseMoney(text)).toBeNull();
    }
    expect(parseMoney(Number.NaN)).toBeNull();
    expect(parseMoney(Number.POSITIVE_INFINITY)).toBeNull();
  });

  it('rounds digits beyond the twelfth half-even', () => {
    expect(parseMoney('0.0000000000005')).toBe(0n);
    expect(parseMoney('0.0000000000015')).toBe(2n);
    expect(parseMoney('0.0000000000025')).toBe(2n);
    expect(parseMoney('-0.0000000000015')).toBe(-2n);
    expect(parseMoney('0.00000000000250000000001')).toBe(3n);
  });
});

describe('decimals', () => {
  it('hold a number by its shortest text, in lowest terms', () => {
    expect(parseDecimal(0.075)).toEqual({ mantissa: 75n, scale: 3 });
    expect(parseDecimal('2.500')).toEqual({ mantissa: 25n, scale: 1 });
    expect(parseDecimal('0.000')).toEqual({ mantissa: 0n, scale: 0 });
    expect(parseDecimal(5e-324)).toEqual({ mantissa: 5n, scale: 324 });
  });

  it('give every finite number back', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const exact = parseDecimal(value);
        expect(exact && Number(formatDecimal(exact)) + 0).toBe(value + 0);
      }),
    );
  });

  it('are equal exactly when their values are', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat({ max: 30 }), fc.nat({ max: 30 }), (mantissa, scale, zeros) => {
        expect(decimal(mantissa * 10n ** BigInt(zeros), scale + zeros)).toEqual(decimal(mantissa, scale));
      }),
    );
  });

  it('become money as their text does', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat({ max: 30 }), (mantissa, scale) => {
        const exact = decimal(mantissa, scale);
        expect(toMoney(exact)).toBe(parseMoney(formatDecimal(exact)));
      }),
    );
  });
});

describe('rounding half-even', () => {
  it('takes the nearest whole number, and of two the even one', () => {
    fc.assert(
      fc.property(money, positive, (numerator, denominator) => {
        const rounded = divideHalfEven(numerator, denominator);
        const twiceOff = 2n * abs(rounded * denominator - numerator);
        expect(twiceOff <= denominator).toBe(true);
        if (twiceOff === denominator) expect(rounded % 2n).toBe(0n);
      }),
    );
  });

  it('takes the even one of two at every tie', () => {
    fc.assert(
      fc.property(money, positive, (whole, half) => {
        const rounded = divideHalfEven((2n * whole + 1n) * half, 2n * half);
        expect(rounded === whole || rounded === whole + 1n).toBe(true);
        expect(rounded % 2n).toBe(0n);
      }),
    );
  });

  it('costs tokens at a rate exactly, rounded once', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 4_000_000_000 }),
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.nat({ max: 20 }),
        (tokens, mantissa, scale) => {
          const amount = multiplyRate(tokens, decimal(mantissa, scale), 1_000_000);
          const exactNumerator = BigInt(tokens) * mantissa * 10n ** 12n;
          const exactDenominator = 1_000_000n * 10n ** BigInt(scale);
          const twiceOff = 2n * abs(amount * exactDenominator - exactNumerator);
          expect(twiceOff <= exactDenominator).toBe(true);
          if (twiceOff === exactDenominator) expect(amount % 2n).toBe(0n);
        },
      ),
    );
  });

  it('needs none for a rate of at most 6 fractional digits per million tokens (D5.3)', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000_000 }), fc.nat(), (tokens, mantissa) => {
        expect(multiplyRate(tokens, decimal(BigInt(mantissa), 6), 1_000_000)).toBe(BigInt(tokens) * BigInt(mantissa));
      }),
    );
  });
});

describe('money as a JSON number (D5.1)', () => {
  it('is the nearest double', () => {
    expect(toJsonNumber(1_900_000_000n)).toBe(0.0019);
    expect(toJsonNumber(-2_500_000_000_000n)).toBe(-2.5);
    expect(toJsonNumber(0n)).toBe(0);
    fc.assert(
      fc.property(money, (amount) => {
        expect(toJsonNumber(amount)).toBe(Number(formatMoney(amount)));
      }),
    );
  });

  it('is the nearest double of a quotient', () => {
    fc.assert(
      fc.property(money, positive, (numerator, denominator) => {
        expectNearest(divideToNumber(numerator, denominator), numerator, denominator);
      }),
      { numRuns: 500 },
    );
  });

  it('takes the even double of two at a tie', () => {
    // 2^53 + 1 lies between two doubles; so does 2^53 + 3.
    expect(divideToNumber(2n ** 53n + 1n, 1n)).toBe(2 ** 53);
    expect(divideToNumber(2n ** 53n + 3n, 1n)).toBe(2 ** 53 + 4);
    expect(divideToNumber(3n * (2n ** 53n + 1n), 3n)).toBe(2 ** 53);
    expect(divideToNumber(3n * (2n ** 53n + 1n) + 1n, 3n)).toBe(2 ** 53 + 2);
    // However little is beyond the tie, it decides.
    expect(divideToNumber((2n ** 53n + 1n) * 2n ** 100n + 1n, 2n ** 100n)).toBe(2 ** 53 + 2);
  });

  it('divides by a negative number, and not by zero', () => {
    expect(divideToNumber(1n, -4n)).toBe(-0.25);
    expect(divideToNumber(-1n, -4n)).toBe(0.25);
    expect(divideToNumber(0n, -4n)).toBe(0);
    for (const numerator of [1n, 0n]) {
      expect(() => divideToNumber(numerator, 0n)).toThrow(new RangeError('division by zero'));
    }
  });

  it('averages without rounding in between', () => {
    expect(calcAverage(1n, 3)).toBe(Number('3.3333333333333333333e-13'));
    fc.assert(
      fc.property(
        money,
        fc.nat({ max: 1_000_000_000 }).map((count) => count + 1),
        (total, count) => {
          expect(calcAverage(total, count)).toBe(divideToNumber(total, BigInt(count) * 10n ** 12n));
          expectNearest(calcAverage(total, count), total, BigInt(count) * 10n ** 12n);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('money that credits were taken off (D7.3)', () => {
  it('is read with all of its 30 digits', () => {
    expect(parseWideMoney('0.000000000000000000000000000001')).toBe(1n);
    expect(parseWideMoney('-2.5')).toBe(-25n * 10n ** 29n);
    expect(parseWideMoney(formatMoney(1_900_000_000n))).toBe(widen(1_900_000_000n));
  });

  it('is never cut short: text with more digits, or that is no amount, is refused', () => {
    for (const text of ['0.0000000000000000000000000000001', '', 'nan']) {
      expect(() => parseWideMoney(text)).toThrow(new RangeError(`${text} is not an amount of money`));
    }
  });

  it('is the nearest double in an answer', () => {
    expect(wideToJsonNumber(widen(1_900_000_000n))).toBe(0.0019);
    expect(wideToJsonNumber(1n)).toBe(1e-30);
    expect(wideToJsonNumber(-(10n ** 30n) / 3n)).toBe(-1 / 3);
  });
});

it('products of decimals are exact, and those of counts and rates are rounded once', () => {
  expect(multiplyDecimals(decimal(-25n, 1), decimal(12n, 2))).toEqual(decimal(-300n, 3));
  // 2.5 units at 0.3 USD per 4 of them; a third and two thirds of a picodollar.
  expect(multiplyCount(2_500_000_000_000n, decimal(3n, 1), 4)).toBe(187_500_000_000n);
  expect([1n, 2n].map((count) => multiplyCount(count, decimal(1n, 0), 3))).toEqual([0n, 1n]);
});

it('an amount that a store has written is read, and nothing else is taken for one', () => {
  expect(readMoney('-1.5')).toBe(-1_500_000_000_000n);
  for (const text of [undefined, '', 'NULL'])
    expect(() => readMoney(text)).toThrow(`${text} is not an amount of money`);
});
