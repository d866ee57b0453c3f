import { z } from 'zod';
import { type Decimal, parseDecimal } from './money.ts';

export interface DecimalBounds {
  /** Inclusive, unless `isAboveLeast`. */
  readonly least: bigint;
  readonly isAboveLeast?: boolean;
  /** Inclusive. */
  readonly most: bigint;
  readonly maxFractionalDigits: number;
}

/** Longer text has more digits than any bound allows. */
const maxTextLength = 64;

/** A decimal in a body, read exactly: a number, or decimal text where a double has too few digits (D5.1). */
export const decimalField = ({ least, isAboveLeast = false, most, maxFractionalDigits }: DecimalBounds) =>
  z
    .union([z.number(), z.string().max(maxTextLength)], { error: 'must be a number or a decimal string' })
    .transform((value, context): Decimal => {
      const fault = (message: string, code: string) => {
        context.issues.push({ code: 'custom', input: value, message, params: { code } });
        return z.NEVER;
      };
      const decimal = parseDecimal(value);
      if (!decimal) return fault('must be a number or a decimal string', 'invalid_value');
      const { mantissa, scale } = decimal;
      const one = 10n ** BigInt(scale);
      const isTooSmall = isAboveLeast ? mantissa <= least * one : mantissa < least * one;
      if (isTooSmall || mantissa > most * one) {
        const range = isAboveLeast ? `above ${least} and at most ${most}` : `from ${least} to ${most}`;
        return fault(`must be ${range}`, 'out_of_range');
      }
      if (scale > maxFractionalDigits) {
        return fault(`must have at most ${maxFractionalDigits} fractional digits`, 'invalid_value');
      }
      return decimal;
    })
    .meta({
      anyOf: [
        {
          type: 'number',
          [isAboveLeast ? 'exclusiveMinimum' : 'minimum']: Number(least),
          maximum: Number(most),
        },
        { type: 'string' },
      ],
    });
