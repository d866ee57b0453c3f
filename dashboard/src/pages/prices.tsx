import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useApi, useApiOptions } from '../api/queries.ts';
import type { ListAge, ListRow, ModelPrice, Page } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toCount, toDay } from '../lib/format.ts';
import { NextStepsCard } from '../overview/next-steps.tsx';
import { AddPrice, OverridesCard, useOverrides } from '../prices/overrides-card.tsx';
import { RepriceCard } from '../prices/reprice-card.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { Badge, Button, Card, CardHead, Empty, PageHead, Skeleton } from '../ui/basics.tsx';
import { type Column, DataTable, type View } from '../ui/data-table.tsx';

const useModels = () => useApi<Page<ListRow>>('/api/models/?limit=1000');

export function Prices() {
  const { project } = useAccess();
  const models = useModels();
  const overrides = useOverrides();
  return (
    <>
      <PageHead title="Prices" about={`USD per million tokens · ${project.name}`} />
      <ModelsCard />
      <After isPending={models.isPending || overrides.isPending}>
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
  const { priceOf, onView } = usePrices();
  return (
    <Card>
      <CardHead title="Models seen" about={overrides && spellAges(overrides.lists)} />
      <DataTable
        name="Models seen"
        rows={rows}
        onView={onView}
        problem={models.error}
        retry={() => void models.refetch()}
        idOf={({ name }) => name}
        empty={<Empty title="No model yet">Models appear here with their first call.</Empty>}
        columns={[
          { id: 'model', title: 'Model', show: ({ name }) => <span className="font-medium">{name}</span> },
          {
            id: 'calls',
            title: 'Calls',
            isNumber: true,
            show: ({ calls }) => toCount(calls),
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
          toRate('input', 'Input', priceOf),
          toRate('cache_read', 'Cached input', priceOf),
          toRate('output', 'Output', priceOf),
          {
            id: 'source',
            title: 'From',
            show: (model) => (
              <>
                <SourceOf model={model} price={priceOf(model)} />
                {canWrite && model.has_price === false && (
                  <Button className="ml-2" onClick={() => setPriced(model.name)}>
                    Set a price
                  </Button>
                )}
              </>
            ),
          },
          {
            id: 'seen',
            title: 'Last call',
            show: ({ last_seen }) => (last_seen ? toDay(last_seen.slice(0, 10)) : '–'),
          },
        ]}
      />
      {priced !== undefined && <AddPrice model={priced} onClose={() => setPriced(undefined)} />}
    </Card>
  );
}

/** How old the lists are that these prices are from. */
const spellAges = (lists: readonly ListAge[]): string =>
  `Age of the lists: ${lists.map(({ list, age_days: age, is_old: isOld }) => `${list} ${toCount(age)} ${age === 1 ? 'day' : 'days'}${isOld ? ' (old)' : ''}`).join(', ')}.`;

type Priced = Pick<UseQueryResult<ModelPrice>, 'data' | 'error' | 'isLoading'>;
type PriceOf = (model: ListRow) => Priced | undefined;

/** The prices of the models in view. */
function usePrices(): { readonly priceOf: PriceOf; readonly onView: (view: View<ListRow>) => void } {
  const [seen, setSeen] = useState<readonly ListRow[]>([]);
  const toOptions = useApiOptions<ModelPrice>();
  const prices = useQueries({
    queries: seen.map(({ name, has_price }) =>
      toOptions(`/api/models/${encodeURIComponent(name)}/price/`, undefined, { enabled: has_price === true }),
    ),
  });
  return {
    priceOf: (model) => prices[seen.indexOf(model)],
    onView: useCallback(({ sorted, first, last }) => setSeen(sorted.slice(first, last)), []),
  };
}

function toRate(bucket: keyof ModelPrice['rates']['per_mtok'], title: string, priceOf: PriceOf): Column<ListRow> {
  const value = (model: ListRow) => priceOf(model)?.data?.rates.per_mtok[bucket] ?? null;
  return {
    ...{ id: bucket, title, isNumber: true, unit: 'USD', isExact: true, value },
    show: (model, dollars) => {
      if (priceOf(model)?.isLoading) return <Skeleton className="ml-auto h-4 w-12" />;
      const rate = value(model);
      return rate === null ? '–' : dollars(rate);
    },
  };
}

function SourceOf({ model, price }: { readonly model: ListRow; readonly price: Priced | undefined }) {
  if (!model.has_price) return <Badge tone="warn">no price</Badge>;
  if (price?.error) return <Badge tone="bad">failed to load</Badge>;
  if (!price?.data) return <Skeleton className="h-4 w-64" />;
  const { source } = price.data;
  if (source === null) return <span className="text-xs text-mute">priced by units</span>;
  if (source.kind === 'override') return <Badge tone="good">override</Badge>;
  if (source.kind === 'supplement') return <span className="text-xs text-mute">reviewed: {source.page}</span>;
  return source.kind === 'further_list' ? (
    <span className="text-xs text-mute">
      <Badge tone="warn">not reviewed</Badge> {source.list} {source.version}: {source.provider} / {source.entry}
    </span>
  ) : (
    <span className="text-xs text-mute">
      catalogue: {source.provider} / {source.entry}
      {source.correction_source ? ', corrected' : ''}
    </span>
  );
}
