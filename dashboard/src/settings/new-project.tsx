import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { askApi } from '../api/client.ts';
import type { Project } from '../api/types.ts';
import { useChangeSearch } from '../state/question.ts';
import { projectsKey } from '../state/session.tsx';
import { Button, ErrorNote, Field, Select } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';

const types = { revenue: 'revenue: margin by customer', internal: 'internal: key metrics by user' };

export function NewProject({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const change = useChangeSearch();
  const [name, setName] = useState('');
  const [type, setType] = useState('revenue');
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const make = useMutation({
    mutationFn: () => askApi<Project>('/admin/projects/', { method: 'POST', body: { name, type, timezone } }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: projectsKey });
      change({ project: id });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Dialog title="New project" onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <Field label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
        <Select
          label="Type, which never changes"
          options={types}
          value={type}
          onChange={({ target }) => setType(target.value)}
        />
        <Field label="Timezone" required value={timezone} onChange={({ target }) => setTimezone(target.value)} />
        {make.error && <ErrorNote problem={make.error} />}
        <Button type="submit" kind="main" disabled={make.isPending}>
          Make it
        </Button>
      </form>
    </Dialog>
  );
}
