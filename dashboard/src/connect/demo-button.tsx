import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { askApi } from '../api/client.ts';
import { projectsKey } from '../state/session.tsx';
import { Button, ErrorNote } from '../ui/basics.tsx';

const demoDays = 90;

/** Makes a demo project, as `farthing demo` does, and shows it. */
export function DemoButton() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [done, setDone] = useState(0);
  const fill = useMutation({
    mutationFn: async () => {
      const { fillDemo } = await import('../../../src/cli/demo/fill.ts');
      return await fillDemo(
        {
          post: (path, body, project) => askApi(path, { method: 'POST', body, project }),
          put: (path, body, project) => askApi(path, { method: 'PUT', body, project }),
          postEvents: ({ client_id, secret }, events) =>
            askApi(`/intake/${client_id}/`, { method: 'POST', body: events, secret }),
        },
        { name: 'Demo', type: 'revenue', days: demoDays, now: Date.now(), onProgress: setDone },
      );
    },
    onSuccess: async ({ project }) => {
      await queries.invalidateQueries({ queryKey: projectsKey });
      await navigate({ to: '/', search: { project } });
    },
  });
  return (
    <div className="space-y-3">
      <p>A separate project with {demoDays} days of made-up data. Delete it whenever you like.</p>
      <Button disabled={fill.isPending} onClick={() => fill.mutate()}>
        {fill.isPending ? `${done} of ${demoDays} days…` : 'Load the demo data'}
      </Button>
      {fill.error && <ErrorNote problem={fill.error} />}
    </div>
  );
}
