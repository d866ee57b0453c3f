import { dimensions } from '../../../src/lib/dimensions.ts';
import type { DifferencePart, ReconciliationRow } from '../api/types.ts';
import { toColumnDollars, toCount, toPercent, toSigned } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import type { DayRange, ReconciledBy } from '../state/search.ts';
import { type Answer, Card, CardHead, Choice, Empty } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { NamePriced } from '../ui/no-price.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { isUnpricedRow, partLabels } from './part-steps.ts';

const labels: Readonly<Record<ReconciledBy, string>> = { provider: 'Provider', model: 'Model' };

interface RowsCardProps {
  readonly by: ReconciledBy;
  readonly month: string;
  /** Those of the month, up to today. */
  readonly days: DayRange;
  readonly unpriced: ReadonlySet<string> | undefined;
  readonly hasInvoices: boolean;
  readonly rows: readonly ReconciliationRow[] | undefined;
  readonly answer: Answer;
}

/** What is computed for each provider or model, and what is invoiced where there are invoices. */
export function RowsCard({ by, month, days, unpriced, hasInvoices, rows, answer }: RowsCardProps) {
  const change = useChangeSearch();
  const nameOf = (row: ReconciliationRow) => row[by] ?? '';
  const all = toColumns(by, month, days, unpriced, rows ?? []);
  const { table, tools } = useTableView('reconciliation', hasInvoices ? all : all.slice(0, 2), rows, {
    ...{ nameOf, usual: hasInvoices ? '-difference' : '-computed', file: `reconciliation-by-${by}-${month}` },
  });
  return (
    <Card aria-label={`By ${by}`}>
      <CardHead title={`By ${by}`}>
        <Choice
          label="Group by"
          options={labels}
          value={by}
          onChoose={(next) => change({ reconciled: next === 'provider' ? undefined : next, of: undefined })}
        />
        {tools}
      </CardHead>
      <DataTable
        name={`Reconciliation by ${by}`}
        answer={answer}
        idOf={nameOf}
        empty={<Empty title="Neither calls nor invoices in this month" />}
        {...table}
      />
    </Card>
  );
}

function toColumns(
  by: ReconciledBy,
  month: string,
  days: DayRange,
  unpriced: RowsCardProps['unpriced'],
  rows: readonly ReconciliationRow[],
): Column<ReconciliationRow>[] {
  const isUnpriced = (row: ReconciliationRow) => isUnpricedRow(row, by, unpriced);
  const reconciled = by === 'provider' ? undefined : by;
  // What an invoice rounds is less than these amounts show.
  const dollars = toColumnDollars(rows.flatMap(({ computed, invoiced }) => [computed, invoiced]));
  const toParts = (row: ReconciliationRow): DoorTo => ({ to: '.', search: { month, reconciled, of: row[by] ?? '' } });
  return [
    {
      id: by,
      title: labels[by],
      value: (row) => row[by] ?? '',
      show: (row) => <NamePriced name={row[by] ?? ''} isUnpriced={isUnpriced(row)} />,
      door: toParts,
    },
    {
      ...amount('computed', 'Computed', ({ computed }) => computed),
      isUnpriced,
      door: (row) => ({
        to: '/calls',
        search: { [dimensions[by].plural]: [row[by] ?? ''], range: undefined, ...days, order: 'dearest' },
      }),
    },
    {
      ...amount('invoiced', 'Invoiced', ({ invoiced }) => invoiced),
      door: () => ({ to: '.', search: { month, reconciled }, hash: 'entries' }),
    },
    {
      id: 'difference',
      title: 'Difference',
      unit: 'USD',
      isNumber: true,
      value: ({ difference }) => difference,
      rank: ({ difference }) => Math.abs(difference),
      isUnpriced: (row) => row.difference === 0 && isUnpriced(row),
      show: ({ difference }) => (
        <span className={difference > 0 ? 'text-bad' : difference < 0 ? 'text-good' : ''}>
          {toSigned(difference, dollars)}
        </span>
      ),
      door: toParts,
    },
    {
      id: 'pct',
      title: 'Difference %',
      isNumber: true,
      value: ({ difference_pct: pct }) => pct,
      show: ({ difference_pct: pct }) => (pct === null ? '–' : toPercent(pct)),
      door: toParts,
    },
    {
      id: 'parts',
      title: 'Largest part',
      value: ({ parts }) => toMainPart(parts, dollars),
    },
  ];
}

/** The largest part of a difference, and how many there are beside it. */
function toMainPart(parts: readonly DifferencePart[], dollars: (amount: number) => string): string {
  const [largest] = parts.toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  if (!largest) return '';
  const more = parts.length - 1;
  return `${partLabels[largest.kind]} ${toSigned(largest.amount, dollars)}${more === 0 ? '' : `, ${toCount(more)} more`}`;
}

function amount(id: string, title: string, value: (row: ReconciliationRow) => number): Column<ReconciliationRow> {
  return { id, title, unit: 'USD', isNumber: true, value };
}
