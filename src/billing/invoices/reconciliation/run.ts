import { toDayNumber } from '../../../lib/days.ts';
import { stepsInTurns } from '../../../lib/in-turns.ts';
import { toJsonNumber } from '../../../lib/money.ts';
import type { PriceBooks } from '../../../pricing/price-books.ts';
import { type Page, type PagePlan, toPeriodPage } from '../../../reports/asking/page.ts';
import type { AnalyticsSources } from '../../../reports/asking/sources.ts';
import type { AsOf } from '../../../reports/facts/as-of.ts';
import { listInvoices } from '../entries.ts';
import { openRates } from './list-rates.ts';
import type { ReconciliationQuestion } from './parse.ts';
import { readUsage } from './read-usage.ts';
import { refuseLarge } from './refuse-large.ts';
import { calcDifferencePct, toPartWire, toRecords } from './rows.ts';
import { splitDifferences } from './split.ts';
import type { ReconciliationRow } from './wire.ts';

export type ReconciliationSources = AnalyticsSources & { readonly priceBooks: Pick<PriceBooks, 'ofProject'> };

/** Reads a page as planned. Differences are split over the whole range, because prices are found over all days. */
export async function runReconciliation(
  { project, generations }: AsOf,
  question: ReconciliationQuestion,
  plan: PagePlan,
  sources: ReconciliationSources,
): Promise<Page<ReconciliationRow>> {
  const { control } = sources;
  const [usage, entries, { newest: book }] = await Promise.all([
    readUsage(project.id, plan.range, generations, sources),
    listInvoices(control, project.id, { provider: undefined, ...plan.range }),
    sources.priceBooks.ofProject(project.id),
  ]);
  const range = { from: toDayNumber(plan.range.dateFrom), to: toDayNumber(plan.range.dateTo) };
  const ratesOf = openRates(book);
  refuseLarge({ range, usage, entries });
  // In turns, because a year of many models takes long.
  const split = await stepsInTurns(splitDifferences({ range, usage, entries }, ratesOf));
  const records = await stepsInTurns(toRecords(split, plan, question.groupBy));
  return toPeriodPage(plan, question, records, (record, { dateFrom, dateTo }) => {
    const { computed = 0n, invoiced = 0n, parts = [] } = record ?? {};
    const days = { from: toDayNumber(dateFrom), to: toDayNumber(dateTo) };
    return {
      computed: toJsonNumber(computed),
      invoiced: toJsonNumber(invoiced),
      difference: toJsonNumber(invoiced - computed),
      difference_pct: calcDifferencePct({ computed, invoiced }),
      parts: parts.map((part) => toPartWire(part, days)),
    };
  });
}
