import { useQueryClient } from '@tanstack/react-query';
import { askApi } from '../api/client.ts';
import type { Project } from '../api/types.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { projectsKey } from '../state/session.tsx';
import { Field, Select } from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

/** The types of projects. */
export const projectTypes = { revenue: 'revenue: margin by customer', internal: 'internal: key metrics by user' };

export function NewProject({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const change = useChangeSearch();
  const save = async (body: Fields) => {
    const { id } = await askApi<Project>('/admin/projects/', { method: 'POST', body });
    await queries.invalidateQueries({ queryKey: projectsKey });
    change({ project: id });
  };
  return (
    <FormDialog title="New project" action="Make the project" save={save} onClose={onClose}>
      <Field label="Name" name="name" required />
      <Select label="Type (can't be changed later)" name="type" options={projectTypes} />
      <Field
        label="Timezone"
        name="timezone"
        required
        defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
      />
    </FormDialog>
  );
}
