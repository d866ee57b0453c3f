import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OfferedPrice, ReconciliationRow } from '../api/types.ts';
import { remarkOnSteps } from '../charts/remarks.ts';
import { Waterfall } from '../charts/waterfall.tsx';
import { toColumnDollars, toDollars, toName, toSigned } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import type { DayRange, ReconciledBy, Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { type Answer, Button, buttonLook, Card, CardHead, CardSkeleton, Empty, FailureNote } from '../ui/basics.tsx';
import { toPriceWords } from './offered-price.ts';
import { type PlacedPart, placeParts, toPartSteps } from './part-steps.ts';
import { SetPrice } from './set-price.tsx';

interface PartsCardProps {
  /** Undefined while it is loading. */
  readonly row: ReconciliationRow | undefined;
  readonly by: ReconciledBy;
  readonly isUnpriced: boolean;
  readonly days: DayRange;
  readonly answer: Answer;
}

/** What leads from the computed cost to the invoice, and what to do about each part. */
export function PartsCard({ row, by, isUnpriced, days, answer }: PartsCardProps) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const [offered, setOffered] = useState<OfferedPrice>();
  return (
    <Card aria-label="From computed to invoiced">
      <CardHead
        title={
          search.of === undefined ? 'From computed to invoiced' : `From computed to invoiced: ${toName(search.of)}`
        }
        about={(row && remarkOnParts(row)) ?? ''}
      >
        {search.of !== undefined && <Button onClick={() => change({ of: undefined })}>Show all {by}s</Button>}
      </CardHead>
      <FailureNote answer={answer} className="m-4 mt-0" />
      {!row && !answer?.error && <CardSkeleton className="h-72" />}
      {row &&
        row.parts.length === 0 &&
        (isUnpriced ? (
          <Empty title="Nothing to compare">No call has a price here, and no invoice charges for one.</Empty>
        ) : (
          <Empty title={`The invoices agree with the calls: ${toDollars(row.invoiced)}`}>
            Nothing is missing, and no price differs.
          </Empty>
        ))}
      {row && row.parts.length > 0 && (
        <>
          <Waterfall
            name="From computed to invoiced"
            steps={toPartSteps(row, isUnpriced)}
            link={(_step, content) => content}
          />
          <ul aria-label="Parts of the difference" className="border-t border-line">
            {placeParts(row.parts).map((part) => (
              <PartRow key={part.id} part={part} row={row} dollars={writeAmounts(row)} onSet={setOffered} />
            ))}
          </ul>
        </>
      )}
      {offered && <SetPrice offered={offered} days={days} onClose={() => setOffered(undefined)} />}
    </Card>
  );
}

const remarkOnParts = ({ parts }: ReconciliationRow): string | undefined =>
  remarkOnSteps(
    placeParts(parts).map(({ label, amount }) => ({ label, change: amount })),
    'difference',
  );

/** As the bars above have them. */
const writeAmounts = ({ computed, parts, invoiced }: ReconciliationRow) =>
  toColumnDollars([computed, ...parts.map(({ amount }) => amount), invoiced]);

interface PartRowProps {
  readonly part: PlacedPart;
  readonly row: ReconciliationRow;
  readonly dollars: (amount: number) => string;
  readonly onSet: (offered: OfferedPrice) => void;
}

function PartRow({ part: { label, amount, calls, hint, override }, row, dollars, onSet }: PartRowProps) {
  const { canWrite } = useAccess();
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line px-4 py-3 last:border-0">
      <div className="min-w-0 flex-1 basis-72">
        <h3 className="font-medium break-words">
          {label} <span className="ml-1 font-normal whitespace-nowrap text-mute">{toSigned(amount, dollars)}</span>
        </h3>
        <p className="mt-0.5 text-[13px] break-words text-mute">{hint}</p>
        {override && <p className="mt-1 text-[13px] break-words">{toPriceWords(override)}</p>}
      </div>
      <div className="flex flex-wrap gap-1.5">
        {calls !== undefined && calls > 0 && (
          <Link
            to="/calls"
            search={({ project }) => ({ project, ...toCallsSearch(row, override) })}
            className={buttonLook}
          >
            Show {calls === 1 ? 'the call' : 'the calls'}
          </Link>
        )}
        {override && canWrite && (
          <Button aria-label={`Set this price: ${override.model}`} onClick={() => onSet(override)}>
            Set this price
          </Button>
        )}
      </div>
    </li>
  );
}

/** The calls that include those of a part. */
function toCallsSearch(
  { date_from: from, date_to: to, provider, model }: ReconciliationRow,
  override: OfferedPrice | undefined,
): Partial<Search> {
  const [ofProvider, ofModel] = [override?.provider ?? provider, override?.model ?? model];
  return {
    from,
    to,
    ...(ofProvider && { providers: [ofProvider] }),
    ...(ofModel && { models: [ofModel] }),
  };
}
