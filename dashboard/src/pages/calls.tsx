import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { CallsTable } from '../calls/calls-table.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { callFilters } from '../filters/picker.tsx';
import { Button, PageHead, SearchField } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function Calls() {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  /** Opens a call for a UUID, otherwise a run. */
  const open = (event: FormEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (uuid.test(name)) void navigate({ to: '/calls/$id', params: { id: name }, search: true });
    else if (name !== '') void navigate({ to: '/runs/$run', params: { run: name }, search: true });
  };
  return (
    <>
      <PageHead title="Calls" about={<DaysLine />}>
        <search className="w-full sm:w-96">
          <form onSubmit={open} className="flex gap-2">
            <SearchField
              label="The id of a call, or the name of a run"
              placeholder="Id of a call or run"
              value={typed}
              onType={setTyped}
            />
            <Button type="submit" disabled={typed.trim() === ''}>
              <Icon name="search" />
              Open
            </Button>
          </form>
        </search>
      </PageHead>
      <FilterBar by={[...callFilters, 'waste']} hasGranularity={false} hasCompare={false} />
      <CallsTable title="Calls" />
    </>
  );
}
