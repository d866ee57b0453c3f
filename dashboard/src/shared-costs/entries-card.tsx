import { byPlural, callDimensions } from '../../../src/lib/dimensions.ts';
import { useApi, useSend } from '../api/queries.ts';
import type { SharedAllocation, SharedCost } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Empty, Field, Select } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { NameWith } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const useQuery = (): URLSearchParams => new URLSearchParams(toDates(useQuestion().days));

/** The shared costs with a day among the chosen ones. */
export const useSharedCosts = () =>
  useApi<{ readonly rows: readonly SharedCost[] }>(`/api/shared-costs/?${useQuery()}&limit=1000`);

/** What falls to no call on the chosen days. */
export const useAllocation = () => useApi<SharedAllocation>(`/api/shared-cost-allocation/?${useQuery()}`);

const weights: Readonly<Record<SharedCost['allocate_by'], string>> = {
  tokens: 'Tokens',
  output_tokens: 'Output tokens',
  calls: 'Calls',
  cost: 'Cost',
  elapsed: 'Time',
};

function describeScope({ scope: { tags = {}, ...named } }: SharedCost): string {
  const values = [...Object.values(named), ...Object.values(tags)].flatMap((some) => some ?? []);
  return values.length === 0 ? 'all calls' : values.join(', ');
}

const unfiltered = { ...byPlural(callDimensions, () => undefined), ctags: undefined, rtags: undefined };

/** The calls that share it; none of those with a tag, which no filter of calls leaves alone. */
const toCalls = ({ scope: { tags, ...named }, date_from: from, date_to: to }: SharedCost): DoorTo | undefined =>
  tags ? undefined : { to: '/calls', search: { ...unfiltered, range: undefined, from, to, ...named } };

/** The entries with a day among the chosen ones, with what stays unallocated. */
export function EntriesCard() {
  const allocation = useAllocation();
  const entries = useSharedCosts();
  const byId = new Map(allocation.data?.shared_costs.map((one) => [one.external_id, one]));
  const columns: readonly Column<SharedCost>[] = [
    {
      id: 'name',
      title: 'Shared cost',
      value: (entry) => `${entry.name} ${describeScope(entry)}`,
      show: (entry) => <NameWith name={entry.name} beside={<bdi>{describeScope(entry)}</bdi>} />,
    },
    { id: 'by', title: 'Shared by', value: ({ allocate_by: by }) => weights[by] },
    {
      ...{ id: 'amount', title: 'Amount', isNumber: true, unit: 'USD', value: ({ amount }) => amount, door: toCalls },
    },
    { id: 'from', title: 'From', as: 'day', value: ({ date_from }) => date_from },
    { id: 'to', title: 'To', as: 'day', value: ({ date_to }) => date_to },
    {
      id: 'unallocated',
      title: 'Unallocated',
      isNumber: true,
      unit: 'USD',
      value: ({ external_id: id }) => byId.get(id)?.unallocated ?? null,
      door: toCalls,
      show: ({ external_id: id }, dollars) => {
        const unallocated = byId.get(id)?.unallocated;
        if (typeof unallocated !== 'number') return '–';
        return <span className={unallocated === 0 ? '' : 'text-bad'}>{dollars(unallocated)}</span>;
      },
    },
  ];
  return (
    <RecordsCard
      table="shared-cost-entries"
      title="Shared costs"
      rows={entries.data?.rows}
      answer={entries.error ? entries : allocation}
      columns={columns}
      idOf={({ external_id }) => external_id}
      empty={
        <Empty title="No shared cost on these days">
          Enter costs that do not depend on calls, such as GPUs, provisioned throughput or seats, to see who uses them.
        </Empty>
      }
      add={{ label: 'Add a shared cost', form: (close) => <AddEntry onClose={close} /> }}
      remove={{
        verb: 'Delete',
        label: ({ name }) => `Delete the shared cost ${name}`,
        path: ({ external_id: id }) => `/api/shared-costs/${encodeURIComponent(id)}/`,
      }}
    />
  );
}

const toNames = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function AddEntry({ onClose }: { readonly onClose: () => void }) {
  const send = useSend();
  const { project } = useAccess();
  const today = todayIn(project.timezone);
  const save = async ({ providers, models, features, ...fields }: Fields) => {
    const scope = { providers: toNames(providers), models: toNames(models), features: toNames(features) };
    const entry = { external_id: crypto.randomUUID(), ...fields, scope };
    await send('/api/shared-costs/', { method: 'POST', body: { entries: [entry] } });
  };
  return (
    <FormDialog title="Add a shared cost" action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Name" name="name" required placeholder="GPU server" />
        <Field label="Amount, USD" name="amount" required inputMode="decimal" placeholder="1800" />
        <DateField label="First day" name="date_from" required defaultValue={today} />
        <DateField label="Last day" name="date_to" required defaultValue={today} />
        <Select label="Shared by" name="allocate_by" options={weights} />
        <Field label="Models (default: all)" name="models" placeholder="llama-3.3-70b" hint="Separated by commas" />
        <Field label="Providers (default: all)" name="providers" />
        <Field label="Features (default: all)" name="features" />
      </div>
    </FormDialog>
  );
}
