import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { Call, EventRow, Page } from '../api/types.ts';
import { addDays, todayIn } from '../lib/days.ts';
import { nameEvents } from '../live/names.ts';
import { useIsReached } from '../state/connection.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty, FailureNote, PageHead } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Icon } from '../ui/icons.tsx';
import { Name } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';

const everyMs = 2_000;
const mostRows = 100;

/** Events as they arrive. */
export function Live() {
  const { project } = useAccess();
  const [isPaused, setPaused] = useState(false);
  const events = useApi<Page<EventRow>>(`/api/events/?limit=${mostRows}`, undefined, {
    every: isPaused ? false : everyMs,
  });
  const calls = useCalls(events.data?.rows ?? []);
  const { table, tools } = useTableView('events', toColumns(calls), events.data?.rows);
  const isFollowing = useIsReached() && !isPaused;
  const names = useMemo(() => nameEvents(events.data?.rows ?? []), [events.data]);
  return (
    <>
      <PageHead title="Live" about={`The newest ${mostRows} events · ${project.timezone}`}>
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </PageHead>
      <FailureNote answer={events} />
      <Card>
        <CardHead title="Events">
          {tools}
          <Badge tone={isFollowing ? 'good' : 'warn'}>{isFollowing ? 'every 2 s' : 'paused'}</Badge>
        </CardHead>
        <DataTable
          name="Events"
          idOf={(row) => names.get(row) ?? ''}
          empty={<Empty title="No events yet">They appear here as they are posted.</Empty>}
          {...table}
        />
      </Card>
    </>
  );
}

/** The call of an event, as far as it is worked out. */
interface EventCall extends Pick<Call, 'model' | 'customer' | 'feature'> {
  /** USD; null without a price. */
  readonly cost: number | null;
  /** The newest of its events: the others do not say the cost again, which would look like more. */
  readonly newest: EventRow | undefined;
}

function useCalls(rows: readonly EventRow[]): ReadonlyMap<string, EventCall> {
  const { project } = useAccess();
  const ids = [...new Set(rows.map(idOf))];
  // A call's time is at most a day before its receipt, unless its event has another.
  const times = rows.map(({ event }) => Date.parse(readText(event.timestamp)) || Date.now());
  const calls = useApi<Page<Call>>(
    '/api/calls/',
    {
      date_from: addDays(todayIn(project.timezone, new Date(Math.min(Date.now(), ...times))), -2),
      ...{ event_ids: ids, order: 'newest', limit: 2 * mostRows },
    },
    { enabled: ids.length > 0, keep: true },
  );
  return useMemo(() => {
    const newestOf = new Map(rows.toReversed().map((row) => [idOf(row), row]));
    const found = new Map<string, EventCall>();
    for (const { event_id: id, cost, cost_source: source, ...names } of calls.data?.rows ?? []) {
      const before = found.get(id)?.cost ?? null;
      found.set(id, {
        ...names,
        cost: source === 'unpriced' ? before : (before ?? 0) + cost,
        newest: newestOf.get(id),
      });
    }
    return found;
  }, [rows, calls.data]);
}

const idOf = ({ event }: EventRow): string => readText(event.event_id);

const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function readTag({ event }: EventRow, name: string): string {
  const { tags } = event;
  const tag: unknown = typeof tags === 'object' && tags !== null ? Reflect.get(tags, name) : undefined;
  return readText(tag) || readText(event[name]);
}

const toName = (id: string, title: string, value: (row: EventRow) => string): Column<EventRow> => ({
  ...{ id, title, value },
  show: (row) => (value(row) === '' ? '–' : <Name name={value(row)} />),
});

const toNumber = (id: string, title: string, read: (row: EventRow) => unknown): Column<EventRow> => ({
  ...{ id, title, isNumber: true },
  value: (row) => {
    const number = read(row);
    return typeof number === 'number' ? number : null;
  },
});

const toCall = (row: EventRow): DoorTo => ({ to: '/calls/$id', params: { id: idOf(row) } });

function toColumns(calls: ReadonlyMap<string, EventCall>): Column<EventRow>[] {
  const costOf = (row: EventRow) => {
    const call = calls.get(idOf(row));
    return call?.newest === row ? call.cost : undefined;
  };
  const nameOf = (name: 'customer' | 'feature') => (row: EventRow) =>
    readTag(row, name) || (calls.get(idOf(row))?.[name] ?? '');
  return [
    { id: 'received', title: 'Received', as: 'time', value: ({ received_at: at }) => at },
    {
      id: 'type',
      title: 'Type',
      value: ({ event }) => readText(event.event_type),
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
    {
      ...{ id: 'cost', title: 'Cost', unit: 'USD', isNumber: true },
      value: (row) => costOf(row) ?? null,
      isUnpriced: (row) => costOf(row) === null,
      door: toCall,
    },
    toName('model', 'Model', (row) => readText(row.event.model) || (calls.get(idOf(row))?.model ?? '')),
    toName('customer', 'Customer', nameOf('customer')),
    toName('feature', 'Feature', nameOf('feature')),
    { ...toNumber('in', 'Tokens in', ({ event }) => event.prompt_tokens), door: toCall },
    { ...toNumber('out', 'Tokens out', ({ event }) => event.completion_tokens), door: toCall },
    { ...toNumber('elapsed', 'Duration', ({ event }) => event.elapsed_ms), unit: 'ms' },
  ];
}
