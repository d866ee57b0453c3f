import type { AlertKind, Firing } from '../api/types.ts';
import { fromService } from '../lib/from-service.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { Card, CardHead, Empty, SelectBox } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { PathLink } from '../ui/path-link.tsx';
import { ShowMore, useTableView } from '../ui/table-view.tsx';
import { toAge } from './age.ts';
import { useFirings } from './firings.ts';
import { alertKinds, kindLabels } from './kinds.ts';
import { toNames } from './numbers.ts';

const pageRows = 10;

export const useEndedFirings = (kind?: AlertKind) => useFirings({ state: 'ended', limit: pageRows, kind });

/** What has fired and ended, the newest first, a page at a time. */
export function HistoryCard() {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const kind = alertKinds.find((one) => one === search.kind);
  const ended = useEndedFirings(kind);
  const { table, tools } = useTableView('ended-alerts', columns, ended.firings);
  return (
    <Card aria-label="History">
      <CardHead title="History">
        {tools}
        <SelectBox
          aria-label="Kind of alert"
          options={{ '': 'All kinds', ...kindLabels }}
          value={kind ?? ''}
          onChange={({ target }) => change({ kind: target.value === '' ? undefined : target.value })}
        />
      </CardHead>
      <DataTable
        name="Ended alerts"
        answer={ended}
        idOf={({ id }) => id}
        empty={<Empty title="Nothing has ended yet">An alert moves here when its cause ends.</Empty>}
        {...table}
      />
      {ended.hasMore && (
        <ShowMore count={ended.firings?.length ?? 0} isAsking={ended.isAskingMore} onMore={ended.askMore} />
      )}
    </Card>
  );
}

const columns: readonly Column<Firing>[] = [
  {
    id: 'title',
    title: 'Alert',
    value: ({ title, subject }) => fromService(title, ...toNames({ subject })),
    show: ({ path, title, text, subject }) => (
      <PathLink
        path={path}
        title={text}
        className="line-clamp-2 leading-5 font-medium whitespace-normal hover:underline"
      >
        {fromService(title, ...toNames({ subject }))}
      </PathLink>
    ),
  },
  { id: 'kind', title: 'Kind', value: ({ kind }) => kindLabels[kind] },
  { id: 'began', title: 'Began', as: 'time', value: ({ started_at: at }) => at },
  { id: 'ended', title: 'Ended', as: 'time', value: ({ ended_at: at }) => at },
  {
    id: 'lasted',
    title: 'Lasted',
    unit: 'ms',
    value: toLasted,
    show: (firing) => toAge(toLasted(firing) ?? 0),
  },
];

/** How long it held. */
function toLasted({ started_at, ended_at }: Firing): number | null {
  return ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
}
