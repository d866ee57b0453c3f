import { toDay } from '../lib/format.ts';

interface Week {
  /** The first day of the week. */
  readonly date_from: string;
  readonly revenue: number;
  readonly cost: number;
}

const isLoss = ({ revenue, cost }: Week): boolean => cost > revenue;
const isActive = ({ revenue, cost }: Week): boolean => revenue !== 0 || cost !== 0;

/** Since when the customer pays more, or less, than it costs, from the first week to the last; empty without any activity. */
export function toSinceWords(weeks: readonly Week[]): string {
  const active = weeks.filter(isActive);
  const last = active.at(-1);
  if (!last) return '';
  const state = isLoss(last) ? 'costs more than it pays' : 'pays more than it costs';
  const turn = active.findLastIndex((week) => isLoss(week) !== isLoss(last)) + 1;
  const first = active[turn];
  return turn === 0 || !first
    ? `${state}, in each of ${active.length} weeks`
    : `${state} since the week of ${toDay(first.date_from)}`;
}
