import type { AlertKind, Firing } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { fromService } from '../lib/from-service.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, SelectBox } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { PathLink } from '../ui/path-link.tsx';
import { toAge } from './age.ts';
import { useFirings } from './firings.ts';
import { alertKinds, kindLabels } from './kinds.ts';
import { toNames } from './numbers.ts';

const pageRows = 10;

export const useEndedFirings = (kind?: AlertKind) => useFirings({ state: 'ended', limit: pageRows, kind });

/** What has fired and ended, the newest first, a page at a time. */
export function HistoryCard() {
  const { project } = useAccess();
  const { search } = useQuestion();
  const change = useChangeSearch();
  const kind = alertKinds.find((one) => one === search.kind);
  const ended = useEndedFirings(kind);
  return (
    <Card aria-label="History">
      <CardHead title="History">
        <SelectBox
          aria-label="Kind of alert"
          options={{ '': 'All kinds', ...kindLabels }}
          value={kind ?? ''}
          onChange={({ target }) => change({ kind: target.value === '' ? undefined : target.value })}
        />
      </CardHead>
      <DataTable
        name="Ended alerts"
        columns={toColumns(project.timezone)}
        rows={ended.firings}
        problem={ended.error}
        retry={ended.retry}
        idOf={({ id }) => id}
        empty={
          <div className="border-t border-line">
            <Empty title="Nothing has ended yet">An alert moves here when its cause ends.</Empty>
          </div>
        }
      />
      {ended.hasMore && (
        <div className="border-t border-line px-4 py-2">
          <Button disabled={ended.isAskingMore} onClick={ended.askMore}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  );
}

const toColumns = (timezone: string): Column<Firing>[] => [
  {
    id: 'title',
    title: 'Alert',
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
  { id: 'kind', title: 'Kind', show: ({ kind }) => kindLabels[kind] },
  {
    id: 'began',
    title: 'Began',
    show: ({ started_at }) => <span className="whitespace-nowrap">{toTime(started_at, timezone)}</span>,
  },
  {
    id: 'ended',
    title: 'Ended',
    show: ({ ended_at }) => <span className="whitespace-nowrap">{ended_at && toTime(ended_at, timezone)}</span>,
  },
  {
    id: 'lasted',
    title: 'Lasted',
    show: ({ started_at, ended_at }) => ended_at && toAge(Date.parse(ended_at) - Date.parse(started_at)),
  },
];
