import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { ModelPrice, OfferedPrice } from '../api/types.ts';
import { toDay, toDayRange } from '../lib/format.ts';
import type { DayRange } from '../state/search.ts';
import { Button, ErrorNote, Skeleton } from '../ui/basics.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { listRates, type OfferedRate } from './offered-price.ts';

interface SetPriceProps {
  readonly offered: OfferedPrice;
  /** The days that the invoice is of. */
  readonly days: DayRange;
  readonly onClose: () => void;
}

/** Shows the price that the invoice has, and sets it once that is confirmed. */
export function SetPrice({ offered, days, onClose }: SetPriceProps) {
  const ask = useAsk();
  const refresh = useRefresh();
  const setting = useMutation({
    mutationFn: () => ask('/api/prices/', { method: 'POST', body: offered }),
    onSuccess: refresh,
  });
  const now = useApi<ModelPrice>(toPricePath(offered));
  const ratesNow: Readonly<Record<string, number | null>> = now.data?.rates.per_mtok ?? {};
  const rateNow = ({ bucket }: OfferedRate): number | null =>
    (bucket === undefined ? undefined : ratesNow[bucket]) ?? null;
  const { model, provider, effective_from: from, effective_to: to } = offered;
  return (
    <Dialog title={`Set the price of ${model}`} onClose={onClose}>
      <div className="space-y-4">
        <p>
          {provider === undefined ? 'For calls of every provider' : `For calls of ${provider}`}, from {toDay(from)}
          {to !== undefined && ` to ${toDay(to)}`}. USD per million tokens:
        </p>
        <div className="rounded-lg border border-line [&_th]:border-t-0">
          <DataTable<OfferedRate>
            name="Rates"
            rows={listRates(offered)}
            idOf={({ label }) => label}
            columns={[
              { id: 'rate', title: 'Rate', value: ({ label }) => label },
              {
                id: 'now',
                title: 'Now',
                ...{ isNumber: true, unit: 'USD', isExact: true, value: rateNow },
                show: (rate, dollars) => {
                  if (now.isPending) return <Skeleton className="ml-auto h-4 w-12" />;
                  const amount = rateNow(rate);
                  return amount === null ? '–' : dollars(amount);
                },
              },
              {
                id: 'then',
                title: 'On the invoice',
                ...{ isNumber: true, unit: 'USD', isExact: true, value: ({ rate }) => rate },
                show: ({ rate }, dollars) => <strong>{dollars(rate)}</strong>,
              },
            ]}
          />
        </div>
        {setting.error && <ErrorNote problem={setting.error} />}
        {setting.isSuccess ? (
          <>
            <p role="status" className="font-medium text-good">
              The price is set.
            </p>
            <p>
              Calls that arrive from now on have it. Those of {toDayRange(days)} keep their cost until these days are
              repriced.
            </p>
            <Link
              to="/prices"
              search={({ project }) => ({ project, from: days.from, to: days.to })}
              className="inline-flex h-9 items-center rounded-lg bg-accent px-3 text-[13px] font-medium text-onaccent hover:opacity-90"
            >
              Reprice these days
            </Link>
          </>
        ) : (
          <>
            <p className="text-mute">
              It takes precedence over the catalogue for calls that arrive from now on. Past days keep their costs until
              you reprice them, after a preview of the difference.
            </p>
            <Button kind="main" disabled={setting.isPending} onClick={() => setting.mutate()}>
              Set this price
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}

const toPricePath = ({ model, provider }: OfferedPrice): string =>
  `/api/models/${encodeURIComponent(model)}/price/${provider === undefined ? '' : `?provider=${encodeURIComponent(provider)}`}`;
