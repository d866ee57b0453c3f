import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { EventRow, ExplainedCall, OpenCall, Page } from '../api/types.ts';
import { Explanation } from '../calls/explanation.tsx';
import { toExactDollars, toName } from '../lib/format.ts';
import { Badge, Card, CardHead, ErrorNote } from '../ui/basics.tsx';

const everyMs = 1_500;
/** Enough for one request with a few calls and their other events. */
const eventsAsked = 20;

/** Waits for the next event of the project, and then shows what its call cost and how that was reached. */
export function FirstEventCard() {
  // The events when the page was opened: only others turn the light green, or the first ones, which may have come before.
  const [before, setBefore] = useState<readonly EventRow[]>();
  const [arrived, setArrived] = useState<string>();
  const events = useApi<Page<EventRow>>(`/api/events/?limit=${eventsAsked}`, undefined, {
    every: arrived === undefined && everyMs,
  });
  const rows = events.data?.rows;
  if (rows && before === undefined) setBefore(areFirst(rows, Date.now()) ? [] : rows);
  if (rows && before !== undefined && arrived === undefined) {
    const [newest = ''] = before.map((row) => row.received_at);
    const known = new Set(before.map(keyOf));
    const outcome = rows.findLast((row) => row.received_at >= newest && !known.has(keyOf(row)) && isOutcome(row));
    if (outcome) setArrived(String(outcome.event.event_id));
  }
  return arrived === undefined ? (
    <Card aria-label="The first call">
      <CardHead title="3. Run it">
        <Light isGreen={false}>waiting for the {before?.length === 0 ? 'first' : 'next'} event…</Light>
      </CardHead>
      <p className="border-t border-line p-4 text-mute">
        The call and its cost appear here as soon as the event is stored. Exporters send what they have every few
        seconds.
      </p>
      {events.error && <ErrorNote problem={events.error} className="m-4" />}
    </Card>
  ) : (
    <Arrived id={arrived} />
  );
}

const keyOf = ({ received_at: at, event }: EventRow): string => `${at} ${event.event_id} ${event.event_type}`;

/** Events that came just now, of a project with few, are those that a reader waits for: they were faster than the page. */
const justNowMs = 300_000;
const areFirst = (rows: readonly EventRow[], now: number): boolean =>
  rows.length < eventsAsked && rows.every(({ received_at: at }) => now - Date.parse(at) < justNowMs);

const isOutcome = ({ event: { event_type } }: EventRow): boolean => /(?:^|\.)(?:after|error)$/.test(String(event_type));

function Arrived({ id }: { readonly id: string }) {
  const call = useApi<ExplainedCall | OpenCall>(`/api/calls/${encodeURIComponent(id)}/`, undefined, {
    every: (found) => (found?.open === false ? false : everyMs),
  });
  const ended = call.data?.open === false ? call.data : undefined;
  return (
    <>
      <Card aria-label="The first call">
        <CardHead title="3. Run it">
          <Light isGreen={true}>the event has arrived</Light>
        </CardHead>
        <p className="border-t border-line p-4">
          {ended ? (
            <>
              <strong data-figure="First call">{toExactDollars(ended.cost)}</strong> for {toName(ended.model)}
              {ended.customer !== '' && `, customer ${toName(ended.customer)}`}
              {ended.feature !== '' && `, feature ${toName(ended.feature)}`}.{' '}
              <Link to="/calls/$id" params={{ id }} search={true} className="text-accent underline">
                The call and its events
              </Link>
            </>
          ) : (
            <span className="text-mute">Its cost is being worked out…</span>
          )}
        </p>
      </Card>
      {ended && <Explanation call={ended} />}
    </>
  );
}

const Light = ({ isGreen, children }: { readonly isGreen: boolean; readonly children: ReactNode }) => (
  <Badge tone={isGreen ? 'good' : 'warn'}>
    <span role="status" className="inline-flex items-center gap-1.5">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isGreen ? 'bg-good' : 'bg-warn motion-safe:animate-ping'}`}
      />
      <span>{children}</span>
    </span>
  </Badge>
);
