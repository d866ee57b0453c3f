import { Link } from '@tanstack/react-router';
import type { ExplainedCall, ExplanationLine, PriceSource, TermOfLine } from '../api/types.ts';
import { toCount, toExactCount, toExactDollars, toName, toShare, toTime, toWords } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';

const columns: readonly Column<ExplanationLine>[] = [
  { id: 'bucket', title: 'What', show: (line) => toWords(nameOf(line)) },
  { id: 'tokens', title: 'Quantity', isNumber: true, show: showQuantity },
  { id: 'rate', title: 'Unit price', isNumber: true, show: showRate },
  { id: 'amount', title: 'Amount', isNumber: true, unit: 'USD', isExact: true, value: ({ amount }) => amount },
  {
    id: 'source',
    title: 'Price source',
    show: (line) => (
      <div className="min-w-56">
        <Source source={line.source} />
        {'terms' in line && line.terms?.map((term) => <Term key={term.name} term={term} />)}
        {'rate_of' in line && (
          <span className="block text-xs text-warn">
            The rate of {toWords(line.rate_of ?? '')}: its own is not known
          </span>
        )}
      </div>
    ),
  },
];

const nameOf = (line: ExplanationLine): string => ('unit' in line ? line.unit : line.bucket);

function showQuantity(line: ExplanationLine): string {
  if ('unit' in line) return toExactCount(line.count);
  return 'tokens' in line ? `${toCount(line.tokens)} tokens` : `${line.requests} call`;
}

function showRate(line: ExplanationLine): string {
  if ('unit' in line) return `${toExactDollars(line.rate_per_unit)} each`;
  return 'tokens' in line
    ? `${toExactDollars(line.rate_per_mtok)} per million`
    : `${toExactDollars(line.rate_per_request)} per call`;
}

const sources: Readonly<Record<ExplainedCall['cost_source'], string>> = {
  reported: 'The events report this cost, so no price was needed.',
  override: 'Priced by a price override of the project.',
  catalogue: 'Priced by the price catalogue.',
  further_list: 'Priced by a public price list that nobody reviewed for Farthing.',
  wrapper: 'Another call within this one has its usage and its cost, so this one is not counted.',
  gateway_cache: 'A gateway answered from its own cache: no provider was called, so the call costs nothing.',
  none: 'The call failed or is free and reports no usage, so it costs nothing.',
  unpriced: 'No price is known, so the call counts as $0.',
};

/** Why a call has no price, by the API's reasons; where a price would help, it can be set. */
function toUnpricedWords({ model, provider, unpriced_reason: reason }: ExplainedCall): string | undefined {
  switch (reason) {
    case 'unknown_provider':
    case 'unknown_model':
      return `No price is known for ${toName(model)}${provider === '' ? '' : ` of ${provider}`}, so the call counts as $0.`;
    case 'no_token_price':
    case 'no_unit_price':
      return `${toName(model)} has no price for what the call used, so it counts as $0.`;
    case 'no_model':
      return 'The call names no model, so it has no price and counts as $0.';
    default:
      return reason === null ? undefined : 'What the call used is not known, so it counts as $0.';
  }
}

const isToBePriced = ({ unpriced_reason: reason }: ExplainedCall): boolean =>
  ['unknown_provider', 'unknown_model', 'no_token_price', 'no_unit_price'].includes(reason ?? '');

/** Why another report is of the same request. */
const joins: Readonly<Record<ExplainedCall['explanation']['reports'][number]['joined_by'], string>> = {
  span: 'spans inside each other',
  answer_id: 'the same id of the answer',
  likeness: 'alike in process, model, output and time',
};

/** The derivation of a call's cost: tokens × unit price, or count × unit price, per line, each with its source. */
export function Explanation({ call }: { readonly call: ExplainedCall }) {
  const { project } = useAccess();
  const { lines, price_book, credit, reproduced, note, reported_cost, reports } = call.explanation;
  return (
    <Card aria-label="How the cost was reached">
      <CardHead title="How the cost was reached" />
      {lines.length > 0 && (
        <DataTable name="How the cost was reached, table" columns={columns} rows={lines} idOf={nameOf} />
      )}
      <div className="space-y-1 border-t border-line p-4 text-[13px] text-mute">
        <p className="flex justify-between gap-4 text-sm font-semibold text-ink">
          <span>Cost</span>
          <span data-figure="Call cost">{toExactDollars(call.cost)}</span>
        </p>
        <p>
          {toUnpricedWords(call) ?? note ?? sources[call.cost_source]}{' '}
          {isToBePriced(call) && (
            <Link
              to="/prices"
              search={(search) => ({ ...search, of: call.model })}
              className="text-accent underline underline-offset-2"
            >
              Set a price
            </Link>
          )}
        </p>
        {call.partly_priced.length > 0 && (
          <p className="text-warn">
            Partly priced: no price is known for {call.partly_priced.map(toWords).join(', ')}. The cost is that of all
            else, and of tokens without a price at the rate of a wider kind.
          </p>
        )}
        {reported_cost !== null && reported_cost !== call.cost && (
          <p>The tool that reported the call says {toExactDollars(reported_cost)}.</p>
        )}
        {reports.length > 0 && (
          <p>
            The request was also reported by{' '}
            {reports
              .map(({ event_id, emitter, joined_by }) => `${emitter ?? event_id} (${joins[joined_by]})`)
              .join(', ')}
            .
          </p>
        )}
        <p>
          Prices as they were on {toTime(price_book.activated_at, project.timezone)} ({price_book.id}).
        </p>
        {credit.covered_fraction > 0 && (
          <p>
            Free credits cover {toShare(credit.covered_fraction)}: {toExactDollars(credit.net_cost)} is left.
          </p>
        )}
        {!reproduced && (
          <p className="text-warn">
            This version reads the events differently from the version that costed the call. The cost stays until its
            day is repriced.
          </p>
        )}
      </div>
    </Card>
  );
}

/** How a term changed the rate of a line. */
const Term = ({ term: { name, value, factor, source } }: { readonly term: TermOfLine }) => (
  <span className="block text-xs whitespace-normal text-mute">
    {toWords(name)} {value}: {factor === null ? 'its own rate' : `× ${factor}`} (<Source source={source} />)
  </span>
);

function Source({ source }: { readonly source: PriceSource }) {
  if (source.kind === 'override') return <span className="text-xs">override {source.override_id}</span>;
  if (source.kind === 'supplement') {
    return (
      <span className="text-xs whitespace-normal">
        <a href={source.page ?? undefined} rel="noreferrer" target="_blank" className="text-accent underline">
          price page
        </a>{' '}
        of {source.checked_on}
      </span>
    );
  }
  if (source.kind === 'further_list') {
    return (
      <span className="text-xs whitespace-normal">
        {source.list} {source.version}, not reviewed: {source.provider} / {source.entry}
      </span>
    );
  }
  return (
    <span className="text-xs whitespace-normal">
      catalogue {source.version}: {source.provider} / {source.entry}
      {source.correction_source && (
        <>
          {', '}
          <a href={source.correction_source} rel="noreferrer" target="_blank" className="text-accent underline">
            corrected
          </a>
        </>
      )}
    </span>
  );
}
