import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { CostRow, CreditGrant, MarginRow, Page } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { todayIn } from '../lib/days.ts';
import { toDay, toDollars, toPercent } from '../lib/format.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, ErrorNote, Field, PageHead } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FigureCard } from '../ui/figure-card.tsx';

export function Credits() {
  const { project } = useAccess();
  return (
    <>
      <PageHead
        title="Free AI credits"
        about={
          <>
            <DaysLine /> · {project.timezone}
          </>
        }
      />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} />
      <BeforeAndAfter />
      <GrantsCard />
    </>
  );
}

/** What credits pay today, beside what it is like once they have ended. */
function BeforeAndAfter() {
  const { days } = useQuestion();
  const { project } = useAccess();
  const hasRevenue = project.type === 'revenue';
  const body = { ...toDates(days), aggregate: 'all' };
  const net = useApi<Page<CostRow>>('/api/costs/', { ...body, apply_credits: true }).data?.rows[0];
  const gross = useApi<Page<CostRow>>('/api/costs/', body).data?.rows[0];
  const today = useApi<Page<MarginRow>>('/api/margin/', { ...body, apply_credits: true }, { enabled: hasRevenue }).data
    ?.rows[0];
  const later = useApi<Page<MarginRow>>('/api/margin/', body, { enabled: hasRevenue }).data?.rows[0];
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard
        icon="wallet"
        label="Cost with credits"
        value={net && toDollars(net.cost)}
        about="what is left to pay"
        isWaiting={!net}
      />
      <FigureCard
        icon="wallet"
        label="Cost without credits"
        value={gross && toDollars(gross.cost)}
        about="once they have ended"
        isWaiting={!gross}
      />
      {hasRevenue && (
        <>
          <FigureCard
            icon="percent"
            label="Margin with credits"
            value={today && toPercent(today.margin_pct)}
            about={today && toDollars(today.margin)}
            isWaiting={!today}
          />
          <FigureCard
            icon="percent"
            label="Margin without credits"
            value={later && toPercent(later.margin_pct)}
            about={later && toDollars(later.margin)}
            tone={later && later.margin < 0 ? 'bad' : undefined}
            isWaiting={!later}
          />
        </>
      )}
    </div>
  );
}

function GrantsCard() {
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isAdding, setAdding] = useState(false);
  const grants = useApi<{ credit_grants: readonly CreditGrant[] }>('/api/credit-grants/');
  const remove = useMutation({
    mutationFn: (id: string) => ask(`/api/credit-grants/${id}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  const columns: Column<CreditGrant>[] = [
    {
      id: 'name',
      title: 'Grant',
      show: ({ name, provider, models }) => (
        <span className="font-medium">
          {name ?? provider}{' '}
          <span className="font-normal text-mute">
            {[name && provider, models?.join(', ')].filter(Boolean).join(' · ')}
          </span>
        </span>
      ),
    },
    { id: 'amount', title: 'Amount', isNumber: true, show: ({ amount }) => toDollars(amount) },
    { id: 'used', title: 'Used', isNumber: true, show: (grant) => <Used grant={grant} /> },
    { id: 'remaining', title: 'Remaining', isNumber: true, show: ({ remaining }) => toDollars(remaining) },
    { id: 'from', title: 'From', show: ({ starts_on }) => toDay(starts_on) },
    { id: 'to', title: 'Expires', show: ({ expires_on }) => (expires_on === null ? 'never' : toDay(expires_on)) },
    {
      id: 'out',
      title: 'Runs out',
      show: ({ runs_out_on }) => (runs_out_on === null ? 'not before it expires' : toDay(runs_out_on)),
    },
    ...(canWrite
      ? [
          {
            id: 'delete',
            title: '',
            isNumber: true,
            show: ({ id, name, provider }: CreditGrant) => (
              <ConfirmButton
                aria-label={`Delete the grant ${name ?? provider}`}
                disabled={remove.isPending}
                onConfirm={() => remove.mutate(id)}
              >
                Delete
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  const failure = grants.error ?? remove.error;
  return (
    <Card>
      <CardHead title="Grants">{canWrite && <Button onClick={() => setAdding(true)}>Add a grant</Button>}</CardHead>
      {failure && (
        <div className="p-4">
          <ErrorNote problem={failure} />
        </div>
      )}
      <DataTable
        name="Grants"
        columns={columns}
        rows={grants.data?.credit_grants}
        idOf={({ id }) => id}
        empty={
          <Empty title="No grant yet">
            Enter the free credits that a provider gave you: costs after credits, and the day they end, follow from
            them.
          </Empty>
        }
      />
      {isAdding && <AddGrant onClose={() => setAdding(false)} />}
    </Card>
  );
}

const Used = ({ grant: { used, amount } }: { readonly grant: CreditGrant }) => (
  <span className="inline-flex items-center gap-2">
    <meter min={0} max={amount} value={used} aria-label="Used" className="w-16" />
    {toDollars(used)}
  </span>
);

function AddGrant({ onClose }: { readonly onClose: () => void }) {
  const ask = useAsk();
  const refresh = useRefresh();
  const { project } = useAccess();
  const save = useMutation({
    mutationFn: (body: object) => ask('/api/credit-grants/', { method: 'POST', body }),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const models = text('models')
      .split(',')
      .map((model) => model.trim())
      .filter((model) => model !== '');
    save.mutate({
      provider: text('provider'),
      amount: text('amount'),
      starts_on: text('starts_on'),
      ...(text('name') !== '' && { name: text('name') }),
      ...(text('expires_on') !== '' && { expires_on: text('expires_on') }),
      ...(models.length > 0 && { models }),
    });
  };
  return (
    <Dialog title="Add a grant" onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Provider" name="provider" required placeholder="openai" />
          <Field label="Amount, USD" name="amount" required inputMode="decimal" placeholder="2500" />
          <Field label="First day" name="starts_on" type="date" required defaultValue={todayIn(project.timezone)} />
          <Field label="Last day (default: never ends)" name="expires_on" type="date" />
          <Field label="Models (default: all)" name="models" placeholder="gpt-5*, gpt-4o" hint="Separated by commas" />
          <Field label="Name" name="name" placeholder="Startup programme" />
        </div>
        {save.error && <ErrorNote problem={save.error} />}
        <Button type="submit" kind="main" disabled={save.isPending}>
          Add it
        </Button>
      </form>
    </Dialog>
  );
}
