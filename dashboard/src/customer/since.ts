import { addDays } from '../lib/days.ts';
import { toDay } from '../lib/format.ts';

interface Week {
  /** The days of the week: fewer than seven of one that the range cuts, or that is not over. */
  readonly date_from: string;
  readonly date_to: string;
  readonly revenue: number;
  readonly cost: number;
}

const isLoss = ({ revenue, cost }: Week): boolean => cost > revenue;
const isActive = ({ revenue, cost }: Week): boolean => revenue !== 0 || cost !== 0;

/** Since when the customer pays more, or less, than it costs, from the first week to the last; empty without any activity. */
export function toSinceWords(weeks: readonly Week[]): string {
  const whole = weeks.filter(({ date_from: from, date_to: to }) => to === addDays(from, 6)).filter(isActive);
  const active = whole.length > 0 ? whole : weeks.filter(isActive);
  const last = active.at(-1);
  if (!last) return '';
  const state = isLoss(last) ? 'costs more than it pays' : 'pays more than it costs';
  const turn = active.findLastIndex((week) => isLoss(week) !== isLoss(last)) + 1;
  const first = active[turn];
  // Of a single whole week, which the days as a whole need not be like.
  if (active.length === 1 && whole.length === 1)
    return `${isLoss(last) ? 'cost more than it paid' : 'paid more than it cost'} in the week of ${toDay(last.date_from)}`;
  if (active.length === 1) return state;
  return turn === 0 || !first
    ? `${state}, in each of ${active.length} weeks`
    : `has ${isLoss(last) ? 'cost more than it pays' : 'paid more than it costs'} since the week of ${toDay(first.date_from)}`;
}
