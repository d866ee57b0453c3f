import { toDayNumber } from '../../../lib/days.ts';
import { stepsInTurns } from '../../../lib/in-turns.ts';
import { toJsonNumber } from '../../../lib/money.ts';
import { AnswerTooLarge } from '../../../lib/problem.ts';
import type { PriceBooks } from '../../../pricing/books/price-books.ts';
import { type Page, type PagePlan, toPeriodPage } from '../../../reports/asking/page.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import type { AsOf } from '../../../reports/facts/as-of.ts';
import { listInvoices } from '../entries.ts';
import { openRates } from './list-rates.ts';
import type { Reconciled } from './make-lines.ts';
import type { ReconciliationQuestion } from './parse.ts';
import { readUsage } from './read-usage.ts';
import { calcDifferencePct, toPartWire, toRecords } from './rows.ts';
import { splitDifferences } from './split.ts';
import type { ReconciliationRow } from './wire.ts';

export type ReconciliationSources = AnswerSources & { readonly priceBooks: Pick<PriceBooks, 'ofProject'> };

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

/** The most days of models and of entries that one reconciliation compares: 200 MB of memory, and a second or two. */
const mostDays = 250_000;

/**
 * Refuses what would take too much memory or time, before it is worked out: prices are found over all days, so a page
 * cannot be worked out alone.
 * @throws AnswerTooLarge
 */
export function refuseLarge({ range, usage, entries }: Reconciled): void {
  const length = range.to - range.from + 1;
  const models = new Set([...usage, ...entries].map(({ provider, model }) => JSON.stringify([provider, model]))).size;
  const ofEntries = entries.reduce((sum, { dateFrom, dateTo }) => {
    const days = Math.min(toDayNumber(dateTo), range.to) - Math.max(toDayNumber(dateFrom), range.from) + 1;
    return sum + Math.max(days, 0);
  }, 0);
  const days = models * length + ofEntries;
  if (days <= mostDays) return;
  const fitting = Math.max(1, Math.floor((length * mostDays) / days));
  throw new AnswerTooLarge(
    `${models} models and ${entries.length} entries over ${length} days are too much to reconcile at once; ask for at most ${fitting} days.`,
  );
}
