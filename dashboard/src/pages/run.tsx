import { Link, useParams } from '@tanstack/react-router';
import { useApi } from '../api/queries.ts';
import type { Call, Run } from '../api/types.ts';
import { toColumnDollars, toCount, toDuration, toShortName, toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, FailureNote, PageHead, Skeleton } from '../ui/basics.tsx';
import { Count, Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';

export function OneRun() {
  const { run: name } = useParams({ from: '/runs/$run' });
  const { project } = useAccess();
  const run = useApi<Run>(`/api/runs/${encodeURIComponent(name)}/?limit=1000`);
  if (run.error) {
    return (
      <>
        <PageHead title="Run" about={name} />
        <FailureNote answer={run} />
      </>
    );
  }
  if (!run.data) return <Skeleton className="h-96" />;
  const { calls, failed_calls, cost, first_time, last_time, features, customers, rows, has_more } = run.data;
  const span = calcSpan(rows, last_time);
  return (
    <>
      <PageHead
        title="Run"
        about={
          <span className="break-all">
            {[name, ...features, ...customers].map((one) => toShortName(one)).join(' · ')}
          </span>
        }
      />
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <FigureCard icon="wallet" label="Cost" value={<Dollars value={cost} />} />
        <FigureCard
          icon="calls"
          label="Calls"
          value={<Count value={calls} />}
          about={`${toCount(failed_calls)} failed`}
        />
        <FigureCard
          icon="calendar"
          label="First call"
          value={
            <span className="block pt-1.5 text-sm leading-5 whitespace-normal">
              {toTime(first_time, project.timezone)}
            </span>
          }
        />
        <FigureCard icon="live" label="Duration" value={span.length > 0 ? toDuration(span.length) : '–'} />
      </div>
      <Card>
        <CardHead title="Calls over time" />
        <Waterfall calls={rows} span={span} />
        {has_more && <p className="border-t border-line p-3 text-center text-mute">The first 1,000 calls are shown.</p>}
      </Card>
    </>
  );
}

/** When a call began: its time is that of its outcome. */
const startOf = ({ time, elapsed_ms }: Call): number => Date.parse(time) - (elapsed_ms ?? 0);

interface Span {
  readonly start: number;
  readonly length: number;
}

/** From the start of the first call to the end of the last, which may not be among the calls shown. */
function calcSpan(calls: readonly Call[], lastTime: string): Span {
  const end = Date.parse(lastTime);
  const start = calls.reduce((first, call) => Math.min(first, startOf(call)), end);
  return { start, length: end - start };
}

const narrowest = 0.6;
/** The positions of the time labels, as shares of the whole. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

function Waterfall({ calls, span: { start, length } }: { readonly calls: readonly Call[]; readonly span: Span }) {
  const dollars = toColumnDollars(calls.map(({ cost }) => cost));
  const toPercent = (ms: number) => (length === 0 ? 0 : (100 * ms) / length);
  return (
    <ol className="border-t border-line">
      <li
        aria-hidden="true"
        className="hidden items-center gap-x-4 border-b border-line px-4 py-2 text-xs text-mute sm:grid sm:grid-cols-[14rem_minmax(0,1fr)_9rem]"
      >
        <span>Call</span>
        <span className="flex justify-between">
          {ticks.map((tick) => (
            <span key={tick}>{length > 0 && toDuration(tick * length)}</span>
          ))}
        </span>
        <span className="text-right">Time and cost</span>
      </li>
      {calls.map((call) => {
        const left = Math.min(toPercent(startOf(call) - start), 100 - narrowest);
        const width = Math.max(toPercent(call.elapsed_ms ?? 0), narrowest);
        return (
          <li
            key={`${call.event_id}/${call.ordinal}`}
            className="grid items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0 hover:bg-raised/50 sm:grid-cols-[14rem_minmax(0,1fr)_9rem]"
          >
            <Link
              to="/calls/$id"
              params={{ id: call.event_id }}
              search={(search) => ({ ...search, q: call.ordinal > 0 ? String(call.ordinal) : undefined })}
              className="min-w-0 truncate font-medium hover:underline"
            >
              {toShortName(call.model)} <span className="font-normal text-mute">{toShortName(call.feature)}</span>
            </Link>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" className="h-4 w-full" aria-hidden="true">
              <rect width="100" height="10" rx="0.6" className="fill-raised" />
              <rect
                x={left}
                width={Math.min(width, 100 - left)}
                height="10"
                rx="0.6"
                className={call.failed ? 'fill-bad' : 'fill-accent'}
              />
            </svg>
            <span className="text-right text-[13px] whitespace-nowrap">
              {call.failed && <span className="text-bad">failed · </span>}
              {call.elapsed_ms === null ? '–' : toDuration(call.elapsed_ms)} · {dollars(call.cost)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
