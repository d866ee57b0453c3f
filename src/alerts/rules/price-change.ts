import { pagePath } from '../../lib/page-path.ts';
import type { RateChange } from '../../pricing/check/diff-rates.ts';
import type { Cause } from '../cause.ts';
import type { Settings } from '../settings.ts';
import { spellCount } from '../wording.ts';

/** A model in use whose list price has changed. */
export interface PriceChange {
  /** The catalogue's names. */
  readonly provider: string;
  readonly model: string;
  readonly rates: readonly RateChange[];
  /** Whether the new price is in force, and not only in newer list prices. */
  readonly isInForce: boolean;
  /** Calls on the last days. */
  readonly calls: number;
}

/** How many rates the text of a firing names; its numbers have all. */
const mostNamed = 4;

/**
 * Changed list prices of models in use, one cause for each new price. A cause ends when the price has been in force for
 * `days`, or is withdrawn.
 */
export const findPriceChanges = (changes: readonly PriceChange[], { days }: Settings<'price_change'>): Cause[] =>
  changes.map(
    ({ provider, model, rates, isInForce, calls }): Cause => ({
      subject: { provider, model, after: rates.map(({ rate, after }) => `${rate} ${after ?? 'none'}`).join(', ') },
      state: 'holds',
      numbers: {
        calls,
        days,
        in_force: isInForce,
        rates: rates.map(({ rate, before, after }) => ({ rate, before: toNumber(before), after: toNumber(after) })),
      },
      title: `The list price of ${model} has changed`,
      text: `${model} of ${provider}: ${spellRates(rates)}. ${spellForce(isInForce)} The last ${spellCount(days, 'day')} have ${spellCount(calls, 'call')} of it.`,
      path: pagePath(['prices']),
    }),
  );

function spellRates(rates: readonly RateChange[]): string {
  const named = rates.slice(0, mostNamed).map(({ rate, before, after }) => {
    const per = rate.startsWith('request') ? 'per call' : 'per million tokens';
    return `${rate.replaceAll('_', ' ')} ${spellRate(after)} ${per} instead of ${spellRate(before)}`;
  });
  const more = rates.length - mostNamed;
  return [...named, ...(more > 0 ? [`and ${spellCount(more, 'other rate')}`] : [])].join(', ');
}

/** Keeps all digits, because rates are short. */
const spellRate = (usd: string | null): string => (usd === null ? 'no price' : `$${usd}`);

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const spellForce = (isInForce: boolean): string =>
  isInForce
    ? 'The new price is in force.'
    : 'The new price is not in force yet: "farthing prices update" puts the newer list prices in force.';
