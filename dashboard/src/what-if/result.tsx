import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { RepriceDetail } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { otherColor, palette } from '../charts/colors.ts';
import type { ChartData } from '../charts/series.ts';
import { calcMarginPct, toChange, toColumnDollars, toDayRange, toName, toPercent, toSigned } from '../lib/format.ts';
import { usePaceDays } from '../state/pace-days.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { useUnpriced } from '../state/unpriced.ts';
import { Badge, Card, CardHead, ErrorNote, FailureNote } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { toMonthly } from '../waste/causes.ts';
import { remarkOnCustomers, remarkOnDays, remarkOnWidened, toAssumedWords } from './assume.ts';

const pollMs = 700;
const isUnderWay = (run: RepriceDetail | undefined) =>
  run === undefined || run.state === 'queued' || run.state === 'running';

/** The path of a dry run in the API. */
export const toRunPath = (id: string): string => `/api/prices/reprices/${encodeURIComponent(id)}/`;

/** The answer of a dry run: before and after, by day, customer and model. */
export function WhatIfResult({ id }: { readonly id: string }) {
  const run = useApi<RepriceDetail>(toRunPath(id), undefined, {
    every: (found) => (isUnderWay(found) ? pollMs : false),
  });
  if (run.error) return <FailureNote answer={run} />;
  const { data } = run;
  if (!data || isUnderWay(data)) {
    return (
      <Card className="p-4">
        <p role="status">
          Pricing the calls… <progress max={1} value={data?.progress ?? 0} className="ml-2 accent-accent" />
        </p>
      </Card>
    );
  }
  if (data.state === 'failed') return <ErrorNote problem={new Error(`It failed: ${data.failure}`)} />;
  return (
    <>
      <p role="status" className="text-mute">
        {toDayRange({ from: data.date_from, to: data.date_to })}
        {data.assume && `, with ${toAssumedWords(data.assume)}`}. Nothing has changed: this is only an answer.{' '}
        {remarkOnWidened(data.widened)}
      </p>
      <Figures run={data} />
      <DaysCard run={data} />
      <CustomersCard run={data} />
      <ModelsCard run={data} />
    </>
  );
}

interface ResultProps {
  readonly run: RepriceDetail;
}

function Figures({ run: { before, after, revenue, date_from: from, date_to: to } }: ResultProps) {
  const [cost, costAfter] = [before ?? 0, after ?? 0];
  const monthly = toMonthly(costAfter - cost, usePaceDays()({ from, to }));
  const hasRevenue = revenue !== null && revenue !== undefined && revenue !== 0;
  const toMarginPct = (amount: number) => (hasRevenue ? toPercent(calcMarginPct(revenue, revenue - amount)) : '–');
  return (
    <div className={`grid grid-cols-2 gap-3 sm:gap-4 ${hasRevenue ? 'lg:grid-cols-4' : 'lg:grid-cols-3'}`}>
      <FigureCard icon="wallet" label="Cost" value={<Dollars value={cost} />} about="as it was" />
      <FigureCard
        icon="whatIf"
        label="New cost"
        value={<Dollars value={costAfter} />}
        about={toChange(costAfter, cost)}
      />
      <FigureCard
        icon="calendar"
        label="In a month"
        value={<Dollars value={monthly} isSigned />}
        about="at the pace of these days"
      />
      {hasRevenue && (
        <FigureCard
          icon="percent"
          label="New gross margin"
          value={toMarginPct(costAfter)}
          about={`${toMarginPct(cost)} as it was`}
        />
      )}
    </div>
  );
}

function DaysCard({ run: { id, by_day: days } }: ResultProps) {
  const data = useMemo(
    (): ChartData => ({
      periods: days.map(({ date }) => date),
      series: [
        { name: 'As it was', color: otherColor, values: days.map(({ before }) => before) },
        { name: 'If so', color: palette[0] ?? '', values: days.map(({ after }) => after) },
      ],
    }),
    [days],
  );
  return (
    <ChartCard
      title="Cost by day, as it was and with the change"
      remark={remarkOnDays(days)}
      file={`farthing-what-if-${id}`}
      kind="lines"
      data={data}
      format={toColumnDollars}
    />
  );
}

type CustomerRow = RepriceDetail['by_customer'][number];
type ModelRow = RepriceDetail['by_model'][number];

