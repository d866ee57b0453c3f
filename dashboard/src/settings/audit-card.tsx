import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { keepAnswer, useAsk } from '../api/queries.ts';
import type { AuditEntry, AuditPage } from '../api/types.ts';
import { download } from '../lib/download.ts';
import { toDay, toExactCount, toShortName, toTime, toWords } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, ErrorNote } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Icon } from '../ui/icons.tsx';
import { ShowMore, useTableView } from '../ui/table-view.tsx';
import { AuditFilters, noFilter, toAuditQuery, toLabel } from './audit-filters.tsx';
import { readFile } from './read-file.ts';

const pageRows = 20;
const fileFormats = { csv: 'CSV', ndjson: 'JSON' } as const;

/** Who changed what in the project, the newest first, a page at a time. */
export function AuditCard() {
  const { project, isNamed } = useAccess();
  const ask = useAsk();
  const [filter, setFilter] = useState(noFilter);
  // Typing goes on while the list is asked for.
  const query = useDeferredValue(toAuditQuery(filter, project.timezone));
  const path = `/api/audit/?limit=${pageRows}&${query}`;
  const found = keepAnswer(
    useInfiniteQuery({
      queryKey: [project.id, path, 'pages'],
      queryFn: ({ signal, pageParam }) =>
        ask<AuditPage>(pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, { signal }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor }) => next_cursor,
      placeholderData: keepPreviousData,
    }),
  );
  const saving = useMutation({
    mutationFn: async (format: keyof typeof fileFormats) => {
      const file = await readFile(`/api/audit/?format=${format}&${query}`, isNamed ? project.id : undefined);
      // The mark by which spreadsheets know UTF-8.
      download(`farthing-audit.${format}`, format === 'csv' ? new Blob(['\uFEFF', file]) : file);
    },
  });
  const entries = found.data?.pages.flatMap((page) => page.entries);
  const { table, picker } = useTableView('changes', toColumns(project.timezone), entries);
  return (
    <Card aria-label="Changes">
      <CardHead title="Changes">
        {picker}
        {(Object.keys(fileFormats) as (keyof typeof fileFormats)[]).map((format) => (
          <Button key={format} disabled={saving.isPending || !entries?.length} onClick={() => saving.mutate(format)}>
            <Icon name="download" />
            {fileFormats[format]}
          </Button>
        ))}
      </CardHead>
      <AuditFilters filter={filter} onChange={setFilter} names={[...new Set(entries?.map(toName))]} />
      {saving.error && <ErrorNote problem={saving.error} className="m-4" />}
      <DataTable
        name="Changes, table"
        answer={found}
        idOf={({ id }) => id}
        {...table}
        empty={
          query === '' ? (
            <Empty title="Nothing was changed">Who changes a price, a budget or a setting is listed here.</Empty>
          ) : (
            <Empty title="No such change" />
          )
        }
      />
      {found.hasNextPage && (
        <ShowMore
          {...{ count: entries?.length ?? 0, of: 'Order', isAsking: found.isFetchingNextPage }}
          onMore={() => void found.fetchNextPage()}
        />
      )}
    </Card>
  );
}

const toColumns = (timezone: string): Column<AuditEntry>[] => [
  { id: 'at', title: 'Time', as: 'time', value: ({ at }) => at },
  {
    ...{ id: 'who', title: 'Who', value: toWho },
    show: (entry) => <span title={entry.actor_id ?? undefined}>{toWho(entry)}</span>,
  },
  {
    id: 'what',
    title: 'What',
    value: ({ kind, subject, subject_name: name, action }) => `${toLabel(kind)} ${action} ${name ?? subject}`,
    show: ({ kind, subject, subject_name: name, action, request }) => (
      <span className="block py-1 leading-5" title={[name ?? subject, request].filter(Boolean).join(' · ')}>
        <span className="font-medium">
          {toLabel(kind)} {action}
        </span>{' '}
        <span className="text-mute sm:block">{toShortName(name ?? subject, 26)}</span>
      </span>
    ),
  },
  toFields('before', 'Before', timezone),
  toFields('after', 'After', timezone),
  { id: 'from', title: 'Address', value: ({ address }) => address },
];

function toWho({ actor, actor_id: id, actor_name: name }: AuditEntry): string {
  return name ?? (id === null ? toWords(actor) : `${toWords(actor)} ${id}`);
}

/** The same, as the filter takes it. */
const toName = ({ actor, actor_id: id, actor_name: name }: AuditEntry): string => name ?? id ?? toWords(actor);

function toText(value: unknown, timezone: string): string {
  if (Array.isArray(value)) return value.map((one) => toText(one, timezone)).join(', ') || 'none';
  if (typeof value === 'object' && value !== null) return toFieldsText(value, timezone, ' ', ' and ') || 'none';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(value))
    return value.includes('T') ? toTime(value, timezone) : toDay(value);
  if (typeof value === 'number') return toExactCount(value);
  return String(value ?? 'none');
}

const toFieldsText = (fields: object, timezone: string, is: string, and: string): string =>
  Object.entries(fields)
    .map(([name, value]) => `${toWords(name)}${is}${toText(value, timezone)}`)
    .join(and);

function toFields(id: 'before' | 'after', title: string, timezone: string): Column<AuditEntry> {
  const value = ({ [id]: fields }: AuditEntry): string | null => fields && toFieldsText(fields, timezone, ': ', ', ');
  return { id, title, value, show: (entry) => <Fields text={value(entry)} /> };
}

function Fields({ text }: { readonly text: string | null }) {
  if (text === null) return <span className="text-mute">–</span>;
  return (
    <span className="max-w-xs leading-5 max-lg:block max-lg:truncate lg:line-clamp-2 lg:whitespace-normal" title={text}>
      {text}
    </span>
  );
}
