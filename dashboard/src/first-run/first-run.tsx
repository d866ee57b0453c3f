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

/** What an empty project shows: the first event to send. The page goes on by itself as soon as it is there. */
export function FirstRun() {
  const { isAdmin, project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  // What was asked before the first event says that there is nothing.
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
      <PageHead title="Send your first event" about={`${project.name} has none yet.`} />
      <Card>
        <CardHead title="1. A client and its secret" />
        <div className="space-y-3 border-t border-line p-4">
          {made ? (
            <p>
              The client <code className="text-xs break-all">{made.client_id}</code> is made, and its secret stands in
              the commands below. It is shown this once: keep it where your application reads its secrets.
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
              The first start printed them, or wrote them to <code>first-start.txt</code> in the data folder. Put them
              into <code>CLIENT_ID</code> and <code>CLIENT_SECRET</code>, with double quotes around what uses them.
            </p>
          )}
          {make.error && <ErrorNote problem={make.error} />}
        </div>
      </Card>
      <Card>
        <CardHead title="2. Post an event after a call to a model">
          <Badge tone="warn">
            <span role="status">waiting for it…</span>
          </Badge>
        </CardHead>
        <div className="grid gap-4 border-t border-line p-4 lg:grid-cols-2">
          <Snippet label="curl" text={toEventCurl(clientId, secret)} />
          <Snippet label="TypeScript" text={toEventTypeScript(clientId, secret)} />
        </div>
      </Card>
      <Card>
        <CardHead title="Or look around first" />
        <div className="border-t border-line p-4">{isAdmin ? <DemoButton /> : <DemoCommand />}</div>
      </Card>
    </>
  );
}

const DemoCommand = () => (
  <p>
    <code>node bin/farthing.js demo</code> makes a project of its own with 90 days of made-up data to look at.
  </p>
);
