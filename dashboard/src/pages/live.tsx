import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { EventRow, Page } from '../api/types.ts';
import { toCount, toDuration, toTime } from '../lib/format.ts';
import { nameEvents } from '../live/names.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty, ErrorNote, PageHead } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Icon } from '../ui/icons.tsx';

const everyMs = 2_000;
const mostRows = 100;

/** Events as they arrive. */
export function Live() {
  const { project } = useAccess();
  const [isPaused, setPaused] = useState(false);
  const events = useApi<Page<EventRow>>(`/api/events/?limit=${mostRows}`, undefined, {
    every: isPaused ? false : everyMs,
  });
  const names = useMemo(() => nameEvents(events.data?.rows ?? []), [events.data]);
  return (
    <>
      <PageHead title="Live" about={`The newest ${mostRows} events · ${project.timezone}`}>
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </PageHead>
      {events.error && <ErrorNote problem={events.error} retry={() => void events.refetch()} />}
      <Card>
        <CardHead title="Events">
          <Badge tone={isPaused ? 'warn' : 'good'}>{isPaused ? 'paused' : 'every 2 s'}</Badge>
        </CardHead>
        <DataTable
          name="Events"
          columns={toColumns(project.timezone)}
          rows={events.data?.rows}
          idOf={(row) => names.get(row) ?? ''}
          empty={<Empty title="No events yet">They appear here as they are posted.</Empty>}
        />
      </Card>
    </>
  );
}

const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function readTag({ event }: EventRow, name: string): string {
  const { tags } = event;
  const tag: unknown = typeof tags === 'object' && tags !== null ? Reflect.get(tags, name) : undefined;
  return readText(tag) || readText(event[name]);
}

function toColumns(timezone: string): Column<EventRow>[] {
  return [
    {
      id: 'received',
      title: 'Received',
      show: ({ received_at }) => <span className="whitespace-nowrap">{toTime(received_at, timezone)}</span>,
    },
    {
      id: 'type',
      title: 'Type',
      show: ({ event }) => (
        <Link
          to="/calls/$id"
          params={{ id: readText(event.event_id) }}
          search={true}
          className="font-medium hover:underline"
        >
          {readText(event.event_type)}
        </Link>
      ),
    },
    { id: 'model', title: 'Model', show: ({ event }) => readText(event.model) || '–' },
    { id: 'customer', title: 'Customer', show: (row) => readTag(row, 'customer') || '–' },
    { id: 'feature', title: 'Feature', show: (row) => readTag(row, 'feature') || '–' },
    { id: 'tokens', title: 'Tokens in / out', isNumber: true, show: ({ event }) => toTokens(event) },
    {
      id: 'elapsed',
      title: 'Duration',
      isNumber: true,
      show: ({ event }) => (typeof event.elapsed_ms === 'number' ? toDuration(event.elapsed_ms) : '–'),
    },
  ];
}

function toTokens({ prompt_tokens, completion_tokens }: EventRow['event']): string {
  if (typeof prompt_tokens !== 'number' && typeof completion_tokens !== 'number') return '–';
  return `${toCount(Number(prompt_tokens ?? 0))} / ${toCount(Number(completion_tokens ?? 0))}`;
}
