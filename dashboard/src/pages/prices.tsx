import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useApi, useApiOptions } from '../api/queries.ts';
import type { ListAge, ListRow, ModelPrice, Page } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toCount } from '../lib/format.ts';
import { mostRows } from '../lib/row-window.ts';
import { NextStepsCard, useNextSteps } from '../overview/next-steps.tsx';
import { AddPrice, OverridesCard, useOverrides } from '../prices/overrides-card.tsx';
import { RepriceCard } from '../prices/reprice-card.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { Badge, Button, Card, CardHead, Empty, PageHead, Skeleton } from '../ui/basics.tsx';
import { type Column, DataTable, type View } from '../ui/data-table.tsx';
import { Name } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';

const useModels = () => useApi<Page<ListRow>>('/api/models/?limit=1000');

export function Prices() {
  const { project } = useAccess();
  const models = useModels();
  const overrides = useOverrides();
  const steps = useNextSteps();
  const named = <Name name={project.name} />;
  return (
    <>
      <PageHead title="Prices" about={<>USD per million tokens · {named}</>} />
      <ModelsCard />
      <After isPending={models.isPending || overrides.isPending || steps.isPending}>
        <NextStepsCard at="/prices" />
        <OverridesCard />
        <RepriceCard />
      </After>
    </>
  );
}

/** The current price of each model seen, and its source. */
function ModelsCard() {
  const { canWrite, project } = useAccess();
  const { search } = useQuestion();
  const change = useChangeSearch();
  const priced = canWrite ? search.of : undefined;
  const setPriced = (of: string | undefined) => change({ of });
  const models = useModels();
  const { data: overrides } = useOverrides();
  const rows = useMemo(() => models.data?.rows.filter(({ name }) => name !== ''), [models.data]);
  const { priceOf, foundOf, complete, onView } = usePrices();
  // A price of one provider alone is none of the model at any.
  const ownOf = ({ name }: ListRow) => {
    const own = overrides?.prices.find(({ model, provider }) => model === name && provider !== null);
    return own && `override at ${own.provider}`;
  };
  // The prices of a long list are asked as it is scrolled: no order is by those of a part.
  const isUnsorted = (rows?.length ?? 0) > mostRows;
  const columns: readonly Column<ListRow>[] = [
    { id: 'model', title: 'Model', as: 'name', value: ({ name }) => name },
    {
      ...{ id: 'calls', title: 'Calls', isNumber: true, value: ({ calls }) => calls },
      door: ({ name, first_seen: first, last_seen: last }) =>
        first === null || last === null
          ? undefined
          : {
              to: '/calls',
              search: {
                models: [name],
                range: undefined,
                from: todayIn(project.timezone, new Date(first)),
                to: todayIn(project.timezone, new Date(last)),
              },
            },
    },
    ...rates.map(([bucket, title]): Column<ListRow> => {
      const value = (model: ListRow) => foundOf(model)?.rates.per_mtok[bucket] ?? null;
      return {
        ...{ id: bucket, title, isNumber: true, unit: 'USD', isExact: true, isUnsorted, value },
        show: (model, dollars) => {
          if (priceOf(model)?.isLoading) return <Skeleton className="ml-auto h-4 w-12" />;
          const rate = value(model);
          return rate === null ? '–' : dollars(rate);
        },
      };
    }),
    {
      id: 'source',
      title: 'From',
      isUnsorted,
      value: (model) => (model.has_price ? toSourceWords(foundOf(model)) : (ownOf(model) ?? 'no price')),
      show: (model) => (
        <>
          <SourceOf model={model} price={priceOf(model)} own={ownOf(model)} />
          {canWrite && model.has_price === false && (
            <Button className="ml-2" onClick={() => setPriced(model.name)}>
              Set a price
            </Button>
          )}
        </>
      ),
    },
    { id: 'seen', title: 'Last call', as: 'day', value: ({ last_seen: at }) => at?.slice(0, 10) ?? null },
  ];
  const { table, tools } = useTableView('models-seen', columns, rows, { nameOf: ({ name }) => name, complete });
  return (
    <Card aria-label="Models seen">
      <CardHead title="Models seen" about={overrides ? spellAges(overrides.lists) : ''}>
        {tools}
      </CardHead>
      <DataTable
        name="Models seen, table"
        onView={onView}
        answer={models}
        idOf={({ name }) => name}
        empty={<Empty title="No model yet">Models appear here with their first call.</Empty>}
        {...table}
      />
      {priced !== undefined && <AddPrice model={priced} onClose={() => setPriced(undefined)} />}
    </Card>
  );
}

