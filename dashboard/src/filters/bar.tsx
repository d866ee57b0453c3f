import type { Granularity } from '../api/types.ts';
import { toDayRange } from '../lib/format.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import { daysBefore } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Button, SelectBox, SwitchMark } from '../ui/basics.tsx';
import { ChosenFilters } from './chosen.tsx';
import { CopyLink } from './copy-link.tsx';
import { type AnyFilter, FilterPicker } from './picker.tsx';
import { RangePicker } from './range.tsx';

const granularities: Readonly<Record<Exclude<Granularity, 'all'>, string>> = {
  day: 'by day',
  week: 'by week',
  month: 'by month',
  quarter: 'by quarter',
  year: 'by year',
};

interface FilterBarProps {
  /** The dimensions that the page can be filtered by. */
  readonly by: readonly AnyFilter[];
  readonly hasGranularity?: boolean;
  readonly hasCredits?: boolean;
  readonly hasCompare?: boolean;
}

/** Selects days, granularity, filters and credits. All of them are in the URL. */
export function FilterBar({ by, hasGranularity = true, hasCredits = true, hasCompare = true }: FilterBarProps) {
  const { search, granularity, days } = useQuestion();
  const change = useChangeSearch();
  const before = daysBefore(days);
  const isCompared = search.compare !== false && before !== undefined;
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <RangePicker />
        {hasGranularity && (
          <SelectBox
            aria-label="Granularity"
            options={granularities}
            value={granularity}
            onChange={({ target }) => change({ every: target.value as Granularity })}
            className="font-medium"
          />
        )}
        {by.length > 0 && <FilterPicker by={by} chosen={search} change={change} />}
        {hasCredits && (
          <Button
            role="switch"
            aria-checked={search.credits === true}
            title="Show costs after free AI credits"
            onClick={() => change({ credits: search.credits ? undefined : true })}
          >
            <SwitchMark isOn={search.credits === true} />
            After credits
          </Button>
        )}
        {hasCompare && (
          <Button
            role="switch"
            aria-checked={isCompared}
            disabled={before === undefined}
            title="Compare each number with the same days of the week before"
            onClick={() => change({ compare: search.compare === false ? undefined : false })}
          >
            <SwitchMark isOn={isCompared} />
            Days before
            {isCompared && <span className="font-normal text-mute">{toDayRange(before)}</span>}
          </Button>
        )}
        <CopyLink />
      </div>
      <ChosenFilters by={by} chosen={search} change={change} />
    </div>
  );
}

/** The days shown, with their timezone. */
export function DaysLine() {
  const { days, asOf } = useQuestion();
  const { project } = useAccess();
  return (
    <>
      {toDayRange(days)} · {asOf?.timezone ?? project.timezone}
    </>
  );
}
