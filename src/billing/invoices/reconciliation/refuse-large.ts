import { toDayNumber } from '../../../lib/days.ts';
import { AnswerTooLarge } from '../../../lib/problem.ts';
import type { Reconciled } from './make-lines.ts';

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
