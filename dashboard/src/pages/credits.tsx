import { useApi, useSend, useTotal } from '../api/queries.ts';
import type { CostRow, CreditGrant, MarginRow, UsageRow } from '../api/types.ts';
import { CliffCard } from '../credits/cliff-card.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { todayIn } from '../lib/days.ts';
import { toDay, toDollars, toMarginPct } from '../lib/format.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { isUnpriced } from '../state/unpriced.ts';
import { After } from '../ui/after.tsx';
import { Bar, Empty, FailureNote, Field, PageHead } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import { Door, type DoorTo } from '../ui/door.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { NameWith } from '../ui/name.tsx';
import { NoPrice } from '../ui/no-price.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const useGrants = () => useApi<{ credit_grants: readonly CreditGrant[] }>('/api/credit-grants/');

export function Credits() {
  const { project } = useAccess();
  const grants = useGrants();
  // Before the first grant, nothing differs with credits.
  const hasGrants = grants.data?.credit_grants.length !== 0;
  return (
    <>
      <PageHead title="Credits" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} hasCompare={false} />
      <After isPending={grants.isPending} isFirst>
        {hasGrants && <BeforeAndAfter />}
        <GrantsCard />
        {project.type === 'revenue' && hasGrants && <CliffCard />}
      </After>
    </>
  );
}

/** Cost and margin with credits, beside those without. */
function BeforeAndAfter() {
  const { days } = useQuestion();
  const { project } = useAccess();
  const hasRevenue = project.type === 'revenue';
  const body = toDates(days);
  const credited = { ...body, apply_credits: true };
  const cost = { net: useTotal<CostRow>('/api/costs/', credited), gross: useTotal<CostRow>('/api/costs/', body) };
  const margin = {
    net: useTotal<MarginRow>('/api/margin/', hasRevenue ? credited : undefined),
    gross: useTotal<MarginRow>('/api/margin/', hasRevenue ? body : undefined),
  };
  const usage = useTotal<UsageRow>('/api/usage/', body);
  const failed = [cost.net, cost.gross, margin.net, margin.gross].find(({ error }) => error !== null);
  if (failed) return <FailureNote answer={failed} />;
  const [today, later] = [margin.net.row, margin.gross.row];
  const hasNoPrice = cost.gross.row?.cost === 0 && isUnpriced(usage.row);
  const showCost = (row: CostRow | undefined) => row && (hasNoPrice ? <NoPrice /> : <Dollars value={row.cost} />);
  const showMargin = (row: MarginRow | undefined) => row && (hasNoPrice ? <NoPrice /> : toMarginPct(row));
  const noPrice = 'no call has a price';
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard
        icon="wallet"
        label="Cost with credits"
        value={showCost(cost.net.row)}
        door={{ to: '/calls', search: { credits: true, order: 'dearest' } }}
        about={
          cost.net.row &&
          cost.gross.row && (
            <>
              credits paid{' '}
              <Door to="/calls" search={{ credits: true, order: 'dearest' }}>
                {toDollars(cost.gross.row.cost - cost.net.row.cost)}
              </Door>
            </>
          )
        }
      />
      <FigureCard
        icon="wallet"
        label="Cost without credits"
        value={showCost(cost.gross.row)}
        door={{ to: '/calls', search: { credits: undefined, order: 'dearest' } }}
        about={hasNoPrice ? noPrice : 'what it will cost once they end'}
      />
      {hasRevenue && (
        <>
          <FigureCard
            icon="percent"
            label="Margin with credits"
            value={showMargin(today)}
            door={{ to: '/customers', search: { credits: true, sort: 'margin' } }}
            about={hasNoPrice ? noPrice : today && toDollars(today.margin)}
          />
          <FigureCard
            icon="percent"
            label="Margin without credits"
            value={showMargin(later)}
            door={{ to: '/customers', search: { credits: undefined, sort: 'margin' } }}
            about={hasNoPrice ? noPrice : later && toDollars(later.margin)}
            tone={later && later.margin < 0 ? 'bad' : undefined}
          />
        </>
      )}
    </div>
  );
}

