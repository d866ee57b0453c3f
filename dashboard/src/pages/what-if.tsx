import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useAsk } from '../api/queries.ts';
import type { Assumption, RepriceDetail } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Button, Card, CardHead, ErrorNote, Field, PageHead, Select } from '../ui/basics.tsx';
import { tiers, toAssumption } from '../what-if/assume.ts';
import { AssumedPrices, usePriceDrafts } from '../what-if/assumed-prices.tsx';
import { toRunPath, WhatIfResult } from '../what-if/result.tsx';
import { SwapFields, toSwap, useSwapDrafts } from '../what-if/swaps.tsx';

/** What past days would have cost with other models, other prices, more cached input or another service tier. */
export function WhatIf() {
  const { search } = useQuestion();
  // Only the answer has the prices of its question.
  const asked = useApi<RepriceDetail>(toRunPath(search.asked ?? ''), undefined, {
    enabled: search.asked !== undefined,
  });
  return (
    <>
      <PageHead title="What if" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} hasCompare={false} />
      <AssumeCard key={`${search.asked} ${asked.isSuccess}`} assumed={asked.data?.assume} />
      {search.asked !== undefined && <WhatIfResult key={search.asked} id={search.asked} />}
    </>
  );
}

function AssumeCard({ assumed }: { readonly assumed: Assumption | null | undefined }) {
  const { search, days } = useQuestion();
  const change = useChangeSearch();
  const ask = useAsk();
  const [drafts, setDrafts] = useSwapDrafts();
  const [prices, setPrices] = usePriceDrafts(assumed);
  const [cached, setCached] = useState(search.cached?.toString() ?? '');
  const [tier, setTier] = useState(search.tier ?? '');
  const wanted: Pick<Search, 'swap' | 'cached' | 'tier'> = {
    swap: toSwap(drafts),
    cached: cached.trim() === '' ? undefined : Number(cached),
    tier: tier === '' ? undefined : tier,
  };
  const assume = toAssumption(
    wanted,
    prices.map(({ price }) => price),
  );
  const start = useMutation({
    mutationFn: () =>
      ask<{ id: string }>('/api/prices/reprice/', { method: 'POST', body: { ...toDates(days), assume } }),
    onSuccess: ({ id }) => change({ ...wanted, asked: id, sort: undefined }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Card aria-label="Assume">
      <CardHead
        title="Assume"
        about="The calls of these days are priced again with what you change. Nothing is put in force."
      />
      <form onSubmit={submit} className="space-y-4 border-t border-line p-4">
        <SwapFields drafts={drafts} onChange={setDrafts} />
        <AssumedPrices drafts={prices} onChange={setPrices} />
        <div className="flex flex-wrap items-start gap-3">
          <Field
            label="Cached share of the input, %"
            type="number"
            min={0}
            max={100}
            step={0.0001}
            value={cached}
            placeholder="as it was"
            className="w-56"
            onChange={({ target }) => setCached(target.value)}
          />
          <Select
            label="Service tier"
            options={
              search.tier === undefined || search.tier in tiers ? tiers : { ...tiers, [search.tier]: search.tier }
            }
            value={tier}
            className="w-56"
            onChange={({ target }) => setTier(target.value)}
          />
        </div>
        {start.error && <ErrorNote problem={start.error} />}
        <Button type="submit" kind="main" disabled={start.isPending || assume === undefined}>
          Show what it would cost
        </Button>
      </form>
    </Card>
  );
}
