import { useNavigate } from '@tanstack/react-router';
import { addDays } from '../lib/days.ts';
import { useQuestion } from '../state/question.ts';

/**
 * Narrows the page to the days of one period, given by its place in the chart. The browser's back button shows all
 * periods again. Undefined when there is only one.
 */
export function useChoosePeriod(periods: readonly string[] | undefined): ((index: number) => void) | undefined {
  const navigate = useNavigate();
  const { days } = useQuestion();
  if (!periods || periods.length < 2) return undefined;
  return (index) => {
    const next = periods[index + 1];
    const from = periods[index] ?? days.from;
    const to = next === undefined ? days.to : addDays(next, -1);
    void navigate({ to: '.', search: (search) => ({ ...search, from, to, range: undefined, every: undefined }) });
  };
}
