import { dimensionNames, dimensions } from '../../../src/lib/dimensions.ts';
import type { Budget, BudgetScope, BudgetStanding } from '../api/types.ts';
import { type AnyFilter, type Chosen, filterLabels, isTagFilter } from '../filters/picker.tsx';
import { toExactDollars, toName } from '../lib/format.ts';
import type { DoorTo } from '../ui/door.tsx';

/** The filters that a budget may have. */
export const scopeFilters: readonly AnyFilter[] = [...dimensionNames.map((name) => dimensions[name].plural), 'ctags'];
/** Up to this many names of a filter are listed. */
const mostNames = 3;

export const toChosen = ({ customer_tags: ctags, ...names }: BudgetScope): Chosen => ({ ...names, ctags });

export const toScope = (chosen: Chosen): BudgetScope => ({
  ...Object.fromEntries(
    dimensionNames.flatMap((name) => {
      const { plural } = dimensions[name];
      const names = chosen[plural];
      return names ? [[plural, names]] : [];
    }),
  ),
  ...(chosen.ctags && { customer_tags: chosen.ctags }),
});

/** Which calls count, in words. */
export function toScopeWords(scope: BudgetScope): string {
  const { ctags = {}, ...chosen } = toChosen(scope);
  const names = scopeFilters.flatMap((filter) => {
    const values = isTagFilter(filter) ? undefined : chosen[filter];
    if (!values) return [];
    const listed = values.length > mostNames ? `${values.length} chosen` : values.map(toName).join(' or ');
    return [`${filterLabels[filter].toLowerCase()} ${listed}`];
  });
  const tags = Object.entries(ctags).map(([key, values]) => `customer tag ${key}: ${values.map(toName).join(' or ')}`);
  return names.length + tags.length === 0 ? 'all calls' : [...names, ...tags].join(', ');
}

/** The amount and how often it begins anew, in words. */
export const toAmountWords = ({ amount, period, window, each }: Budget): string =>
  `${toExactDollars(amount)} ${period === null ? `in ${window}` : period === 'hour' ? 'an hour' : `a ${period}`}${each === null ? '' : ` for each ${each}`}`;

/** The calls of its period that count for a budget, the dearest first. */
export const toCallsDoor = ({
  scope,
  period_from: from,
  period_to: to,
  apply_credits: credits,
}: BudgetStanding): DoorTo => ({
  to: '/calls',
  search: { ...toChosen(scope), range: undefined, from, to, order: 'dearest', ...(credits && { credits }) },
});
