import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Granularity } from '../api/types.ts';
import { toDayRange } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { toBeforeWords, toComparisonWords, toLeftWords } from '../state/comparison.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, SelectBox, SwitchMark } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';
import { ViewsMenu } from '../views/views-menu.tsx';
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
  readonly hasShared?: boolean;
}

/** Selects days, granularity, filters and credits. All of them are in the URL. */
export function FilterBar({
  by,
  hasGranularity = true,
  hasCredits = true,
  hasCompare = true,
  hasShared,
}: FilterBarProps) {
  const { search, granularity, comparable, comparison } = useQuestion();
  const change = useChangeSearch();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="space-y-2">
      {/* The most choices fit a line of a window of 1440 px also in a wider font than the page's, until that is there. */}
      <div className="flex flex-wrap items-center gap-x-1.5 gap-y-2 print:hidden">
        <RangePicker />
        {/* A phone has room for the days alone. */}
        <Button
          className="px-2.5 sm:hidden"
          aria-label="More choices"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="settings" />
        </Button>
        <div className={`contents ${isOpen ? '' : 'max-sm:hidden'}`}>
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
            <Switch name="credits" title="Show costs after free AI credits">
              After credits
            </Switch>
          )}
          {hasShared && <SharedSwitch />}
          {hasCompare && (
            <Button
              role="switch"
              aria-checked={comparison !== undefined}
              disabled={comparable === undefined}
              title={comparable ? 'Compare each number with the days before' : 'No days before these have calls'}
              onClick={() => change({ compare: search.compare === false ? undefined : false })}
            >
              <SwitchMark isOn={comparison !== undefined} />
              Days before
            </Button>
          )}
          <CopyLink />
          <ViewsMenu />
        </div>
      </div>
      <ChosenFilters by={by} chosen={search} change={change} />
      <p className="hidden text-mute print:not-empty:block">
        {[hasCredits && search.credits && 'After credits', hasShared && search.shared && 'With shared costs']
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  );
}

/** Adds what customers share of shared costs to what they cost. */
export const SharedSwitch = () => (
  <Switch name="shared" title="Add the costs that do not depend on calls">
    Shared costs
  </Switch>
);

interface SwitchProps {
  readonly name: 'credits' | 'shared';
  readonly title: string;
  readonly children: string;
}

function Switch({ name, title, children }: SwitchProps) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const isOn = search[name] === true;
  return (
    <Button role="switch" aria-checked={isOn} title={title} onClick={() => change({ [name]: !isOn || undefined })}>
      <SwitchMark isOn={isOn} />
      {children}
    </Button>
  );
}

interface DaysLineProps {
  /** Whether the page compares the days with those before. */
  readonly isCompared?: boolean;
}

/** The days shown with their timezone, and what they are compared with. */
export function DaysLine({ isCompared = false }: DaysLineProps) {
  const { days, asOf, awaited, comparison, search } = useQuestion();
  const { project } = useAccess();
  return (
    <>
      {toDayRange(days)}
      {'\u00a0· '}
      {asOf?.timezone ?? project.timezone}
      {isCompared && search.compare !== false && (
        // A narrow window keeps the second line free, and any window the room of the words, so that nothing moves.
        <span className="max-sm:block max-sm:min-h-5 max-sm:min-w-72">
          {awaited && (
            <span aria-hidden="true" className="invisible">
              {' '}
              · compared with {toComparisonWords(awaited, days)}
            </span>
          )}
          {comparison && (
            <>
              <span className="max-sm:hidden"> · </span>compared with{' '}
              <Link
                to="."
                search={(own) => ({ ...own, range: undefined, ...comparison.before })}
                className="rounded underline decoration-line underline-offset-2 hover:decoration-current"
              >
                {toBeforeWords(comparison)}
              </Link>
              {toLeftWords(comparison, days)}
            </>
          )}
        </span>
      )}
    </>
  );
}
