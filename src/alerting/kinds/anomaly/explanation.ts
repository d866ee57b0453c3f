import { addDays, type Period } from '../../../lib/days.ts';
import { byPlural, changedOrder, type WatchedDimension } from '../../../lib/dimensions.ts';
import type { RowsBy } from '../../../reports/changes/rank.ts';
import type { Json } from '../../rule/cause.ts';
import { spellName, spellUsd } from '../../rule/wording.ts';
import type { UnusualCost } from './rule.ts';

interface Row {
  readonly difference: number;
}

/** The part of the answer of `POST /api/changes/` that explains a difference. */
export interface Changes extends RowsBy<Row> {
  readonly before_from: string;
  readonly before_to: string;
  readonly difference: number;
  readonly by_customer: RowsBy<Row>['by_customer'] & {
    readonly causes: readonly { readonly cause: string; readonly amount: number }[];
  };
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
  const rowsOf = (dimension: WatchedDimension) =>
    largest(changes[`by_${dimension}`].rows, ({ difference }) => difference);
  const explanation: Json = {
    before_from: changes.before_from,
    before_to: changes.before_to,
    difference: changes.difference,
    causes: causes.map(({ cause: named, amount }) => ({ cause: named, amount })),
    ...byPlural(changedOrder, (of) => rowsOf(of).map((row) => ({ [of]: row[of] ?? '', difference: row.difference }))),
  };
  const words = causes.map((one) => causeWords[one.cause]?.[sign === 1 ? 0 : 1] ?? one.cause).join(', ');
  const named = changedOrder
    .filter((of) => of !== name.dimension)
    .flatMap((of) =>
      rowsOf(of)
        .slice(0, 1)
        .map((row) => [of, row[of] ?? '', row.difference] as const),
    )
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
