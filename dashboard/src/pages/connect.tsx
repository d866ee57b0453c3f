import { useEffect, useState } from 'react';
import { AccountsCard, useAccounts } from '../accounts/accounts-card.tsx';
import { useApi, useRefresh } from '../api/queries.ts';
import type { EventRow, Page, Project } from '../api/types.ts';
import { ClientCard, type Credentials } from '../connect/client-card.tsx';
import { DemoButton } from '../connect/demo-button.tsx';
import { Example } from '../connect/example.tsx';
import { FirstEventCard } from '../connect/first-event-card.tsx';
import { toWay, wayIds, wayLabels } from '../connect/ways.ts';
import { newUuid } from '../lib/uuid.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { Card, CardHead, Choice, PageHead } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';
import { Name } from '../ui/name.tsx';

/** How to send the calls of any stack, with a light that turns green when the first event arrives. */
export function Connect() {
  const { project } = useAccess();
  const refresh = useRefresh();
  // Other pages' answers from before the first event are empty, so refetch them on leaving.
  useEffect(() => () => void refresh(), [refresh]);
  const [made, setMade] = useState<Credentials>();
  const { search } = useQuestion();
  const change = useChangeSearch();
  const wayId = wayIds.find((id) => id === search.way) ?? 'typescript';
  const [eventId] = useState(newUuid);
  const events = useApi<Page<EventRow>>('/api/events/?limit=1');
  const accounts = useAccounts();
  const isEmpty = events.data?.rows.length === 0;
  const target = {
    origin: location.origin,
    clientId: made?.client_id ?? '$CLIENT_ID',
    secret: made?.secret ?? '$CLIENT_SECRET',
  };
  const way = toWay(wayId, target, eventId);
  const named = <Name name={project.name} />;
  return (
    <>
      <PageHead title="Connect" about={<>Send the AI calls of your stack to {named}.</>} />
      <After isPending={events.isPending || accounts.isPending} isFirst>
        {isEmpty && <Greeting type={project.type} />}
        <AccountsCard title="A key is enough" isFirst={isEmpty} />
        <ClientCard made={made} isNew={isEmpty} onMade={setMade} />
        <Card aria-label="The lines to copy">
          <CardHead title="2. Copy the lines for your stack" />
          <div className="space-y-4 border-t border-line p-4">
            <Choice label="Stack" options={wayLabels} value={wayId} onChoose={(way) => change({ way })} />
            <p className="text-mute">{way.about}</p>
            <div className={`grid gap-4 ${way.steps.length > 1 ? 'lg:grid-cols-2' : ''}`}>
              {way.steps.map(({ label, text }) => (
                <Snippet key={label} label={label} text={text} />
              ))}
            </div>
          </div>
        </Card>
        <FirstEventCard />
        {!isEmpty && (
          <Card>
            <CardHead title="Or explore demo data" />
            <div className="border-t border-line p-4">
              <Demo />
            </div>
          </Card>
        )}
      </After>
    </>
  );
}

/** What a new project will show, and a way to see it now. */
const Greeting = ({ type }: { readonly type: Project['type'] }) => (
  <Card aria-label="What you will see">
    <CardHead
      title="What did every AI call cost, and did it pay?"
      about="Three steps below send the first call. From then on the overview answers these."
    />
    <div className="grid gap-6 border-t border-line p-4 md:grid-cols-2">
      <Example type={type} />
      <div className="space-y-4">
        <ul className="list-disc space-y-1 pl-4">
          <li>What AI costs by {type === 'revenue' ? 'customer' : 'user'}, feature and model, day by day</li>
          <li>
            {type === 'revenue'
              ? 'Which customers cost more than they pay, and why'
              : 'What a unit of your users’ work costs, and why'}
          </li>
          <li>What changed, what is wasted, and what to do first</li>
        </ul>
        <Demo />
      </div>
    </div>
  </Card>
);

const Demo = () => (useAccess().isAdmin ? <DemoButton /> : <DemoCommand />);

const DemoCommand = () => (
  <p>
    <code>node bin/farthing.js demo</code> makes a separate project with 90 days of made-up data.
  </p>
);
