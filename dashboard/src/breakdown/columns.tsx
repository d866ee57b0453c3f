import type { CostRow, UsageRow } from '../api/types.ts';
import { filtersOfCalls } from '../calls/tag-of-calls.ts';
import { toCompactCount, toCount, toShare, toTitle } from '../lib/format.ts';
import { filtersOf, type Group, nameGroup } from '../state/group.ts';
import type { DayRange, Search } from '../state/search.ts';
import { isUnpriced } from '../state/unpriced.ts';
import { ChangeHead, Compared } from '../ui/compared.tsx';
import type { Column } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { NamePriced } from '../ui/no-price.tsx';

export interface BreakdownRow {
  readonly name: string;
  readonly cost: CostRow;
  readonly usage: UsageRow | undefined;
  /** Its cost in the last seven days; undefined while loading or when not requested. */
  readonly week: number | undefined;
  /** Its cost in the days that are compared and in those before; undefined while loading or when not requested. */
  readonly change: { readonly now: number; readonly before: number } | undefined;
}

const outputBuckets = /^(output|reasoning)/;
const cachedBuckets = /^cache_read/;

/** The tokens of one kind. They are whole numbers, so the sum is exact. */
export function countTokens(tokens: Readonly<Record<string, number>>, kind: 'input' | 'cached' | 'output'): number {
  return Object.entries(tokens).reduce((sum, [bucket, count]) => {
    const its = outputBuckets.test(bucket) ? 'output' : cachedBuckets.test(bucket) ? 'cached' : 'input';
    return its === kind ? sum + count : sum;
  }, 0);
}

const tokensOf =
  (kind: 'input' | 'cached' | 'output') =>
  ({ usage }: BreakdownRow): number =>
    countTokens(usage?.tokens ?? {}, kind);

const calcErrorShare = ({ usage }: BreakdownRow) => (usage && usage.calls > 0 ? usage.errors / usage.calls : 0);
const toSomeUnpriced = (usage: UsageRow | undefined) =>
  usage && !isUnpriced(usage)
    ? `${toCount(usage.unpriced_calls)} of ${toCount(usage.calls)} without a price`
    : undefined;
/** Nothing where there is a cost, but no run of a feature. */
const toRunCost = (cost: CostRow, of: 'avg' | 'max') =>
  cost.max_feature_run_cost === 0 && cost.cost > 0 ? null : cost[`${of}_feature_run_cost`];
/** Nothing where no call says how long it took. */
const calcAverageMs = ({ usage }: BreakdownRow) =>
  usage && usage.elapsed_ms_sum > 0 ? usage.elapsed_ms_sum / usage.calls : null;

interface BreakdownOptions {
  /** The days before, that are compared; undefined where none are. */
  readonly before: DayRange | undefined;
  /** Whether the last seven days have a column. */
  readonly hasWeek: boolean;
  /** USD, of all rows. */
  readonly total: number;
  /** The filters of the page that the URL does not have: links take them along. */
  readonly within?: Partial<Search> | undefined;
}

