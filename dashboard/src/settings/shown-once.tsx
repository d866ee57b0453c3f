import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toEventCurl } from '../connect/ways.ts';
import { todayIn } from '../lib/days.ts';
import { newUuid } from '../lib/uuid.ts';
import { useAccess } from '../state/session.tsx';
import { SecretText, Snippet } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toAssistantLine, toCostsCurl } from './snippets.ts';

export type ShownSecret =
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly kind: 'key'; readonly secret: string };

/** Shows a new secret. The service stores only its hash, so it can't be shown again. */
export function ShownOnce({ shown, onClose }: { readonly shown: ShownSecret; readonly onClose: () => void }) {
  const { project } = useAccess();
  const [eventId] = useState(newUuid);
  return (
    <Dialog title={shown.kind === 'key' ? 'The new API key' : 'The new secret'} onClose={onClose}>
      <div className="space-y-4">
        <SecretText secret={shown.secret} />
        {shown.kind === 'key' ? (
          <>
            <Snippet label="Read costs with curl" text={toCostsCurl(shown.secret, todayIn(project.timezone))} />
            <Snippet label="Let Claude Code ask" text={toAssistantLine(shown.secret)} />
          </>
        ) : (
          <>
            <Snippet
              label="Post an event with curl"
              text={toEventCurl({ origin: location.origin, clientId: shown.clientId, secret: shown.secret }, eventId)}
            />
            <p>
              <Link to="/connect" search={true} className="text-accent underline">
                Connect
              </Link>{' '}
              has the lines for SDKs, OpenTelemetry, gateways and coding agents.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}