const amount = (id: 'amount' | 'used' | 'remaining', title: string): Column<CreditGrant> => ({
  ...{ id, title, isNumber: true, unit: 'USD', value: (grant) => grant[id] },
});

const grantColumns: readonly Column<CreditGrant>[] = [
  {
    id: 'name',
    title: 'Grant',
    value: ({ name, provider, models }) => [name, provider, models?.join(', ')].filter(Boolean).join(' · '),
    show: ({ name, provider, models }) => (
      <NameWith name={name ?? provider} beside={[name && provider, models?.join(', ')].filter(Boolean).join(' · ')} />
    ),
  },
  amount('amount', 'Amount'),
  { ...amount('used', 'Used'), show: (grant, dollars) => <Used grant={grant} dollars={dollars} /> },
  amount('remaining', 'Remaining'),
  { id: 'from', title: 'From', as: 'day', value: ({ starts_on }) => starts_on },
  {
    id: 'to',
    title: 'Expires',
    value: ({ expires_on }) => expires_on,
    show: ({ expires_on }) => (expires_on === null ? 'never' : toDay(expires_on)),
  },
  {
    id: 'out',
    title: 'Runs out',
    value: ({ runs_out_on }) => runs_out_on,
    show: ({ runs_out_on }) => (runs_out_on === null ? 'expires first' : toDay(runs_out_on)),
  },
];

/** The calls that a grant can pay, on its days so far. No filter has the patterns that its models can be. */
function toCovered({ provider, models, starts_on: from, expires_on: end }: CreditGrant, today: string): DoorTo {
  const isPlain = models?.every((name) => !name.includes('*'));
  const to = end !== null && end < today ? end : today;
  return {
    to: '/calls',
    search: {
      providers: [provider],
      models: isPlain && models ? models : undefined,
      credits: true,
      range: undefined,
      from,
      to,
    },
  };
}

function GrantsCard() {
  const { project } = useAccess();
  const today = todayIn(project.timezone);
  const grants = useGrants();
  return (
    <RecordsCard
      table="credit-grants"
      title="Grants"
      rows={grants.data?.credit_grants}
      answer={grants}
      columns={grantColumns.map(
        (column): Column<CreditGrant> =>
          column.id === 'used' ? { ...column, door: (grant) => toCovered(grant, today) } : column,
      )}
      idOf={({ id }) => id}
      empty={
        <Empty title="No grant yet">
          Enter the free credits that a provider gave you to see costs after credits and the day the credits run out.
        </Empty>
      }
      add={{ label: 'Add a grant', form: (close) => <AddGrant onClose={close} /> }}
      remove={{
        verb: 'Delete',
        label: ({ name, provider }) => `Delete the grant ${name ?? provider}`,
        path: ({ id }) => `/api/credit-grants/${id}/`,
      }}
    />
  );
}

interface UsedProps {
  readonly grant: CreditGrant;
  readonly dollars: (amount: number) => string;
}

const Used = ({ grant: { used, amount }, dollars }: UsedProps) => (
  <span className="inline-flex items-center gap-2">
    <Bar share={amount === 0 ? 0 : used / amount} className="w-16 fill-accent" />
    {dollars(used)}
  </span>
);

function AddGrant({ onClose }: { readonly onClose: () => void }) {
  const send = useSend();
  const { project } = useAccess();
  const save = async ({ models, ...fields }: Fields) => {
    const names = models?.split(',').map((model) => model.trim());
    const body = { ...fields, ...(names && { models: names.filter((name) => name !== '') }) };
    await send('/api/credit-grants/', { method: 'POST', body });
  };
  return (
    <FormDialog title="Add a grant" action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Provider" name="provider" required placeholder="openai" />
        <Field label="Amount, USD" name="amount" required inputMode="decimal" placeholder="2500" />
        <DateField label="First day" name="starts_on" required defaultValue={todayIn(project.timezone)} />
        <DateField label="Last day (default: never ends)" name="expires_on" />
        <Field label="Models (default: all)" name="models" placeholder="gpt-5*, gpt-4o" hint="Separated by commas" />
        <Field label="Name" name="name" placeholder="Startup programme" />
      </div>
    </FormDialog>
  );
}
