import { addDays, type Period } from '../../../lib/days.ts';
import type { Json } from '../../rule/cause.ts';
import { spellName, spellUsd } from '../../rule/wording.ts';
import type { UnusualCost } from './rule.ts';

interface Row {
  readonly difference: number;
}

/** The part of the answer of `POST /api/changes/` that explains a difference. */
export interface Changes {
  readonly before_from: string;
  readonly before_to: string;
  readonly difference: number;
  readonly by_customer: {
    readonly rows: readonly (Row & { readonly customer: string })[];
    readonly causes: readonly { readonly cause: string; readonly amount: number }[];
  };
  readonly by_model: { readonly rows: readonly (Row & { readonly model: string })[] };
  readonly by_feature: { readonly rows: readonly (Row & { readonly feature: string })[] };
}

/** The most causes and names of each dimension that an explanation has. */
const mostNamed = 3;

const causeWords: Readonly<Record<string, readonly [up: string, down: string]>> = {
  calls: ['more calls', 'fewer calls'],
  mix: ['costlier models', 'cheaper models'],
  failures: ['fewer failures', 'more failures'],
  tokens_per_call: ['longer calls', 'shorter calls'],
  cached_share: ['less caching', 'more caching'],
  prices: ['higher prices', 'lower prices'],
  new_customers: ['customers without calls a week before', 'customers without calls a week before'],
  vanished_customers: ['customers without calls now', 'customers without calls now'],
};

/** The range to compare with: the same weekdays of the week before. */
export const weekBefore = ({ from, to }: Pick<UnusualCost, 'from' | 'to'>): Period => ({
  dateFrom: addDays(from, -7),
  dateTo: addDays(to, -7),
});

/** Adds what changed most in the direction of the cost; nothing without a change in that direction. */
export function explain({ cause, name, direction, hours }: UnusualCost, changes: Changes): UnusualCost['cause'] {
  const sign = direction === 'up' ? 1 : -1;
  const largest = <Item>(items: readonly Item[], amountOf: (item: Item) => number): Item[] =>
    items.filter((item) => amountOf(item) * sign > 0).slice(0, mostNamed);
  if (changes.difference * sign <= 0) return cause;
  const causes = largest(changes.by_customer.causes, ({ amount }) => amount);
  const customers = largest(changes.by_customer.rows, ({ difference }) => difference);
  const models = largest(changes.by_model.rows, ({ difference }) => difference);
  const features = largest(changes.by_feature.rows, ({ difference }) => difference);
  const explanation: Json = {
    before_from: changes.before_from,
    before_to: changes.before_to,
    difference: changes.difference,
    causes: causes.map(({ cause: named, amount }) => ({ cause: named, amount })),
    customers: customers.map(({ customer, difference }) => ({ customer, difference })),
    models: models.map(({ model, difference }) => ({ model, difference })),
    features: features.map(({ feature, difference }) => ({ feature, difference })),
  };
  const words = causes.map((one) => causeWords[one.cause]?.[sign === 1 ? 0 : 1] ?? one.cause).join(', ');
  const named = [
    ...customers.slice(0, 1).map((row) => ['customer', row.customer, row.difference] as const),
    ...models.slice(0, 1).map((row) => ['model', row.model, row.difference] as const),
    ...features.slice(0, 1).map((row) => ['feature', row.feature, row.difference] as const),
  ]
    .filter(([dimension]) => dimension !== name.dimension)
    .map(([of, one, difference]) => `${spellName(of, one)} (${difference > 0 ? '+' : ''}${spellUsd(difference)})`);
  const most =
    named.length === 0
      ? ''
      : ` The largest changes from ${hours === undefined ? '' : 'the same hours '}a week before: ${named.join(', ')}.`;
  return {
    ...cause,
    numbers: { ...cause.numbers, explanation },
    text: `${cause.text}${words === '' ? '' : ` It comes from ${words}.`}${most}`,
  };
}
