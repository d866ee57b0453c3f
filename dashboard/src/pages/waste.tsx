import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { Waste, WasteRow } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { callFilters } from '../filters/picker.tsx';
import { toColumnDollars, toCount, toDollars, toShare } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { usePaceDays } from '../state/pace-days.ts';
import { useQuestion } from '../state/question.ts';
import { After } from '../ui/after.tsx';
import { Badge, Bar, Button, buttonLook, Card, CardHead, CardSkeleton, FailureNote, PageHead } from '../ui/basics.tsx';
import { type Column, CsvButton } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { countWasted, rankCauses, remarkOnWaste, toMonthly, toWastedWords, wasteLabels } from '../waste/causes.ts';
import { useWaste } from '../waste/use-waste.ts';
import { SwapFields, toSwap, useSwapDrafts } from '../what-if/swaps.tsx';

/** What is paid for nothing, by cause, with the calls behind each amount. */
export function WastePage() {
  const { search } = useQuestion();
  const waste = useWaste();
  return (
    <>
      <PageHead title="Waste" about={<DaysLine />} />
      <FilterBar by={callFilters} hasGranularity={false} hasCredits={false} hasCompare={false} />
      {waste.error ? (
        <FailureNote answer={waste} />
      ) : (
        <>
          <Figures waste={waste.data} />
          <CausesCard waste={waste.data} />
        </>
      )}
      <After isPending={waste.isPending}>
        <AlternativesCard key={JSON.stringify(search.swap)} />
      </After>
    </>
  );
}

function Figures({ waste }: { readonly waste: Waste | undefined }) {
  const { days } = useQuestion();
  const countPaceDays = usePaceDays();
  const isBound = waste !== undefined && waste.wasted_at_most > waste.wasted;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <FigureCard
        icon="waste"
        label="Wasted"
        value={waste && <Dollars value={waste.wasted} />}
        door={toCalls(waste)}
        about={isBound ? `at most ${toDollars(waste.wasted_at_most)} with upper bounds` : 'on these days'}
      />
      <FigureCard
        icon="calendar"
        label="In a month"
        value={waste && toDollars(toMonthly(waste.wasted, countPaceDays(days)))}
        about="at the pace of these days"
      />
      <FigureCard
        icon="percent"
        label="Of all AI cost"
        value={waste && (waste.total_cost === 0 ? '–' : toShare(waste.share))}
        door={toCalls(waste)}
        about={waste && waste.total_cost > 0 && `of ${toDollars(waste.total_cost)}`}
      />
      <FigureCard
        icon="calls"
        label="Wasted calls"
        value={waste && toCount(countWasted(waste, ['exact']))}
        door={toCalls(waste)}
        about={
          waste &&
          `of ${toCount(waste.calls)}${isBound ? `; at most ${toCount(countWasted(waste, ['exact', 'upper']))} with upper bounds` : ''}`
        }
      />
    </div>
  );
}

/** The calls that are wasted for sure. */
function toCalls(waste: Waste | undefined): DoorTo | undefined {
  const causes = waste?.rows.filter(({ bound, calls }) => bound === 'exact' && calls > 0).map(({ cause }) => cause);
  return causes && causes.length > 0 ? { to: '/calls', search: { waste: causes, order: 'dearest' } } : undefined;
}

const columns: readonly Column<WasteRow>[] = [
  { id: 'cause', title: 'Cause', value: ({ cause }) => wasteLabels[cause] },
  { id: 'wasted', title: 'Wasted', unit: 'USD', value: ({ amount }) => amount },
  { id: 'share', title: 'Of all AI cost', unit: 'share', value: ({ share }) => share },
  { id: 'calls', title: 'Calls', value: ({ calls }) => calls },
  { id: 'bound', title: 'Bound', value: ({ bound }) => bound },
  { id: 'definition', title: 'Definition', value: ({ definition }) => definition },
];

function CausesCard({ waste }: { readonly waste: Waste | undefined }) {
  const { days } = useQuestion();
  const dollars = toColumnDollars(waste?.rows.map(({ amount }) => amount) ?? []);
  return (
    <Card aria-label="Waste by cause">
      <CardHead title="Waste by cause" about={(waste && remarkOnWaste(waste)) ?? ''}>
        <CsvButton
          name={`farthing-waste-${days.from}-${days.to}`}
          columns={columns}
          rows={waste?.calls === 0 ? [] : waste && rankCauses(waste.rows)}
        />
      </CardHead>
      {!waste && <CardSkeleton className="h-96" />}
      {waste?.calls === 0 && <NoneOnDays what="No calls" />}
      {waste && waste.calls > 0 && (
        <ul>
          {rankCauses(waste.rows).map((row) => (
            <CauseRow key={row.cause} row={row} dollars={dollars} />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface CauseRowProps {
  readonly row: WasteRow;
  readonly dollars: (amount: number) => string;
}

const CauseRow = ({ row, dollars }: CauseRowProps) => (
  <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-t border-line px-4 py-3.5">
    <div className="min-w-0 flex-1 basis-72">
      <h3 className="flex flex-wrap items-center gap-2 font-medium">
        {wasteLabels[row.cause]}
        {row.bound === 'upper' && <Badge>upper bound</Badge>}
      </h3>
      <p className="mt-0.5 max-w-4xl text-[13px] break-words text-mute">{row.definition}</p>
      <Bar share={row.share} className="mt-2 w-full max-w-md fill-bad" />
    </div>
    <div className="flex items-center justify-between gap-4 max-sm:w-full">
      <p className="min-w-0 sm:text-right sm:whitespace-nowrap">
        <span className="block font-semibold">{toWastedWords(row, dollars)}</span>
        <span className="block text-xs text-mute">
          {row.bound === 'upper' && row.share > 0 && 'at most '}
          {toShare(row.share)} of all AI cost · {toCount(row.calls)}
          {row.calls === 1 ? '\u00a0call' : '\u00a0calls'}
        </span>
      </p>
      {row.calls > 0 && (
        <Link
          to="/calls"
          search={(search) => ({ ...search, waste: [row.cause] })}
          aria-label={`Show the calls: ${wasteLabels[row.cause]}`}
          className={buttonLook}
        >
          Show the calls
        </Link>
      )}
    </div>
  </li>
);

/** Names cheaper models, against which the dearer ones are counted as waste. */
function AlternativesCard() {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const [drafts, setDrafts] = useSwapDrafts(search);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ swap: toSwap(drafts) });
  };
  return (
    <Card aria-label="Models with a cheaper alternative">
      <CardHead
        title="Models with a cheaper alternative"
        about="Counts what a cheaper model would have saved on the same tokens as waste."
      >
        {search.swap && (
          <Link
            to="/what-if"
            search={({ waste: _waste, ...others }) => others}
            className="text-[13px] text-accent underline underline-offset-2"
          >
            By customer and day
          </Link>
        )}
      </CardHead>
      <form onSubmit={submit} className="space-y-3 border-t border-line p-4">
        <SwapFields drafts={drafts} onChange={setDrafts} />
        <Button type="submit" kind="main" disabled={toSwap(drafts) === undefined && search.swap === undefined}>
          Compare
        </Button>
      </form>
    </Card>
  );
}
