import { useAllRows, useApi, useTotal } from '../api/queries.ts';
import type { InvoiceEntry, Page, ReconciliationRow } from '../api/types.ts';
import { countDays, todayIn } from '../lib/days.ts';
import { toDayRange, toMonth, toPercent } from '../lib/format.ts';
import { NextStepsCard, useNextSteps } from '../overview/next-steps.tsx';
import { EntriesCard } from '../reconciliation/entries-card.tsx';
import { countInvoicedDays, daysOf, monthToReport, toInvoicedDays } from '../reconciliation/month.ts';
import { MonthPicker } from '../reconciliation/month-picker.tsx';
import { NoInvoices } from '../reconciliation/no-invoices.tsx';
import { isUnpricedRow } from '../reconciliation/part-steps.ts';
import { PartsCard } from '../reconciliation/parts-card.tsx';
import { RowsCard } from '../reconciliation/rows-card.tsx';
import { toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { useUnpriced } from '../state/unpriced.ts';
import { After } from '../ui/after.tsx';
import { PageHead } from '../ui/basics.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { NoPrice } from '../ui/no-price.tsx';

/** The most entries that are listed. */
const mostEntries = 1_000;

/** What the calls of a month cost, beside what the providers' invoices charge for it. */
export function Reconciliation() {
  const { search, firstDay } = useQuestion();
  const { project } = useAccess();
  const today = todayIn(project.timezone);
  // Days of other pages are in a month, too: that of the last of them.
  const month = search.month ?? search.to?.slice(0, 7) ?? monthToReport(today, firstDay);
  const by = search.reconciled ?? 'provider';
  const ofMonth = daysOf(month, today);
  const query = new URLSearchParams({ ...toDates(ofMonth), limit: String(mostEntries) });
  const entries = useApi<Page<InvoiceEntry>>(`/api/invoices/?${query}`);
  // What is computed stands beside what is invoiced for the same days.
  const days = entries.data && !entries.data.has_more ? toInvoicedDays(entries.data.rows, ofMonth) : ofMonth;
  const asked = entries.isPending ? undefined : toDates(days);
  const total = useTotal<ReconciliationRow>('/api/reconciliation/', asked);
  const grouped = useAllRows<ReconciliationRow>(
    '/api/reconciliation/',
    asked && { ...asked, aggregate: 'all', group_by: by },
  );
  const unpriced = useUnpriced(by, { days });
  const steps = useNextSteps();
  const isEmpty = entries.data?.rows.length === 0;
  const shown = search.of === undefined ? total.row : grouped.data?.find((row) => (row[by] ?? '') === search.of);
  return (
    <>
      <PageHead
        title="Reconciliation"
        about={`What the calls of ${toMonth(`${month}-01`)} cost, and what is invoiced · ${project.timezone}`}
      >
        <MonthPicker month={month} />
      </PageHead>
      <Figures
        row={total.row}
        isUnpriced={!!total.row && isUnpricedRow(total.row, by, unpriced)}
        entries={entries.data}
        days={days}
        ofMonth={ofMonth}
      />
      {isEmpty ? (
        <NoInvoices month={month} />
      ) : (
        <PartsCard
          row={shown}
          by={by}
          isUnpriced={!!shown && isUnpricedRow(shown, by, unpriced)}
          days={days}
          answer={search.of === undefined ? total : grouped}
        />
      )}
      <After isPending={entries.isPending || total.isPending || grouped.isPending || steps.isPending}>
        <NextStepsCard at={`/reconciliation?month=${month}`} />
        <RowsCard
          by={by}
          month={month}
          days={days}
          unpriced={unpriced}
          hasInvoices={!isEmpty}
          rows={grouped.data}
          answer={grouped}
        />
        {!isEmpty && (
          <div id="entries" className="scroll-mt-20">
            <EntriesCard month={month} page={entries.data} answer={entries} />
          </div>
        )}
      </After>
    </>
  );
}

interface FiguresProps {
  readonly row: ReconciliationRow | undefined;
  readonly isUnpriced: boolean;
  readonly entries: Page<InvoiceEntry> | undefined;
  /** The days that are compared, of those of the month up to today. */
  readonly days: DayRange;
  readonly ofMonth: DayRange;
}

function Figures({ row, isUnpriced, entries, days, ofMonth }: FiguresProps) {
  const isEmpty = entries?.rows.length === 0;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-3 [&>*:last-child]:max-lg:col-span-2">
      <FigureCard
        icon="wallet"
        label="Computed"
        value={row && (isUnpriced ? <NoPrice /> : <Dollars value={row.computed} />)}
        door={{ to: '/calls', search: { range: undefined, ...days, order: 'dearest' } }}
        about={isUnpriced ? 'no call has a price' : `from the calls of ${toDayRange(days)}`}
      />
      <FigureCard
        icon="prices"
        label="Invoiced"
        value={row && (isEmpty ? '–' : <Dollars value={row.invoiced} />)}
        door={isEmpty ? undefined : { to: '.', search: { month: days.from.slice(0, 7) }, hash: 'entries' }}
        about={isEmpty ? 'no invoice yet' : entries && toInvoicedWords(entries, ofMonth)}
      />
      <FigureCard
        icon="reconciliation"
        label="Difference"
        value={row && (isEmpty ? '–' : <Dollars value={row.difference} isSigned />)}
        about={row && !isEmpty && toDifferenceWords(row)}
      />
    </div>
  );
}

/** For how many days of the month the providers charge; nothing where there are more entries than are listed. */
function toInvoicedWords({ rows, has_more: hasMore }: Page<InvoiceEntry>, days: DayRange): string {
  if (hasMore) return 'by the providers';
  const [all, invoiced] = [countDays(days.from, days.to), countInvoicedDays(rows, days)];
  return invoiced === all
    ? `for all ${all} days`
    : `for ${invoiced} of ${all} days, ${all - invoiced} without an invoice`;
}

function toDifferenceWords({ difference, difference_pct: pct }: ReconciliationRow): string {
  if (difference === 0) return 'the invoices agree with the calls';
  const direction = difference > 0 ? 'more' : 'less';
  return pct === null ? `${direction} than computed` : `${toPercent(Math.abs(pct))} ${direction} than computed`;
}
