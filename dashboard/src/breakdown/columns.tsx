import { Link } from '@tanstack/react-router';
import type { CostRow, UsageRow } from '../api/types.ts';
import { toCompactCount, toCount, toDuration, toName, toShare, toTitle } from '../lib/format.ts';
import { filtersOf, type Group, nameGroup } from '../state/group.ts';
import type { Search } from '../state/search.ts';
import { Compared } from '../ui/compared.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Name } from '../ui/name.tsx';

export interface BreakdownRow {
  readonly name: string;
  readonly cost: CostRow;
  readonly usage: UsageRow | undefined;
  /** Its cost in the days that are compared and in those before; undefined while loading or when not requested. */
  readonly change: { readonly now: number; readonly before: number } | undefined;
}

const outputBuckets = /^(output|reasoning)/;
const cachedBuckets = /^cache_read/;

/** The tokens of one kind. They are whole numbers, so the sum is exact. */
function countTokens({ usage }: BreakdownRow, kind: 'input' | 'cached' | 'output'): number {
  return Object.entries(usage?.tokens ?? {}).reduce((sum, [bucket, count]) => {
    const its = outputBuckets.test(bucket) ? 'output' : cachedBuckets.test(bucket) ? 'cached' : 'input';
    return its === kind ? sum + count : sum;
  }, 0);
}

const calcErrorShare = ({ usage }: BreakdownRow) => (usage && usage.calls > 0 ? usage.errors / usage.calls : 0);
const calcAverageMs = ({ usage }: BreakdownRow) => (usage && usage.calls > 0 ? usage.elapsed_ms_sum / usage.calls : 0);

interface BreakdownOptions {
  readonly isCompared: boolean;
  /** The filters of the page that the URL does not have: links take them along. */
  readonly within?: Partial<Search> | undefined;
}

/** A name leads to what it is made of by another dimension, and the count of its calls to them, where a filter finds them. */
export function toBreakdownColumns(group: Group, { isCompared, within }: BreakdownOptions): Column<BreakdownRow>[] {
  const toSearch =
    (name: string) =>
    (search: Search): Search => ({
      ...search,
      ...within,
      by: undefined,
      sort: undefined,
      ...filtersOf(group, name),
    });
  return [
    {
      id: 'name',
      title: toTitle(nameGroup(group)),
      value: ({ name }) => name,
      show: ({ name }) =>
        filtersOf(group, name) ? (
          <Link
            to={group === 'feature' ? '/models' : '/features'}
            search={toSearch(name)}
            className="font-medium hover:underline"
          >
            <Name name={name} />
          </Link>
        ) : (
          <Name name={name} />
        ),
    },
    dollarsOf('cost', 'Cost', ({ cost }) => cost.cost),
    ...(isCompared ? [beforeColumn] : []),
    {
      ...number('calls', 'Calls', ({ usage }) => usage?.calls ?? 0, toCount),
      show: ({ name, usage }) =>
        filtersOf(group, name) ? (
          <Link
            to="/calls"
            search={toSearch(name)}
            aria-label={`${toCount(usage?.calls ?? 0)} calls of ${toName(name)}`}
            className="underline decoration-line underline-offset-2 hover:decoration-current"
          >
            {toCount(usage?.calls ?? 0)}
          </Link>
        ) : (
          toCount(usage?.calls ?? 0)
        ),
    },
    dollarsOf('avg', 'Average run', ({ cost }) => cost.avg_feature_run_cost),
    dollarsOf('max', 'Dearest run', ({ cost }) => cost.max_feature_run_cost),
    number('input', 'Tokens in', (row) => countTokens(row, 'input'), toCompactCount),
    number('cached', 'Cached', (row) => countTokens(row, 'cached'), toCompactCount),
    number('output', 'Tokens out', (row) => countTokens(row, 'output'), toCompactCount),
    { ...number('time', 'Time per call', calcAverageMs, toDuration), unit: 'ms' },
    { ...number('errors', 'Errors', calcErrorShare, toShare), unit: 'share' },
  ];
}

const beforeColumn: Column<BreakdownRow> = {
  id: 'before',
  title: 'Before',
  isNumber: true,
  unit: 'USD',
  value: ({ change }) => change?.before ?? null,
  show: ({ change }, dollars) => change && <Compared {...change} format={dollars} isGoodUp={false} />,
};

const dollarsOf = (id: string, title: string, value: (row: BreakdownRow) => number): Column<BreakdownRow> => ({
  id,
  title,
  unit: 'USD',
  isNumber: true,
  value,
  show: (row, dollars) => dollars(value(row)),
});

const number = (
  id: string,
  title: string,
  value: (row: BreakdownRow) => number,
  format: (value: number) => string,
): Column<BreakdownRow> => ({ id, title, isNumber: true, value, show: (row) => format(value(row)) });
