import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi, useAsk } from '../api/queries.ts';
import type { Assumption, RepriceDetail } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Card, CardHead, ErrorNote, Field, PageHead, Select } from '../ui/basics.tsx';
import { tiers, toAssumption, toSearch } from '../what-if/assume.ts';
import { AssumedPrices, toWhole, usePriceDrafts } from '../what-if/assumed-prices.tsx';
import { OffersCard } from '../what-if/offers-card.tsx';
import { toRunPath, WhatIfResult } from '../what-if/result.tsx';
import { SwapFields, toSwap, useSwapDrafts } from '../what-if/swaps.tsx';

/** What past days would have cost with other models, other prices, more cached input or another service tier. */
export function WhatIf() {
  const { search } = useQuestion();
  const [linked] = useState(search.asked);
  const change = useChangeSearch();
  /** What was taken from the offers, and how often something was. */
  const [tried, setTried] = useState<{ readonly assume: Assumption; readonly count: number }>();
  // Only the answer has the prices of its question. What is asked here later has them in the form.
  const asked = useApi<RepriceDetail>(toRunPath(linked ?? ''), undefined, { enabled: linked !== undefined });
  return (
    <>
      <PageHead title="What if" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} hasCompare={false} />
      {search.asked === undefined && (
        <OffersCard
          onTry={(assume) => {
            change({ ...toSearch(assume), asked: undefined });
            setTried({ assume, count: (tried?.count ?? 0) + 1 });
          }}
        />
      )}
      <AssumeCard
        key={`${asked.isSuccess} ${tried?.count}`}
        begin={tried ? toSearch(tried.assume) : search}
        assumed={tried ? undefined : asked.data?.assume}
      />
      {search.asked !== undefined && <WhatIfResult key={search.asked} id={search.asked} />}
    </>
  );
}

interface AssumeCardProps {
  /** What the fields say at first. */
  readonly begin: Pick<Search, 'swap' | 'cached' | 'tier' | 'models'>;
  readonly assumed: Assumption | null | undefined;
}

function AssumeCard({ begin, assumed }: AssumeCardProps) {
  const { search, days } = useQuestion();
  const [drafts, setDrafts] = useSwapDrafts(begin);
  const [prices, setPrices] = usePriceDrafts(assumed);
  const [cached, setCached] = useState(begin.cached?.toString() ?? '');
  const [tier, setTier] = useState(begin.tier ?? '');
  const wanted: Pick<Search, 'swap' | 'cached' | 'tier'> = {
    swap: toSwap(drafts),
    cached: cached.trim() === '' ? undefined : Number(cached),
    tier: tier === '' ? undefined : tier,
  };
  const assume = toAssumption(wanted, toWhole(prices));
  const { isPending, error } = useAnswer({ days: toDates(days), assume, wanted });
  return (
    <Card aria-label="Assume">
      <CardHead
        title="Assume"
        about="The calls of these days are priced again with what you change. Your prices stay as they are."
      />
      <div className="space-y-4 border-t border-line p-4">
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
        {error && <ErrorNote problem={error} />}
        <p role="status" className="text-mute">
          {isPending && 'Pricing the calls…'}
        </p>
      </div>
    </Card>
  );
}

interface Asked {
  readonly days: ReturnType<typeof toDates>;
  /** Undefined while nothing is assumed. */
  readonly assume: Assumption | undefined;
  readonly wanted: Pick<Search, 'swap' | 'cached' | 'tier'>;
}

/** How long after the last change an answer is asked for, in milliseconds. */
const restMs = 400;

/** Asks again whenever what is asked changes, and puts the answer into the URL. */
function useAnswer(asked: Asked): { readonly isPending: boolean; readonly error: Error | null } {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const ask = useAsk();
  const text = JSON.stringify(asked);
  // A link has the answer to what its form says.
  const newest = useRef(search.asked === undefined ? undefined : text);
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: (of: string) => {
      const { days, assume }: Asked = JSON.parse(of);
      return ask<{ id: string }>('/api/prices/reprice/', { method: 'POST', body: { ...days, assume } });
    },
    onSuccess: ({ id }, of) => {
      if (of === newest.current) change({ ...asked.wanted, asked: id, sort: undefined });
    },
  });
  useEffect(() => {
    if (text === newest.current) return;
    const isAsked = 'assume' in JSON.parse(text);
    newest.current = text;
    if (!isAsked) return reset();
    const timer = setTimeout(() => mutate(text), restMs);
    return () => clearTimeout(timer);
  }, [text, mutate, reset]);
  return { isPending, error };
}
