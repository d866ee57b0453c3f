import { useSearch } from '@tanstack/react-router';
import { byPlural, callDimensions, dimensions } from '../../../src/lib/dimensions.ts';
import { useProviders } from '../api/queries.ts';
import type { Close, Granularity } from '../api/types.ts';
import { addDays, todayIn } from '../lib/days.ts';
import { useAsOf } from './as-of.ts';
import { type Comparison, compareDays, toWeeksBefore } from './comparison.ts';
import type { DayRange, Search } from './search.ts';
import { useAccess } from './session.tsx';
import { resolveDays, resolveGranularity } from './shown-days.ts';

/** What the URL selects, ready for requests. */
export interface Question {
  readonly search: Search;
  readonly days: DayRange;
  /** The first day of the project with a call; undefined without any, and until it is known. */
  readonly firstDay: string | undefined;
  /** The days without today, unless no other has calls: a unit is often counted later than its calls. */
  readonly daysOver: DayRange;
  /** Whether margins say anything: some calls have come, and the days are not today alone, whose revenue is that of the whole day. */
  readonly canJudge: boolean;
  /** Days without those before the project's first call, of which nothing is known. */
  readonly toKnown: (days: DayRange) => DayRange;
  /** What the days are compared with; undefined when switched off, and where there are no such days. */
  readonly comparison: Comparison | undefined;
  /** What they would be compared with if that were not switched off. */
  readonly comparable: Comparison | undefined;
  /** Whether it is not known yet what they are compared with. */
  readonly isComparing: boolean;
  /** Without a comparison, or until it is known, that of a project that is old enough: words of it keep the place. */
  readonly awaited: Comparison | undefined;
  /** The same weekdays before, from the first with data, to mark beside each period of a chart. */
  readonly weeksBefore: DayRange | undefined;
  /** Whether the last of the days is today, which is not over. */
  readonly hasToday: boolean;
  readonly granularity: Granularity;
  /** The filters for requests of costs, usage and calls. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** The close as of which the figures are; undefined for those of now. */
  readonly asOf: Close | undefined;
  /** Whether a filter is set by which revenue can't be split. */
  readonly splitsRevenue: boolean;
}

export function useQuestion(): Question {
  const search = useSearch({ from: '__root__' });
  const { project } = useAccess();
  const asOf = useAsOf();
  const days = resolveDays(search, asOf?.timezone ?? project.timezone, asOf?.through);
  const { firstDay, isPending } = useFirstDay(asOf?.timezone ?? project.timezone);
  const today = todayIn(asOf?.timezone ?? project.timezone);
  const comparable = compareDays(days, { today, firstDay });
  const isCompared = search.compare !== false;
  const { features, models, providers, ctags, rtags } = search;
  return {
    search,
    days,
    firstDay,
    daysOver:
      days.to >= today && days.from < today && firstDay !== today ? { from: days.from, to: addDays(today, -1) } : days,
    canJudge: firstDay !== undefined && days.from < today,
    toKnown: ({ from, to }) => ({
      from: firstDay !== undefined && from < firstDay && firstDay <= to ? firstDay : from,
      to,
    }),
    asOf,
    comparable,
    isComparing: isCompared && isPending,
    awaited: isCompared && !comparable ? compareDays(days, { today, firstDay: addDays(days.from, -3_660) }) : undefined,
    comparison: isCompared ? comparable : undefined,
    weeksBefore: isCompared && firstDay !== undefined ? cutBefore(toWeeksBefore(days), firstDay) : undefined,
    hasToday: days.to >= today,
    granularity: resolveGranularity(search, days),
    filters: {
      ...byPlural(callDimensions, (name) => search[dimensions[name].plural]),
      customer_tags: ctags,
      run_tags: rtags,
    },
    splitsRevenue: [features, models, providers, ctags, rtags].some((filter) => filter !== undefined),
  };
}

/** The first day of the project with a call. */
function useFirstDay(timezone: string): { readonly firstDay: string | undefined; readonly isPending: boolean } {
  const { data, isPending } = useProviders();
  const first = data?.rows.flatMap(({ first_seen: time }) => time ?? []).sort()[0];
  return { firstDay: first && todayIn(timezone, new Date(first)), isPending };
}

const cutBefore = ({ from, to }: DayRange, first: string): DayRange | undefined =>
  to < first ? undefined : { from: from < first ? first : from, to };

/** The field of requests whose answers can be those of a close. */
export const toAsOf = ({ asOf }: Question) => asOf && { as_of: asOf.id };

export const toDates = ({ from, to }: DayRange) => ({ date_from: from, date_to: to });
