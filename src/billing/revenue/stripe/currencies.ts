import { decimal, type Money, toMoney } from '../../../lib/money.ts';

/** Without hundredths in Stripe's API. It counts ISK and UGX in hundredths, although they have none. */
const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const withThreeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The number of fractional digits that an amount of Stripe has. @param currency in upper case */
export function fractionalDigits(currency: string): number {
  if (withoutDecimals.has(currency)) return 0;
  return withThreeDecimals.has(currency) ? 3 : 2;
}

/** Converts minor units to an amount of the currency, with 12 fractional digits. */
export const toMajor = (minor: bigint, currency: string): Money => toMoney(decimal(minor, fractionalDigits(currency)));
