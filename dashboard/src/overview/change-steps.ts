import type { WatchedDimension } from '../../../src/lib/dimensions.ts';
import type { Cause, ChangedAmounts, Changes, RankedChanges } from '../api/types.ts';
import { filtersOfCalls } from '../calls/tag-of-calls.ts';
import type { WaterfallStep } from '../charts/waterfall.tsx';
import { toName, toShortRange, toSigned } from '../lib/format.ts';
import type { Comparison } from '../state/comparison.ts';
import { isTagGroup, type TagGroup } from '../state/group.ts';
import type { Changing, DayRange, Search } from '../state/search.ts';
import { wordsOf } from './cause-words.ts';

/** A row of the waterfall, of its table and of its file. */
export interface ChangeStep extends WaterfallStep {
  /** USD, before, now and their difference; a cause has only a difference. */
  readonly before: number | null;
  readonly now: number | null;
  readonly change: number;
  /** The calls of the row: filters and days of the URL. Undefined for all others together. */
  readonly calls: Partial<Search> | undefined;
  /** Whose it is, where calls can't be filtered by that: its page has them. */
  readonly user?: string | undefined;
}

/** The most customers that a cause names and links to. */
const mostNamed = 6;

/** The steps from the cost before to the cost now. */
export function toSteps(
  of: Changing,
  answer: Changes,
  { days, before }: Comparison,
  ofUsers?: RankedChanges,
): ChangeStep[] {
  const daysBefore = toSearch(before);
  const year = days.to.slice(0, 4);
  const changes =
    of === 'cause'
      ? listCauses(answer, daysBefore)
      : of === 'user'
        ? ofUsers
          ? listNames(of, ofUsers, daysBefore)
          : []
        : isTagGroup(of)
          ? answer.by_tag
            ? listNames(of, answer.by_tag, daysBefore)
            : []
          : listNames(of, answer[`by_${of}`], daysBefore);
  let level = answer.cost_before;
  const steps = changes.map((change): ChangeStep => {
    const from = level;
    level += change.change;
    return { ...change, from, to: level, isTotal: false };
  });
  return [
    toTotal(toShortRange(before, year), answer.cost_before, daysBefore),
    ...steps,
    toTotal(toShortRange(days, year), answer.cost, toSearch(days)),
  ];
}

/** The days as parameters of the URL. */
const toSearch = ({ from, to }: DayRange): Partial<Search> => ({ range: undefined, from, to });

const toTotal = (label: string, cost: number, calls: Partial<Search>): ChangeStep => ({
  id: `total ${label}`,
  label,
  from: 0,
  to: cost,
  isTotal: true,
  before: null,
  now: null,
  change: 0,
  calls,
});

/** A step before its place is known. */
type Unplaced = Omit<ChangeStep, 'from' | 'to' | 'isTotal'>;

function listCauses({ by_customer: { causes: found } }: Changes, daysBefore: Partial<Search>): Unplaced[] {
  return found
    .filter(({ amount }) => amount !== 0)
    .map(({ cause, amount, rows }) => {
      const named = rows.filter((row) => row.amount > 0 === amount > 0).slice(0, mostNamed);
      const customers = named.map(({ customer = '' }) => customer);
      return {
        id: `cause ${cause}`,
        label: wordsOf(cause, amount),
        note: customers.map(toName).join(', '),
        before: null,
        now: null,
        change: amount,
        calls: { customers, ...(cause === 'vanished_customers' && daysBefore) },
      };
    });
}

function listNames(
  by: WatchedDimension | 'user' | TagGroup,
  { rows, others }: RankedChanges,
  daysBefore: Partial<Search>,
): Unplaced[] {
  const toStep = (label: string, row: ChangedAmounts): Omit<Unplaced, 'id' | 'calls'> => ({
    label,
    note: explain(row.parts),
    before: row.cost_before,
    now: row.cost,
    change: row.difference,
  });
  const named = rows.filter(({ difference }) => difference !== 0);
  return [
    ...named.map(({ [isTagGroup(by) ? 'tag' : by]: name = '', ...row }) => ({
      id: `name ${name}`,
      ...toStep(toName(name), row),
      ...(by === 'user'
        ? { user: name, calls: undefined }
        : { calls: toCalls(filtersOfCalls(by, name), row.cost === 0 ? daysBefore : {}) }),
    })),
    ...(others.difference === 0
      ? []
      : [
          {
            id: 'others',
            ...toStep(others.count === 1 ? '1 other' : `${others.count} others`, others),
            calls: undefined,
          },
        ]),
  ];
}

const toCalls = (filters: Partial<Search> | undefined, days: Partial<Search>): Partial<Search> | undefined =>
  filters && { ...filters, ...days };

/** The largest part in words. */
function explain(parts: Readonly<Record<Cause, number>>): string {
  const [largest] = (Object.entries(parts) as [Cause, number][]).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (!largest || largest[1] === 0) return '';
  return `${wordsOf(...largest)} ${toSigned(largest[1])}`;
}
