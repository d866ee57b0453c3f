import { useNavigate } from '@tanstack/react-router';
import { addDays } from '../lib/days.ts';
import { useQuestion } from '../state/question.ts';

/**
 * Shows a period of a chart alone, by the place that it has in the chart: the page has its days then. The browser's way back
 * leads to all of them. Undefined when there is only one.
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