function CustomersCard({ run }: ResultProps) {
  const { search } = useQuestion();
  const { project } = useAccess();
  // The URL may select customers: those that a question is about.
  const chosen = search.customers && run.by_customer.filter(({ customer }) => search.customers?.includes(customer));
  const rows = chosen && chosen.length > 0 ? chosen : run.by_customer;
  const columns: Column<CustomerRow>[] = [
    { id: 'name', title: 'Customer', as: 'name', value: ({ customer }) => customer },
    ...differenceColumns<CustomerRow>(({ customer }) => ({ ...toRunDays(run), customers: [customer] })),
  ];
  const all = project.type === 'revenue' ? [...columns, ...marginColumns] : columns;
  return (
    <DifferencesCard
      title={
        rows === run.by_customer
          ? 'By customer'
          : `By customer: ${rows.map(({ customer }) => toName(customer)).join(', ')}`
      }
      remark={remarkOnCustomers(rows)}
      name="What if, by customer"
      file="what-if-customers"
      run={run.id}
      rows={rows}
      columns={all}
      idOf={({ customer }) => customer}
    />
  );
}

function ModelsCard({ run }: ResultProps) {
  const unpriced = useUnpriced('model', { days: { from: run.date_from, to: run.date_to } });
  return (
    <DifferencesCard
      title="By model"
      name="What if, by model"
      file="what-if-models"
      run={run.id}
      rows={run.by_model}
      columns={[
        { id: 'name', title: 'Model', as: 'name', value: ({ model }) => model },
        ...differenceColumns<ModelRow>(
          ({ model }) => ({ ...toRunDays(run), models: [model] }),
          ({ model }) => unpriced?.has(model) === true,
        ),
      ]}
      idOf={({ model }) => model}
    />
  );
}

interface DifferencesCardProps<Row> {
  readonly title: string;
  readonly remark?: string | undefined;
  readonly name: string;
  readonly file: string;
  readonly run: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
}

function DifferencesCard<Row>({ title, remark, name, file, run, rows, columns, idOf }: DifferencesCardProps<Row>) {
  const { table, tools } = useTableView(file, columns, rows, { usual: 'difference', file: `${file}-${run}` });
  return (
    <Card aria-label={name}>
      <CardHead title={title} about={remark}>
        {tools}
      </CardHead>
      <DataTable
        name={`${name}, table`}
        idOf={idOf}
        empty={<p className="border-t border-line p-4 text-mute">There are no calls on these days.</p>}
        {...table}
      />
    </Card>
  );
}

interface Difference {
  readonly before: number;
  readonly after: number;
}

const toRunDays = ({ date_from: from, date_to: to }: RepriceDetail): Partial<Search> => ({
  range: undefined,
  from,
  to,
});

/** The cost leads to the calls of a row. */
function differenceColumns<Row extends Difference>(
  callsOf: (row: Row) => Partial<Search>,
  isUnpriced = (_row: Row) => false,
): Column<Row>[] {
  const amount = (id: 'before' | 'after', title: string): Column<Row> => ({
    ...{ id, title, unit: 'USD', isNumber: true, value: (row) => row[id] },
    isUnpriced: (row) => row[id] === 0 && isUnpriced(row),
  });
  return [
    {
      ...amount('before', 'Cost'),
      door: (row) => ({ to: '/calls', search: { ...callsOf(row), order: 'dearest' } }),
    },
    amount('after', 'New cost'),
    {
      id: 'difference',
      title: 'Difference',
      unit: 'USD',
      isNumber: true,
      value: ({ before, after }) => after - before,
      show: ({ before, after }, dollars) =>
        after === before ? (
          <span className="text-mute">–</span>
        ) : (
          <span className={after > before ? 'text-bad' : 'text-good'}>{toSigned(after - before, dollars)}</span>
        ),
    },
  ];
}

const marginColumns: readonly Column<CustomerRow>[] = [
  {
    ...{ id: 'margin_before', title: 'Margin', unit: 'USD', isNumber: true, isLoss: true },
    value: ({ margin_before: margin = null }) => margin,
  },
  {
    id: 'margin_after',
    title: 'New margin',
    unit: 'USD',
    isNumber: true,
    value: ({ margin_after: margin = null }) => margin,
    show: ({ margin_before: before, margin_after: after }, dollars) => (
      <span className={isLoss(after) ? 'text-bad' : ''}>
        {isLoss(before) !== isLoss(after) && (
          <Badge tone={isLoss(after) ? 'bad' : 'good'}>
            {isLoss(after) ? 'turns into a loss' : 'no longer a loss'}
          </Badge>
        )}{' '}
        {typeof after === 'number' ? dollars(after) : '–'}
      </span>
    ),
  },
];

const isLoss = (margin: number | null | undefined): boolean => (margin ?? 0) < 0;
