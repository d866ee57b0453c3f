import type { Waste, WasteCause, WasteRow } from '../api/types.ts';
import { toCount, toDollars, toShare } from '../lib/format.ts';
import { type Search, type Swap, wasteCauses } from '../state/search.ts';

export const wasteLabels: Readonly<Record<WasteCause, string>> = {
  failed: 'Failed calls',
  retried: 'Retries',
  aborted: 'Answers not read to their end',
  uncached_input: 'Input that could have been cached',
  dearer_model: 'Models with a cheaper alternative',
};

/** The causes that can be asked about. A dearer model is one only beside the models that it is compared with. */
export const listCauses = (swap: Swap | undefined): readonly WasteCause[] =>
  wasteCauses.filter((cause) => cause !== 'dearer_model' || swap !== undefined);

/** The fields of a request for wasted calls. */
export function toWasteBody({ waste, swap }: Search): {
  readonly waste?: readonly WasteCause[];
  readonly alternatives?: Swap | undefined;
} {
  const known = listCauses(swap);
  const causes = waste?.filter((cause) => known.includes(cause)) ?? [];
  return causes.length === 0 ? {} : { waste: causes, ...(causes.includes('dearer_model') && { alternatives: swap }) };
}

/** An amount, with "at most" where it is a bound. */
export const toWastedWords = ({ bound, amount }: Pick<WasteRow, 'bound' | 'amount'>, write = toDollars): string =>
  `${bound === 'upper' && amount > 0 ? 'at most ' : ''}${write(amount)}`;

/** How many calls have causes of these bounds, as the amounts beside them do. */
export const countWasted = (
  { rows }: { readonly rows: readonly Pick<WasteRow, 'bound' | 'calls'>[] },
  bounds: readonly WasteRow['bound'][],
): number => rows.reduce((sum, { bound, calls }) => (bounds.includes(bound) ? sum + calls : sum), 0);

/** As in the API's next steps. */
const daysOfMonth = 30;
/** What an amount of so many days is in 30 days. */
export const toMonthly = (amount: number, days: number): number => (amount * daysOfMonth) / days;

/** From this share on a cause is "most" of the waste. */
const most = 0.5;

/** The causes, the largest amount first. */
export const rankCauses = <Row extends Pick<WasteRow, 'amount'>>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => b.amount - a.amount);

/** What most of the waste may be, by bounds; undefined when there is none, or no cause that is most of it. */
export function remarkOnWaste({ wasted, wasted_at_most: atMost, rows }: Waste): string | undefined {
  const [first] = rankCauses(rows);
  if (!first || atMost <= 0 || first.amount < most * atMost) return undefined;
  const calls = `${toCount(first.calls)} ${first.calls === 1 ? 'call' : 'calls'}`;
  const whole = toWastedWords({ bound: atMost > wasted ? 'upper' : 'exact', amount: atMost });
  return `${wasteLabels[first.cause]}: ${toWastedWords(first)} in ${calls}${first.amount === atMost ? ', all of the waste' : `, ${toShare(first.amount / atMost)} of the waste of all causes, ${whole}`}.`;
}
