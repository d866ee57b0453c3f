import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { askApi } from '../api/client.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { projectsKey, useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Field } from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

/** Deletes the current project after its name is typed. */
export function DeleteProjectCard() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card>
      <CardHead title="Delete this project">
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the project
        </Button>
      </CardHead>
      <p className="border-t border-line p-4 text-mute">
        Its keys and clients stop working at once, and all its events, calls, prices, revenue and tags are deleted for
        good.
      </p>
      {isAsking && <DeleteProject onClose={() => setAsking(false)} />}
    </Card>
  );
}

function DeleteProject({ onClose }: { readonly onClose: () => void }) {
  const { project } = useAccess();
  const queries = useQueryClient();
  const change = useChangeSearch();
  const remove = async ({ name }: Fields) => {
    if (name !== project.name.trim()) throw new Error('That is not the name of this project.');
    await askApi(`/admin/projects/${project.id}/`, { method: 'DELETE' });
    change({ project: undefined });
    await queries.invalidateQueries({ queryKey: projectsKey });
  };
  return (
    <FormDialog title={`Delete ${project.name}`} action="Delete it for good" save={remove} onClose={onClose}>
      <p>This can't be undone. Type the project's name to delete it with all its data.</p>
      <Field label="Name of the project" name="name" required autoComplete="off" hint={project.name} />
    </FormDialog>
  );
}
