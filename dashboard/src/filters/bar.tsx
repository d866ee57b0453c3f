import type { Granularity } from '../api/types.ts';
import { toDay } from '../lib/format.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import type { FilterName } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Button } from '../ui/basics.tsx';
import { ChosenFilters } from './chosen.tsx';
import { FilterPicker } from './picker.tsx';
import { RangePicker } from './range.tsx';

const granularities: Readonly<Record<Exclude<Granularity, 'all'>, string>> = {
  day: 'by day',
  week: 'by week',
  month: 'by month',
  quarter: 'by quarter',
  year: 'by year',
};

interface FilterBarProps {
  /** The dimensions that the page can be restricted by. */
  readonly by: readonly (FilterName | 'users' | 'ctags' | 'rtags')[];
  readonly hasGranularity?: boolean;
  readonly hasCredits?: boolean;
}

/** What the page is about: days, granularity, filters and credits, all of it in the address. */
export function FilterBar({ by, hasGranularity = true, hasCredits = true }: FilterBarProps) {
  const { search, granularity } = useQuestion();
  const change = useChangeSearch();
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <RangePicker />
        {hasGranularity && (
          <label>
            <span className="sr-only">Granularity</span>
            <select
              value={granularity}
              onChange={({ target }) => change({ every: target.value as Granularity })}
              className="h-9 rounded-lg border border-line bg-card px-2.5 text-[13px] font-medium"
            >
              {Object.entries(granularities).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {by.length > 0 && <FilterPicker by={by} />}
        {hasCredits && (
          <Button
            aria-pressed={search.credits === true}
            title="Whether costs are what free AI credits leave of them"
            onClick={() => change({ credits: search.credits ? undefined : true })}
          >
            {search.credits ? 'After credits' : 'Before credits'}
          </Button>
        )}
      </div>
      <ChosenFilters by={by} />
    </div>
  );
}

/** The days that are shown, with the timezone that they are days of. */
export function DaysLine() {
  const { days } = useQuestion();
  const { project } = useAccess();
  return (
    <>
      {toDay(days.from)} – {toDay(days.to)} · {project.timezone}
    </>
  );
}
