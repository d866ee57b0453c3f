import { useQueries, useQuery } from '@tanstack/react-query';
import { useApi, useApiOptions, useAsk } from '../api/queries.ts';
import type { Assumption, ListRow, ModelPrice, Page, RepriceDetail } from '../api/types.ts';
import { countTokens } from '../breakdown/columns.tsx';
import { toColumnDollars, toShare } from '../lib/format.ts';
import { useCostsBy, useUsageBy } from '../state/costs.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Bar, Button, Card, CardHead, CardSkeleton, Empty, ErrorNote } from '../ui/basics.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import {
  findBestCached,
  hasBatches,
  type Offer,
  offerAll,
  offerSwaps,
  rankOffers,
  toCachedTitle,
  toSwaps,
} from './offers.ts';
import { toRunPath } from './result.tsx';

/** How many models are looked at, the dearest first. */
const mostModels = 6;
const mostListed = 1_000;

interface OffersCardProps {
  readonly onTry: (assume: Assumption) => void;
}

/** What the dearest models would have cost on smaller ones, in batches, or with as much cached input as the best feature has. */
export function OffersCard({ onTry }: OffersCardProps) {
  const { offers, problem, retry } = useOffers();
  const hasCalls = useQuestion().firstDay !== undefined;
  const most = Math.max(...(offers ?? []).map(({ before, after }) => before - after), 0);
  const dollars = toColumnDollars((offers ?? []).flatMap(({ before, after }) => [before, after, before - after]));
  return (
    <Card aria-label="What would cost less">
      <CardHead
        title="What would cost less"
        about="The calls of these days on the next smaller model, in batches, or with more cached input. Try its answers first."
      />
      {problem ? (
        <ErrorNote problem={problem} retry={retry} className="m-4 mt-0" />
      ) : !offers ? (
        <CardSkeleton className="h-96 sm:h-72" />
      ) : offers.length === 0 ? (
        // About as high as its placeholder, so that the form below hardly moves.
        <div className="grid min-h-64 content-center border-t border-line sm:min-h-48">
          {hasCalls ? (
            <Empty title="Nothing cheaper is known">
              No model of these days has a smaller one in the price list, a price for batches, or input to cache.
            </Empty>
          ) : (
            <NoneOnDays what="No calls" />
          )}
        </div>
      ) : (
        <ol>
          {offers.map((offer) => (
            <OfferRow key={offer.id} offer={offer} most={most} dollars={dollars} onTry={() => onTry(offer.assume)} />
          ))}
        </ol>
      )}
    </Card>
  );
}

interface OfferRowProps {
  readonly offer: Offer;
  /** USD that the best offer saves. */
  readonly most: number;
  readonly dollars: (amount: number) => string;
  readonly onTry: () => void;
}

const OfferRow = ({ offer: { title, before, after }, most, dollars, onTry }: OfferRowProps) => (
  <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line px-4 py-2.5">
    <div className="min-w-0 flex-1 basis-64">
      <h3 className="font-medium break-words">{title}</h3>
      <Bar share={(before - after) / most} className="mt-1.5 w-full max-w-md fill-good" />
    </div>
    <p className="min-w-0 sm:text-right">
      <span className="block font-semibold text-good">{dollars(before - after)} less</span>
      <span className="block text-xs text-mute">
        {dollars(after)} instead of {dollars(before)}, {toShare((before - after) / before)} less
      </span>
    </p>
    <Button aria-label={`Try it: ${title}`} onClick={onTry}>
      Try it
    </Button>
  </li>
);

/** The offers for the days, once every answer is there. */
function useOffers() {
  const question = useQuestion();
  const all = { ...question, filters: {}, search: { ...question.search, credits: undefined } };
  const costs = useCostsBy(all, 'model', question.days);
  const usage = useUsageBy(all, 'feature', question.days);
  const optionsOf = useApiOptions<ModelPrice>();
  const listed = useApi<Page<ListRow>>(`/api/models/?limit=${mostListed}`);
  const priced = new Set(listed.data?.rows.flatMap(({ name, has_price: has }) => (has === true ? [name] : [])));
  const models = (costs.data ?? [])
    .filter(({ model = '', cost }) => priced.has(model) && cost > 0)
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, mostModels)
    .map(({ model = '' }) => model);
  const prices = useQueries({
    queries: models.map((model) => optionsOf(`/api/models/${encodeURIComponent(model)}/price/`)),
  });
  const isPriced = costs.data !== undefined && listed.data !== undefined && prices.every(({ isPending }) => !isPending);
  const known = isPriced ? prices.flatMap(({ data }) => data ?? []) : [];
  const swaps = toSwaps(known);
  const cached = findBestCached(
    (usage.data ?? []).map(({ feature = '', tokens }) => ({
      name: feature,
      input: countTokens(tokens, 'input'),
      cached: countTokens(tokens, 'cached'),
    })),
  );
  const inBatches = isPriced && hasBatches(known) ? { service_tier: 'batch' } : undefined;
  const asCached = cached && { cached_share: cached.share };
  const [swapped, batched, ofCached] = [
    useDryRun(swaps && { models: swaps }),
    useDryRun(inBatches),
    useDryRun(isPriced ? asCached : undefined),
  ];
  const runs = [swapped, batched, ofCached];
  const failed = [costs, usage, listed, ...runs].find(({ error }) => error !== null);
  const isComplete = isPriced && usage.data !== undefined && runs.every(({ isLoading }) => !isLoading);
  const offers = isComplete
    ? rankOffers([
        ...(swaps && swapped.data ? offerSwaps(swaps, swapped.data) : []),
        ...(inBatches && batched.data ? [offerAll('batch', 'All calls in batches', inBatches, batched.data)] : []),
        ...(asCached && ofCached.data ? [offerAll('cached', toCachedTitle(cached), asCached, ofCached.data)] : []),
      ])
    : undefined;
  return { offers, problem: failed?.error, retry: () => void failed?.refetch() };
}

/** The answer to an assumption about all calls of the days. It is asked once: each one is kept by the service for a while. */
function useDryRun(assume: Assumption | undefined) {
  const { days } = useQuestion();
  const { project } = useAccess();
  const ask = useAsk();
  const body = { ...toDates(days), assume };
  return useQuery({
    queryKey: [project.id, '/api/prices/reprice/', body],
    enabled: assume !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { id } = await ask<{ id: string }>('/api/prices/reprice/', { method: 'POST', body, signal });
      return await ask<RepriceDetail>(toRunPath(id), { signal });
    },
  });
}
