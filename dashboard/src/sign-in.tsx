import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { askApi } from './api/client.ts';
import { takeArrival } from './people/link.ts';
import { LinkSignIn, useSignIn } from './people/link-sign-in.tsx';
import { noteSignIn, sessionKey } from './state/session.tsx';
import { Button, ErrorNote, inputClass } from './ui/basics.tsx';
import { Wordmark } from './ui/wordmark.tsx';

const providers: readonly (readonly [host: RegExp, name: string])[] = [
  [/^accounts\.google\.com$/, 'Google'],
  [/^login\.microsoftonline\.com$/, 'Microsoft'],
  [/\.okta\.com$/, 'Okta'],
];

/** By a link, with the OpenID provider, or with an API key, which begins with `fk_`; other text is tried as the admin token. */
export function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  const [arrival] = useState(takeArrival);
  const [secret, setSecret] = useState('');
  const signIn = useSignIn();
  const ways = useQuery({
    queryKey: [...sessionKey, 'ways'],
    queryFn: ({ signal }) => askApi<{ readonly provider: string | null }>('/session/ways/', { signal }),
  });
  useEffect(() => {
    if (arrival !== 'provider') return;
    noteSignIn();
    window.location.replace('/');
  }, [arrival]);
  useEffect(() => {
    document.title = 'Sign in · Farthing';
  }, []);
  const isOfClient = secret.trim().startsWith('fs_');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = secret.trim();
    if (isOfClient) return;
    signIn.mutate(typed.startsWith('fk_') ? { api_key: typed } : { admin_token: typed }, {
      onSuccess: () => setSecret(''),
    });
  };
  const provider = ways.data?.provider;
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex justify-center">
          <Wordmark />
        </div>
        <div className="rounded-xl border border-line bg-card p-6 shadow-sm">
          <h1 className="text-lg font-semibold">Sign in</h1>
          {typeof arrival === 'object' ? (
            <div className="mt-1">
              <LinkSignIn secret={arrival.link} />
            </div>
          ) : (
            <>
              <p role="status" className="mt-1 mb-4 text-mute">
                {hasEnded
                  ? 'Your session has ended. Sign in again to continue where you were.'
                  : 'Use an API key of a project, or the admin token for all projects. A link that you were sent signs you in by itself.'}
              </p>
              {provider != null && (
                <a
                  href="/session/provider/"
                  className="mb-4 block rounded-lg bg-accent px-3 py-2 text-center font-medium text-onaccent"
                >
                  Sign in with {providers.find(([host]) => host.test(provider))?.[1] ?? provider}
                </a>
              )}
              <form onSubmit={submit}>
                <label className="block">
                  <span className="mb-1 block text-xs font-medium text-mute">API key or admin token</span>
                  <input
                    type="password"
                    name="secret"
                    autoComplete="current-password"
                    required
                    value={secret}
                    onChange={({ target }) => setSecret(target.value)}
                    placeholder="fk_…"
                    className={inputClass}
                  />
                </label>
                <Button
                  type="submit"
                  {...(provider == null && { kind: 'main' as const })}
                  className="mt-4 w-full"
                  disabled={signIn.isPending || isOfClient || secret.trim() === ''}
                >
                  {signIn.isPending ? 'Signing in…' : 'Sign in'}
                </Button>
              </form>
              {isOfClient && (
                <p role="alert" className="mt-4 rounded-lg bg-warnbg px-4 py-3 text-warn">
                  This is the secret of a client, which can only send events. Sign in with an API key, which begins with{' '}
                  <code>fk_</code>, or with the admin token.
                </p>
              )}
              {signIn.error && (
                <div className="mt-4">
                  <ErrorNote problem={signIn.error} />
                </div>
              )}
            </>
          )}
        </div>
        {typeof arrival !== 'object' && (
          <details className="mt-4 px-2 text-mute">
            <summary className="text-[13px]">Where do I find one?</summary>
            <p className="mt-2 text-[13px]">
              Ask an owner of your project for an API key. If you run Farthing: the first start makes one and prints it
              on the terminal, or writes it to <code className="text-ink">first-start.txt</code> in the data folder. The
              admin token is in the file <code className="text-ink">admin-token</code> there, or in the setting{' '}
              <code className="text-ink">FARTHING_ADMIN_TOKEN</code>.
            </p>
          </details>
        )}
      </div>
    </main>
  );
}
