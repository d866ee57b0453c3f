import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { takeArrival } from '../people/link.ts';
import { LinkSignIn } from '../people/link-sign-in.tsx';
import { useAccess } from '../state/session.tsx';
import { Card, Empty, PageHead } from '../ui/basics.tsx';

/** Where a one-time link leads while somebody is signed in. */
export function SignedIn() {
  const { session } = useAccess();
  const [arrival] = useState(takeArrival);
  const who = session.member?.email ?? (session.kind === 'admin' ? 'the admin token' : 'an API key');
  return (
    <>
      <PageHead title="Sign in" about={`Signed in with ${who}`} />
      <Card>
        {typeof arrival === 'object' ? (
          <div className="max-w-sm p-4">
            <LinkSignIn secret={arrival.link} />
          </div>
        ) : (
          <Empty title="You are signed in">
            <Link to="/" search={{}} className="text-accent underline">
              Go to the overview
            </Link>
          </Empty>
        )}
      </Card>
    </>
  );
}
