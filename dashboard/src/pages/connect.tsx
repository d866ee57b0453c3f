import { useEffect, useState } from 'react';
import { useRefresh } from '../api/queries.ts';
import { ClientCard, type Credentials } from '../connect/client-card.tsx';
import { DemoButton } from '../connect/demo-button.tsx';
import { FirstEventCard } from '../connect/first-event-card.tsx';
import { toWay, wayIds, wayLabels } from '../connect/ways.ts';
import { newUuid } from '../lib/uuid.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, Choice, PageHead } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';

/** How to send the calls of any stack, with a light that turns green when the first event arrives. */
export function Connect() {
  const { isAdmin, project } = useAccess();
  const refresh = useRefresh();
  // Other pages' answers from before the first event are empty, so refetch them on leaving.
  useEffect(() => () => void refresh(), [refresh]);
  const [made, setMade] = useState<Credentials>();
  const { search } = useQuestion();
  const change = useChangeSearch();
  const wayId = wayIds.find((id) => id === search.way) ?? 'typescript';
  const [eventId] = useState(newUuid);
  const target = {
    origin: location.origin,
    clientId: made?.client_id ?? '$CLIENT_ID',
    secret: made?.secret ?? '$CLIENT_SECRET',
  };
  const way = toWay(wayId, target, eventId);
  return (
    <>
      <PageHead title="Connect" about={`Send the AI calls of your stack to ${project.name}.`} />
      <ClientCard made={made} onMade={setMade} />
      <Card aria-label="The lines to copy">
        <CardHead title="2. Copy the lines of your stack" />
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
      <Card>
        <CardHead title="Or explore demo data" />
        <div className="border-t border-line p-4">{isAdmin ? <DemoButton /> : <DemoCommand />}</div>
      </Card>
    </>
  );
}

const DemoCommand = () => (
  <p>
    <code>node bin/farthing.js demo</code> makes a separate project with 90 days of made-up data.
  </p>
);
