import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAsk, useRefresh } from '../api/queries.ts';
import { toEventCurl, toEventTypeScript } from '../settings/snippets.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, ErrorNote, PageHead } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';
import { DemoButton } from './demo-button.tsx';

interface Credentials {
  readonly client_id: string;
  readonly secret: string;
}

/** The page of an empty project: how to send the first event. The overview replaces it when the event arrives. */
export function FirstRun() {
  const { isAdmin, project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  // Answers from before the first event are empty, so refetch them on leaving.
  useEffect(() => () => void refresh(), [refresh]);
  const [made, setMade] = useState<Credentials>();
  const make = useMutation({
    mutationFn: () =>
      ask<Credentials>(`/admin/projects/${project.id}/clients/`, { method: 'POST', body: { name: 'first' } }),
    onSuccess: setMade,
  });
  const clientId = made?.client_id ?? '$CLIENT_ID';
  const secret = made?.secret ?? '$CLIENT_SECRET';
  return (
    <>
      <PageHead title="Send your first event" about={`${project.name} has no events yet.`} />
      <Card>
        <CardHead title="1. A client and its secret" />
        <div className="space-y-3 border-t border-line p-4">
          {made ? (
            <p>
              The client is <code className="text-xs break-all">{made.client_id}</code>. Its secret is in the commands
              below and is shown only once: store it where your application reads its secrets.
            </p>
          ) : isAdmin ? (
            <>
              <p>Events are posted by a client with a secret.</p>
              <Button kind="main" disabled={make.isPending} onClick={() => make.mutate()}>
                Make a client
              </Button>
            </>
          ) : (
            <p>
              The first start printed both, or wrote them to <code>first-start.txt</code> in the data folder. Put them
              into the variables <code>CLIENT_ID</code> and <code>CLIENT_SECRET</code>, and use double quotes around the
              texts that contain them.
            </p>
          )}
          {make.error && <ErrorNote problem={make.error} />}
        </div>
      </Card>
      <Card>
        <CardHead title="2. Post an event after a call to a model">
          <Badge tone="warn">
            <span role="status">waiting for the event…</span>
          </Badge>
        </CardHead>
        <div className="grid gap-4 border-t border-line p-4 lg:grid-cols-2">
          <Snippet label="curl" text={toEventCurl(clientId, secret)} />
          <Snippet label="TypeScript" text={toEventTypeScript(clientId, secret)} />
        </div>
      </Card>
      <Card>
        <CardHead title="Or explore demo data first" />
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
