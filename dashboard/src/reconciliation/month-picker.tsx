import { todayIn } from '../lib/days.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, SelectBox } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';
import { listMonths, moveMonth } from './month.ts';

/** Chooses the month of the URL. */
export function MonthPicker({ month }: { readonly month: string }) {
  const { project } = useAccess();
  const { firstDay } = useQuestion();
  const change = useChangeSearch();
  const today = todayIn(project.timezone);
  const choose = (next: string) => change({ month: next, of: undefined });
  return (
    <div className="flex items-center gap-1.5">
      <Button className="px-2" aria-label="Previous month" onClick={() => choose(moveMonth(month, -1))}>
        <Icon name="chevron" className="size-4 rotate-90" />
      </Button>
      <SelectBox
        aria-label="Month"
        className="min-w-40 font-medium"
        options={listMonths(today, firstDay, month)}
        value={month}
        onChange={({ target }) => choose(target.value)}
      />
      <Button
        className="px-2"
        aria-label="Next month"
        disabled={month >= today.slice(0, 7)}
        onClick={() => choose(moveMonth(month, 1))}
      >
        <Icon name="chevron" className="size-4 -rotate-90" />
      </Button>
    </div>
  );
}