/** How old the lists are that these prices are from. */
const spellAges = (lists: readonly ListAge[]): string =>
  `Age of the lists: ${lists.map(({ list, age_days: age, is_old: isOld }) => `${list} ${toCount(age)} ${age === 1 ? 'day' : 'days'}${isOld ? ' (old)' : ''}`).join(', ')}.`;

type Priced = Pick<UseQueryResult<ModelPrice>, 'data' | 'error' | 'isLoading'>;

const rates = [
  ['input', 'Input'],
  ['cache_read', 'Cached input'],
  ['output', 'Output'],
] as const;

/** The prices of the models in view, and of all that were asked. */
function usePrices() {
  const [seen, setSeen] = useState<readonly ListRow[]>([]);
  const queries = useQueryClient();
  const toOptions = useApiOptions<ModelPrice>();
  const optionsOf = ({ name, has_price }: ListRow) =>
    toOptions(`/api/models/${encodeURIComponent(name)}/price/`, undefined, { enabled: has_price === true });
  const prices = useQueries({ queries: seen.map(optionsOf) });
  return {
    priceOf: (model: ListRow): Priced | undefined => prices[seen.indexOf(model)],
    foundOf: (model: ListRow) => queries.getQueryData<ModelPrice>(optionsOf(model).queryKey),
    complete: async (models: readonly ListRow[], { signal }: { readonly signal: AbortSignal }) => {
      for (const model of models) {
        signal.throwIfAborted();
        if (model.has_price) await queries.ensureQueryData(optionsOf(model));
      }
    },
    onView: useCallback(({ sorted, first, last }: View<ListRow>) => {
      const next = sorted.slice(first, last);
      // The order may be by what is asked for them: the same rows are asked once.
      setSeen((before) =>
        before.length === next.length && next.every((row, place) => row === before[place]) ? before : next,
      );
    }, []),
  };
}

/** Where a price is from, in the words of the page. */
function toSourceWords(price: ModelPrice | undefined): string {
  if (!price) return '';
  const { source } = price;
  if (source === null) return 'priced by units';
  if (source.kind === 'override') return 'override';
  if (source.kind === 'supplement') return `reviewed: ${source.page}`;
  return source.kind === 'further_list'
    ? `not reviewed ${source.list} ${source.version}: ${source.provider} / ${source.entry}`
    : `catalogue: ${source.provider} / ${source.entry}${source.correction_source ? ', corrected' : ''}`;
}

interface SourceOfProps {
  readonly model: ListRow;
  readonly price: Priced | undefined;
  /** The price that it has at one provider, in words. */
  readonly own: string | undefined;
}

function SourceOf({ model, price, own }: SourceOfProps) {
  if (!model.has_price) return own ? <Badge tone="good">{own}</Badge> : <Badge tone="warn">no price</Badge>;
  if (price?.error) return <Badge tone="bad">failed to load</Badge>;
  if (!price?.data) return <Skeleton className="h-4 w-64" />;
  const words = toSourceWords(price.data);
  const kind = price.data.source?.kind;
  if (kind === 'override') return <Badge tone="good">{words}</Badge>;
  const listed = kind === 'further_list' ? words.replace('not reviewed', '') : words;
  return (
    <span className="text-xs text-mute">
      {listed !== words && <Badge tone="warn">not reviewed</Badge>}
      {listed}
      {price.data.by_hour && (
        <span title="The list has other rates at other hours (UTC). These are those of now; a call has those of its hour.">
          , by the hour
        </span>
      )}
    </span>
  );
}
