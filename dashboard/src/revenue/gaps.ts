import type { Coverage, RevenueWithoutRate, UnmappedRevenue } from '../api/types.ts';
import { toCount, toCurrency, toDollars } from '../lib/format.ts';

/** Why some revenue does not count, in a sentence, and what to do about it. */
export interface RevenueGap {
  readonly id: string;
  readonly text: string;
  readonly advice: string;
}

type Gaps = Pick<Coverage, 'unmapped_revenue' | 'revenue_without_rate'>;

export const hasRevenueGaps = ({
  unmapped_revenue: unmapped = [],
  revenue_without_rate: unrated = [],
}: Gaps): boolean => unmapped.length > 0 || unrated.length > 0;

const toEntries = (count: number): string => `${toCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
const mostNamed = 3;

const listNames = (names: readonly string[]): string => {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${toCount(more)} more` : ''}`;
};

/** At most two sentences: one about Stripe customers, one about currencies. */
export function listRevenueGaps({
  unmapped_revenue: unmapped = [],
  revenue_without_rate: unrated = [],
}: Gaps): RevenueGap[] {
  const total = unmapped.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...(unmapped.length === 0
      ? []
      : [
          {
            id: 'unmapped',
            text: `${toDollars(total)} of revenue is of Stripe customers without a customer here: ${listNames(unmapped.map(({ stripe_customer }) => stripe_customer))}.`,
            advice: 'Name the customers',
          },
        ]),
    ...(unrated.length === 0
      ? []
      : [
          {
            id: 'unrated',
            text: `${listNames(unrated.map(toUnrated))} of revenue does not count for want of an exchange rate.`,
            advice: 'Add the rates',
          },
        ]),
  ];
}

const toUnrated = ({ currency, amount }: RevenueWithoutRate): string => toCurrency(amount, currency);

export const toUnmappedWords = ({ amount, entries }: UnmappedRevenue): string =>
  `${toDollars(amount)} in ${toEntries(entries)}`;
export const toUnratedWords = ({ currency, amount, entries }: RevenueWithoutRate): string =>
  `${toCurrency(amount, currency)} in ${toEntries(entries)}`;
