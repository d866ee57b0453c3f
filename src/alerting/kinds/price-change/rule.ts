import type { Day } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import type { RateChange } from '../../../pricing/check/diff-rates.ts';
import { oldListDays } from '../../../pricing/further-list.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import { spellCount } from '../../rule/wording.ts';
import type { priceChange } from './kind.ts';

/** A model in use whose list price has changed. */
export interface PriceChange {
  /** The catalogue's names. */
  readonly provider: string;
  readonly model: string;
  readonly rates: readonly RateChange[];
  /** Whether the new price is in force, and not only in newer list prices. */
  readonly isInForce: boolean;
  /** The day from which on the price applies by its own date, in UTC; undefined when it applies already. */
  readonly from: Day | undefined;
  /** Calls on the last days. */
  readonly calls: number;
}

/** A further list whose data is old and that prices calls. */
export interface OldList {
  readonly list: string;
  readonly ageDays: number;
  /** Calls on the last days. */
  readonly calls: number;
}

/** How many rates the text of a firing names; its numbers have all. */
const mostNamed = 4;

/** One cause for each new price of a model in use, until it has been in force for `days` or is withdrawn. */
export const findPriceChanges = (changes: readonly PriceChange[], { days }: SettingsOf<typeof priceChange>): Cause[] =>
  changes.map(
    ({ provider, model, rates, isInForce, from, calls }): Cause => ({
      subject: { provider, model, after: rates.map(({ rate, after }) => `${rate} ${after ?? 'none'}`).join(', ') },
      state: 'holds',
      numbers: {
        calls,
        days,
        in_force: isInForce,
        from: from ?? null,
        rates: rates.map(({ rate, before, after }) => ({ rate, before: toNumber(before), after: toNumber(after) })),
      },
      title: `The list price of ${model} ${from === undefined ? 'has changed' : `changes on ${from}`}`,
      text: `${model} of ${provider}: ${spellRates(rates)}. ${spellForce(isInForce, from)} ${model} had ${spellCount(calls, 'call')} in the last ${spellCount(days, 'day')}.`,
      path: linkPath(['prices']),
    }),
  );

/** One cause for all old lists, so that they are told once. */
export function findOldLists(lists: readonly OldList[]): Cause[] {
  if (lists.length === 0) return [];
  const calls = lists.reduce((sum, list) => sum + list.calls, 0);
  const spelled = lists.map(({ list, ageDays }) => `${list} (${spellCount(ageDays, 'day')})`).join(', ');
  return [
    {
      subject: { old: 'further lists' },
      state: 'holds',
      numbers: {
        calls,
        lists: lists.map(({ list, ageDays, calls: ofList }) => ({ list, age_days: ageDays, calls: ofList })),
      },
      title: 'Price lists are old',
      text: `The price of ${spellCount(calls, 'call')} is from a list older than ${oldListDays} days: ${spelled}. "farthing prices update --from" takes newer ones.`,
      path: linkPath(['prices']),
    },
  ];
}

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

const spellForce = (isInForce: boolean, from: Day | undefined): string =>
  from !== undefined
    ? `The new price applies from ${from} on.`
    : isInForce
      ? 'The new price is in force.'
      : 'The new price is not in force yet: "farthing prices update" puts the newer list prices in force.';
