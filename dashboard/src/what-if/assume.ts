// What a dry run assumes, and what its answer says in words.

import type { AssumedPrice, Assumption, RepriceDetail } from '../api/types.ts';
import { toExactDollars, toName, toPercent, toShortName, toWords } from '../lib/format.ts';
import type { Search } from '../state/search.ts';

export const tiers: Readonly<Record<string, string>> = {
  '': 'as it was',
  standard: 'standard',
  batch: 'batch',
  flex: 'flex',
  priority: 'priority',
};

/** The assumption of a URL and of prices beside it; undefined when it has none. */
export function toAssumption(
  { swap, cached, tier }: Search,
  overrides: readonly AssumedPrice[] = [],
): Assumption | undefined {
  if (swap === undefined && cached === undefined && tier === undefined && overrides.length === 0) return undefined;
  return {
    ...(swap && { models: swap }),
    ...(overrides.length > 0 && { overrides }),
    // The digits that the API takes; a division may leave more.
    ...(cached !== undefined && { cached_share: Number((cached / 100).toFixed(6)) }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}

/** The same as a URL has it, without prices. */
export const toSearch = ({
  models,
  cached_share: cached,
  service_tier: tier,
}: Assumption): Pick<Search, 'swap' | 'cached' | 'tier'> => ({
  swap: models ?? undefined,
  cached: cached === undefined || cached === null ? undefined : Number((100 * cached).toFixed(4)),
  tier: tier ?? undefined,
});

/** An assumption in words, such as `gpt-5-mini instead of gpt-4o; 50.0% of the input cached`. */
export function toAssumedWords({ models, cached_share: cached, service_tier: tier, overrides }: Assumption): string {
  return [
    ...Object.entries(models ?? {}).map(([from, to]) => `${to} instead of ${from}`),
    ...(overrides ?? []).map(toPriceWords),
    ...(cached === undefined ? [] : [`${toPercent(100 * cached)} of the input cached`]),
    ...(tier === undefined ? [] : [`the service tier ${tier}`]),
  ].join('; ');
}

/** The fields of a rate, with the words for it. */
const rateWords = {
  input_per_mtok: 'input',
  output_per_mtok: 'output',
  cache_read_per_mtok: 'cached input',
} as const;

/** A price in words, such as `house-llm* at $0.50 input, $1.50 output for a million tokens`. */
function toPriceWords(price: AssumedPrice): string {
  const { model, per_request: perCall } = price;
  const rates = Object.entries(rateWords).flatMap(([field, word]) =>
    isAmount(price[field]) ? [`${toExactDollars(price[field])} ${word}`] : [],
  );
  const words = `${toName(model)} at ${rates.join(', ')} for a million tokens`;
  return isAmount(perCall) ? `${words} and ${toExactDollars(perCall)} a call` : words;
}

const isAmount = (value: unknown): value is number => typeof value === 'number';

/** On how many days it would have been cheaper or dearer; undefined without days. */
export function remarkOnDays(days: RepriceDetail['by_day']): string | undefined {
  const cheaper = days.filter(({ before, after }) => after < before).length;
  const dearer = days.filter(({ before, after }) => after > before).length;
  if (cheaper + dearer === 0) return days.length > 0 ? 'The same on every day.' : undefined;
  if (cheaper === 0 || dearer === 0) {
    const word = dearer === 0 ? 'Cheaper' : 'More expensive';
    const changed = cheaper + dearer;
    return changed === days.length ? `${word} on every day.` : `${word} on ${changed} of ${days.length} days.`;
  }
  return `Cheaper on ${cheaper} of ${days.length} days, more expensive on ${dearer}.`;
}

/** Who would begin or cease to cost more than they pay; undefined when nobody would. */
export function remarkOnCustomers(customers: RepriceDetail['by_customer']): string | undefined {
  const known = customers.flatMap(({ customer, margin_before: before, margin_after: after }) =>
    customer === '' || before === null || after === null || before === undefined || after === undefined
      ? []
      : [{ customer, before, after }],
  );
  const gains = known
    .filter(({ before, after }) => before < 0 && after >= 0)
    .map(({ customer }) => toShortName(customer));
  const loses = known
    .filter(({ before, after }) => before >= 0 && after < 0)
    .map(({ customer }) => toShortName(customer));
  const parts = [
    ...(gains.length > 0 ? [`${toNames(gains)} would pay more than they cost`] : []),
    ...(loses.length > 0 ? [`${toNames(loses)} would cost more than they pay`] : []),
  ];
  return parts.length > 0 ? `${parts.join('; ')}.` : undefined;
}

/** For which tokens no price of their own is known; undefined where there are none. */
export function remarkOnWidened(rows: RepriceDetail['widened']): string | undefined {
  if (!rows || rows.length === 0) return undefined;
  const kinds = rows.map(({ model, kinds }) => `${kinds.map(toWords).join(' and ')} of ${toName(model)}`);
  return `No price is known for ${toNames(kinds)}: such tokens cost what a wider kind does.`;
}

const mostNamed = 3;
const toNames = (names: readonly string[]): string =>
  names.length > mostNamed
    ? `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`
    : names.join(', ');
