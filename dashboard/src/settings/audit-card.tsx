import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditKinds } from '../../../src/storage/control/audit/tables-by-name.ts';
import { useAsk } from '../api/queries.ts';
import type { AuditEntry, AuditPage } from '../api/types.ts';
import { toMinute, toTitle, toWords } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, SelectBox } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';

const pageRows = 20;

const toLabel = (kind: string): string => toTitle(toWords(kind)).replace('Api', 'API');
const labels = Object.fromEntries(auditKinds.map((kind) => [kind, toLabel(kind)]));

/** Who changed what in the project, the newest first, a page at a time. */
export function AuditCard() {
  const { project } = useAccess();
  const ask = useAsk();
  const [kind, setKind] = useState('');
  const path = `/api/audit/?limit=${pageRows}${kind === '' ? '' : `&kind=${kind}`}`;
  const found = useInfiniteQuery({
    queryKey: [project.id, path, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      ask<AuditPage>(pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  return (
    <Card aria-label="Changes">
      <CardHead title="Changes">
        <SelectBox
          aria-label="Kind of change"
          options={{ '': 'All kinds', ...labels }}
          value={kind}
          onChange={({ target }) => setKind(target.value)}
        />
      </CardHead>
      <DataTable
        name="Changes"
        columns={toColumns(project.timezone)}
        rows={found.data?.pages.flatMap(({ entries }) => entries)}
        problem={found.error}
        retry={() => void found.refetch()}
        idOf={({ id }) => id}
        empty={<Empty title="Nothing was changed">Who changes a price, a budget or a setting is listed here.</Empty>}
      />
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  );
}

const toColumns = (timezone: string): Column<AuditEntry>[] => [
  { id: 'at', title: 'Time', show: ({ at }) => <span className="whitespace-nowrap">{toMinute(at, timezone)}</span> },
  { id: 'who', title: 'Who', show: (entry) => <span title={entry.actor_id ?? undefined}>{toWho(entry)}</span> },
  { id: 'from', title: 'From', show: ({ address }) => address ?? <span className="text-mute">–</span> },
  {
    id: 'what',
    title: 'What',
    show: ({ kind, subject, subject_name: name, action, request }) => (
      <span className="font-medium" title={request ?? undefined}>
        {toLabel(kind)} {name ?? subject} {action}
      </span>
    ),
  },
  { id: 'before', title: 'Before', show: ({ before }) => <Fields of={before} /> },
  { id: 'after', title: 'After', show: ({ after }) => <Fields of={after} /> },
];

const toWho = ({ actor, actor_id: id, actor_name: name }: AuditEntry): string =>
  name ?? (id === null ? toWords(actor) : `${toWords(actor)} ${id}`);

const mostText = 120;

function Fields({ of: fields }: { readonly of: AuditEntry['before'] }) {
  if (fields === null) return <span className="text-mute">–</span>;
  const text = Object.entries(fields)
    .map(([name, value]) => `${toWords(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return (
    <span className="block max-w-xs leading-5 break-words whitespace-normal" title={text}>
      {text.length <= mostText ? text : `${text.slice(0, mostText)}…`}
    </span>
  );
}
