import { useMutation } from '@tanstack/react-query';
import { useAsk, useRefresh } from '../api/queries.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, ErrorNote } from '../ui/basics.tsx';
import { Name } from '../ui/name.tsx';

export interface Credentials {
  readonly client_id: string;
  readonly secret: string;
}

interface ClientCardProps {
  readonly made: Credentials | undefined;
  /** Whether the project has no event yet. */
  readonly isNew: boolean;
  readonly onMade: (made: Credentials) => void;
}

/** The client whose id and secret stand in the lines to copy. */
export function ClientCard({ made, isNew, onMade }: ClientCardProps) {
  const { isOwner, project, session } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const make = useMutation({
    mutationFn: () =>
      ask<Credentials>(`/admin/projects/${project.id}/clients/`, { method: 'POST', body: { name: 'connect' } }),
    onSuccess: async (credentials) => {
      onMade(credentials);
      await refresh();
    },
  });
  return (
    <Card aria-label="The client">
      <CardHead title="1. A client and its secret" />
      <div className="space-y-3 border-t border-line p-4">
        {made ? (
          <p>
            The client is <code className="text-xs break-all">{made.client_id}</code>. Its secret is in the lines below
            and is shown only once: store it where your application reads its secrets.
          </p>
        ) : isOwner ? (
          <>
            <p>
              A client sends events to <Name name={project.name} /> with a secret. Make one, or put yours in place of{' '}
              <code>$CLIENT_ID</code> and <code>$CLIENT_SECRET</code>.
            </p>
            <Button kind="main" disabled={make.isPending} onClick={() => make.mutate()}>
              Make a client
            </Button>
          </>
        ) : (
          <p>
            Put the id and the secret of a client of <Name name={project.name} /> in place of <code>$CLIENT_ID</code>{' '}
            and <code>$CLIENT_SECRET</code>. Only an owner of the project or the admin token can make one: ask whoever
            runs Farthing.
            {/* Whoever has just installed it has the key of the first start. */}
            {isNew && session.kind === 'key' && (
              <>
                {' '}
                If you have just installed it: the client of the first project is in <code>first-start.txt</code> in the
                data folder.
              </>
            )}
          </p>
        )}
        {make.error && <ErrorNote problem={make.error} />}
      </div>
    </Card>
  );
}
