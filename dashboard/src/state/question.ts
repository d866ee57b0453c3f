import { useNavigate, useSearch } from '@tanstack/react-router';
import { byPlural, callDimensions, dimensions } from '../../../src/lib/dimensions.ts';
import type { Close, Granularity } from '../api/types.ts';
import { useAsOf } from './as-of.ts';
import { type DayRange, type Drawn, daysBefore, resolveDays, resolveGranularity, type Search } from './search.ts';
import { useAccess } from './session.tsx';

/** What the URL selects, ready for requests. */
export interface Question {
  readonly search: Search;
  readonly days: DayRange;
  /** The same days of the week before, to compare with; undefined when switched off or too early. */
  readonly before: DayRange | undefined;
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
  const { features, models, providers, ctags, rtags } = search;
  return {
    search,
    days,
    asOf,
    before: search.compare === false ? undefined : daysBefore(days),
    granularity: resolveGranularity(search, days),
    filters: {
      ...byPlural(callDimensions, (name) => search[dimensions[name].plural]),
      customer_tags: ctags,
      run_tags: rtags,
    },
    splitsRevenue: [features, models, providers, ctags, rtags].some((filter) => filter !== undefined),
  };
}

/** The field of requests whose answers can be those of a close. */
export const toAsOf = ({ asOf }: Question) => asOf && { as_of: asOf.id };

export const toDates = ({ from, to }: DayRange) => ({ date_from: from, date_to: to });

/** Whether the URL shows a drawing as a table, and how to change that. */
export function useAsTable(of: Drawn): readonly [isTable: boolean, setTable: (isTable: boolean) => void] {
  const { table = [] } = useSearch({ from: '__root__' });
  const change = useChangeSearch();
  const others = table.filter((one) => one !== of);
  return [
    table.includes(of),
    (isTable) => {
      const next = isTable ? [...others, of] : others;
      change({ table: next.length > 0 ? next : undefined });
    },
  ];
}

/** Changes parameters of the URL and keeps the others. */
export function useChangeSearch(): (change: Partial<Search>) => void {
  const navigate = useNavigate();
  return (change) => {
    void navigate({ to: '.', search: (search: Search) => ({ ...search, ...change }), replace: true });
  };
}
