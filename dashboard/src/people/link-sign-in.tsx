import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiProblem, askApi, isPassing } from '../api/client.ts';
import type { InvitedLink, LinkBody, Session } from '../api/types.ts';
import { toName } from '../lib/format.ts';
import { forgetAnswers, noteSignIn, sessionKey } from '../state/session.tsx';
import { Button, ErrorNote } from '../ui/basics.tsx';
import { endArrival } from './link.ts';

const neither = 'This is neither a valid API key nor the admin token.';

/** Signs in, and shows the overview of whoever has signed in. */
export function useSignIn() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (body: Readonly<Record<string, string>>) => {
      try {
        return await askApi<Session>('/session/', { method: 'POST', body });
      } catch (error) {
        // A link that is refused ends no session that there is.
        throw error instanceof ApiProblem && error.status === 401
          ? new Error(body.admin_token === undefined ? error.message : neither)
          : error;
      }
    },
    onSuccess: (session) => {
      endArrival();
      noteSignIn();
      forgetAnswers(queries);
      queries.setQueryData(sessionKey, session);
      if (window.location.pathname.startsWith('/sign-in')) void navigate({ to: '/', search: {} });
    },
  });
}

/** Uses a one-time link at the press of a button: what only looks at links, as scanners of e-mail do, uses none up. */
export function LinkSignIn({ secret }: { readonly secret: string }) {
  const signIn = useSignIn();
  const invited = useQuery({
    queryKey: [...sessionKey, 'link'],
    queryFn: ({ signal }) =>
      askApi<InvitedLink>('/session/link/', {
        method: 'POST',
        body: { invitation: secret } satisfies LinkBody,
        signal,
      }),
    retry: (_failures, error) => isPassing(error),
  });
  const problem = signIn.error ?? invited.error;
  return (
    <div className="space-y-4">
      <p className="text-mute">
        This link signs you in once, on this device
        {invited.data && (
          <>
            , as <strong className="font-medium break-words text-ink">{toPerson(invited.data)}</strong>
          </>
        )}
        .
      </p>
      <Button
        kind="main"
        className="w-full"
        disabled={signIn.isPending || invited.isPending || invited.error !== null}
        onClick={() => signIn.mutate({ invitation: secret })}
      >
        {signIn.isPending ? 'Signing in…' : 'Sign in'}
      </Button>
      {problem && <ErrorNote problem={problem} />}
    </div>
  );
}

const toPerson = ({ email, name }: InvitedLink): string => (name === null ? email : `${toName(name)} (${email})`);
