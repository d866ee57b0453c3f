import { ApiProblem } from '../api/client.ts';
import { useApi } from '../api/queries.ts';
import type { ListRow, ModelPrice, Page } from '../api/types.ts';
import { toCount, toDay, toDollars } from '../lib/format.ts';
import { OverridesCard } from '../prices/overrides-card.tsx';
import { RepriceCard } from '../prices/reprice-card.tsx';
import { useAccess } from '../state/session.tsx';
import { Badge, Card, CardHead, Empty, PageHead, Skeleton } from '../ui/basics.tsx';
import { DataTable } from '../ui/data-table.tsx';

export function Prices() {
  const { project } = useAccess();
  return (
    <>
      <PageHead title="Prices" about={`USD per million tokens · ${project.name}`} />
      <ModelsCard />
      <OverridesCard />
      <RepriceCard />
    </>
  );
}

/** The price that a call of each model seen has now, and where it is from. */
function ModelsCard() {
  const models = useApi<Page<ListRow>>('/api/models/?limit=1000');
  return (
    <Card>
      <CardHead title="Models seen" />
      <DataTable
        name="Models seen"
        rows={models.data?.rows.filter(({ name }) => name !== '')}
        problem={models.error}
        retry={() => void models.refetch()}
        idOf={({ name }) => name}
        pageRows={15}
        empty={<Empty title="No model yet">Models appear here with their first call.</Empty>}
        columns={[
          { id: 'model', title: 'Model', show: ({ name }) => <span className="font-medium">{name}</span> },
          { id: 'calls', title: 'Calls', isNumber: true, show: ({ calls }) => toCount(calls) },
          { id: 'input', title: 'Input', isNumber: true, show: ({ name }) => <Rate model={name} bucket="input" /> },
          {
            id: 'cached',
            title: 'Cached input',
            isNumber: true,
            show: ({ name }) => <Rate model={name} bucket="cache_read" />,
          },
          {
            id: 'output',
            title: 'Output',
            isNumber: true,
            show: ({ name }) => <Rate model={name} bucket="output" />,
          },
          { id: 'source', title: 'From', show: ({ name }) => <SourceOf model={name} /> },
          {
            id: 'seen',
            title: 'Last call',
            show: ({ last_seen }) => (last_seen ? toDay(last_seen.slice(0, 10)) : '–'),
          },
        ]}
      />
    </Card>
  );
}

const usePrice = (model: string) => useApi<ModelPrice>(`/api/models/${encodeURIComponent(model)}/price/`);

function Rate({ model, bucket }: { readonly model: string; readonly bucket: string }) {
  const price = usePrice(model);
  if (price.isPending) return <Skeleton className="ml-auto h-4 w-12" />;
  const rate = price.data?.rates.per_mtok[bucket];
  return <>{rate === null || rate === undefined ? '–' : toDollars(rate)}</>;
}

function SourceOf({ model }: { readonly model: string }) {
  const price = usePrice(model);
  if (price.error instanceof ApiProblem && price.error.status === 404) return <Badge tone="warn">no price</Badge>;
  if (!price.data) return null;
  const { source } = price.data;
  return source.kind === 'override' ? (
    <Badge tone="good">override</Badge>
  ) : (
    <span className="text-xs text-mute">
      catalogue: {source.provider} / {source.entry}
      {source.correction_source ? ', corrected' : ''}
    </span>
  );
}