/** A name leads to what it is made of by another dimension, and its figures to their calls, where a filter finds them. */
export function toBreakdownColumns(
  group: Group,
  { before, hasWeek, total, within }: BreakdownOptions,
): readonly Column<BreakdownRow>[] {
  const doorTo =
    (to: string, asked: Partial<Search> = {}) =>
    ({ name }: BreakdownRow): DoorTo | undefined => {
      const filters = (to === '/calls' ? filtersOfCalls : filtersOf)(group, name);
      return filters && { to, search: { ...within, ...filters, ...asked } };
    };
  const toCalls = doorTo('/calls');
  const toDearest = doorTo('/calls', { order: 'dearest' });
  const toLongest = doorTo('/calls', { order: 'most_tokens' });
  const parts = group === 'feature' ? '/models' : '/features';
  // A model has a price or none; a feature with one call without a price still says something.
  const hasNoPrice = (usage: UsageRow | undefined) =>
    group === 'model' || group === 'provider' ? (usage?.unpriced_calls ?? 0) > 0 : isUnpriced(usage);
  const isCostUnknown = ({ cost, usage, change }: BreakdownRow) =>
    isUnpriced(usage) && cost.cost === 0 && !change?.before;
  const columns: Column<BreakdownRow>[] = [
    {
      id: 'name',
      title: toTitle(nameGroup(group)),
      value: ({ name }) => name,
      show: ({ name, usage }) => <NamePriced name={name} isUnpriced={hasNoPrice(usage)} some={toSomeUnpriced(usage)} />,
      door: doorTo(parts),
    },
    { ...dollarsOf('cost', 'Cost', ({ cost }) => cost.cost), door: toDearest },
    {
      ...number('share', 'Share', ({ cost }) => (total === 0 ? 0 : cost.cost / total), toShare),
      unit: 'share',
      isExtra: true,
    },
    ...(hasWeek
      ? [{ ...dollarsOf('week', 'Last 7 days', ({ week }) => week ?? null), door: doorTo(parts, lastWeek) }]
      : []),
    ...(before ? [{ ...beforeColumn, door: doorTo('/calls', { range: undefined, ...before, order: 'dearest' }) }] : []),
    { ...number('calls', 'Calls', ({ usage }) => usage?.calls ?? 0, toCount), door: toCalls },
    {
      ...dollarsOf('per_call', 'Cost per call', ({ cost, usage }) => (usage?.calls ? cost.cost / usage.calls : 0)),
      door: toDearest,
      isExtra: true,
    },
    { ...dollarsOf('avg', 'Average run', ({ cost }) => toRunCost(cost, 'avg')), door: toCalls },
    {
      ...dollarsOf('max', 'Most expensive run', ({ cost }) => toRunCost(cost, 'max')),
      door: toDearest,
      isExtra: true,
    },
    { ...number('input', 'Tokens in', tokensOf('input'), toCompactCount), door: toLongest },
    { ...number('cached', 'Cached', tokensOf('cached'), toCompactCount), door: toLongest },
    { ...number('output', 'Tokens out', tokensOf('output'), toCompactCount), door: toLongest },
    {
      id: 'time',
      title: 'Latency',
      isNumber: true,
      unit: 'ms',
      value: calcAverageMs,
      door: doorTo('/calls', { order: 'slowest' }),
    },
    {
      ...number('failed', 'Failed calls', ({ usage }) => usage?.errors ?? 0, toCount),
      door: doorTo('/calls', { waste: ['failed'] }),
      isExtra: true,
    },
    {
      ...number('errors', 'Errors', calcErrorShare, (share) => toShare(share, 2)),
      unit: 'share',
      door: doorTo('/calls', { waste: ['failed'] }),
    },
  ];
  return columns.map((column) =>
    column.unit === 'USD' || column.id === 'share' ? { ...column, isUnpriced: isCostUnknown } : column,
  );
}

const beforeColumn: Column<BreakdownRow> = {
  id: 'before',
  title: 'Before',
  beside: <ChangeHead />,
  isNumber: true,
  unit: 'USD',
  value: ({ change }) => change?.before ?? null,
  show: ({ change }, dollars) => change && <Compared {...change} format={dollars} isGoodUp={false} />,
};

const lastWeek: Partial<Search> = { range: '7d', from: undefined, to: undefined, every: undefined };

const dollarsOf = (id: string, title: string, value: (row: BreakdownRow) => number | null): Column<BreakdownRow> => ({
  ...{ id, title, unit: 'USD', isNumber: true, value },
});

const number = (
  id: string,
  title: string,
  value: (row: BreakdownRow) => number,
  format: (value: number) => string,
): Column<BreakdownRow> => ({ id, title, isNumber: true, value, show: (row) => format(value(row)) });
