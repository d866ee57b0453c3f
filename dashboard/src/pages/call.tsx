import { Link, useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useApi } from '../api/queries.ts';
import type { EventRow, ExplainedCall, OpenCall } from '../api/types.ts';
import { Outcome } from '../calls/calls-table.tsx';
import { Explanation } from '../calls/explanation.tsx';
import { toDuration, toExactCount, toExactDollars, toShortName, toTime, toWords } from '../lib/format.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Card, CardHead, FailureNote, PageHead, Skeleton } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';
import { Name } from '../ui/name.tsx';

export function OneCall() {
  const { id } = useParams({ from: '/calls/$id' });
  const { search } = useQuestion();
  const ordinal = /^\d+$/.test(search.q ?? '') ? `?ordinal=${search.q}` : '';
  const call = useApi<ExplainedCall | OpenCall>(`/api/calls/${encodeURIComponent(id)}/${ordinal}`);
  if (call.error) {
    return (
      <>
        <PageHead title="Call" about={id} />
        <FailureNote answer={call} />
      </>
    );
  }
  if (!call.data) return <Skeleton className="h-96" />;
  return (
    <>
      <PageHead title="Call" about={<span className="font-mono text-xs break-all">{id}</span>}>
        {call.data.open ? <Badge tone="warn">not ended yet</Badge> : <Outcome call={call.data} />}
      </PageHead>
      {!call.data.open && (
        <>
          <Facts call={call.data} />
          <Explanation call={call.data} />
        </>
      )}
      <Events rows={call.data.events} total={call.data.events_total} />
    </>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function Facts({ call }: { readonly call: ExplainedCall }) {
  const { project } = useAccess();
  const facts: readonly Fact[] = [
    ['Cost', <strong key="cost">{toExactDollars(call.cost)}</strong>],
    ['Time', toTime(call.time, project.timezone)],
    ['Duration', call.elapsed_ms === null ? '–' : toDuration(call.elapsed_ms)],
    [
      'Model',
      <Fragment key="model">
        <Name name={call.model} /> {call.provider && `· ${call.provider}`}
      </Fragment>,
    ],
    ...Object.entries(call.units).map(([name, count]): Fact => [toTitle(name), toExactCount(count)]),
    ...Object.entries(call.terms).map(([name, value]): Fact => [toTitle(name), value]),
    ['Customer', <CustomerName key="customer" name={call.customer} />],
    ['Feature', <Name key="feature" name={call.feature} />],
    ['User', <Name key="user" name={call.user} />],
    [
      'Run',
      <Link key="run" to="/runs/$run" params={{ run: call.run }} search={true} className="text-accent underline">
        <Name name={call.run} />
      </Link>,
    ],
  ];
  return (
    <Card className="p-4">
      <dl className="grid gap-4 sm:grid-cols-2 md:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-mute">{name}</dt>
            <dd className="mt-0.5 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(call.tags).length > 0 && (
        <p className="mt-4 flex flex-wrap gap-1.5 border-t border-line pt-3">
          {Object.entries(call.tags).map(([key, value]) => (
            <Badge key={key}>
              {toShortName(key, 20)}: <Name name={value} />
            </Badge>
          ))}
        </p>
      )}
    </Card>
  );
}

const toTitle = (name: string): string => toWords(name).replace(/^./, (first) => first.toUpperCase());

function CustomerName({ name }: { readonly name: string }) {
  const { project } = useAccess();
  if (name === '' || project.type !== 'revenue') return <Name name={name} />;
  return (
    <Link to="/customers/$name" params={{ name }} search={true} className="text-accent underline">
      <Name name={name} />
    </Link>
  );
}

function Events({ rows, total }: { readonly rows: readonly EventRow[]; readonly total: number }) {
  const { project } = useAccess();
  return (
    <Card>
      <CardHead title="Events as received">
        <Badge>{total}</Badge>
      </CardHead>
      <div className="space-y-4 border-t border-line p-4">
        {rows.map(({ received_at, client_id, event }, index) => (
          <Snippet
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the log never changes
            key={index}
            label={`${String(event.event_type)} · received ${toTime(received_at, project.timezone)} · client ${client_id}`}
            text={JSON.stringify(event, null, 2)}
          />
        ))}
      </div>
    </Card>
  );
}
