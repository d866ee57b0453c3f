import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { byPlural, callDimensions } from '../../../src/lib/dimensions.ts';
import { useApi } from '../api/queries.ts';
import type { Coverage } from '../api/types.ts';
import { toCalls, toCount, toDay, toDollars, toProseDollars, toShare, toShortName, toWords } from '../lib/format.ts';
import { listRevenueGaps } from '../revenue/gaps.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Bar, Card, CardHead, FailureNote, Skeleton } from '../ui/basics.tsx';
import { Door } from '../ui/door.tsx';
import { PathLink } from '../ui/path-link.tsx';
import { useNextSteps } from './next-steps.tsx';

/** What is missing from the numbers, and where to fix it. Covers the whole project, regardless of filters. */
export function CoverageCard() {
  const { days } = useQuestion();
  const { project } = useAccess();
  // Earlier days have only totals, without coverage.
  const since = project.kept_from;
  const isCut = since !== null && days.from < since && since <= days.to;
  const coverage = useApi<Coverage>(`/api/coverage/?date_from=${isCut ? since : days.from}&date_to=${days.to}`);
  return (
    <Card aria-label="How complete this is">
      <CardHead title="How complete this is">
        <Badge>{isCut ? `whole project, since ${toDay(since)}` : 'whole project'}</Badge>
      </CardHead>
      <div className="border-t border-line p-4">
        {coverage.error ? (
          <FailureNote answer={coverage} />
        ) : coverage.data ? (
          <CoverageList coverage={coverage.data} />
        ) : (
          <Skeleton className="h-48" />
        )}
      </div>
    </Card>
  );
}

/** The most models that are named. */
const mostNamed = 3;

/** The whole project, whatever the page is filtered by. */
const whole: Partial<Search> = {
  ...byPlural(callDimensions, () => undefined),
  ctags: undefined,
  rtags: undefined,
};

/** On paper nobody follows a link to what is to be mended. */
const linkClass = 'text-accent underline underline-offset-2 print:hidden';

function toPart(part: number, whole: number): string {
  const dollars = toProseDollars(part, whole);
  return `${dollars(part)} of ${dollars(whole)}.`;
}

/** The calls that public lists priced, and the models of which other lists say something else. */
function NotReviewed({ further }: { readonly further: Coverage['further_prices'] }) {
  const disputed = further.models.filter(({ disagreeing }) => disagreeing.length > 0);
  return (
    <>
      {toCalls(further.calls)} ({toDollars(further.cost)}) {further.calls === 1 ? 'has' : 'have'} the price of a public
      list that nobody reviewed: {further.lists.map(({ list, calls }) => `${list} ${toCount(calls)}`).join(', ')}.{' '}
      {disputed.length > 0 && (
        <>
          Other lists have another price of{' '}
          {disputed
            .slice(0, mostNamed)
            .map(({ model }) => toShortName(model))
            .join(', ')}
          .{' '}
        </>
      )}
    </>
  );
}

/** The models that most of these calls name. Each leads to all of its calls, those among them that failed unused too. */
const Models = ({ rows }: { readonly rows: readonly { readonly model: string; readonly name?: string }[] }) =>
  [...new Map(rows.map((row) => [`${row.name} ${row.model}`, row]))].slice(0, mostNamed).map(([key, row], index) => (
    <Fragment key={key}>
      {index > 0 && ', '}
      {row.name && `${toWords(row.name)} of `}
      <Door to="/calls" search={{ ...whole, models: [row.model] }}>
        {toShortName(row.model || 'no model')}
      </Door>
    </Fragment>
  ));

function CoverageList({ coverage }: { readonly coverage: Coverage }) {
  const { project } = useAccess();
  const { calls, unpriced_calls: unpriced, partly_priced_calls: partly, further_prices: further } = coverage;
  const late =
    useNextSteps().data?.steps.filter(
      ({ kind, subject }) => kind === 'late_price' && coverage.unpriced.some(({ model }) => model === subject),
    ) ?? [];
  const toPrice = coverage.unpriced.find(({ model }) => !late.some(({ subject }) => subject === model));
  const unattributed = 1 - coverage.customer_attributed_share;
  const shareOf = (share: number) => (calls === 0 ? undefined : share);
  return (
    <ul className="space-y-4">
      <Share
        name="Calls with a price"
        to="/models"
        share={shareOf(1 - (unpriced + partly) / calls)}
        about={
          unpriced === 0 && partly === 0 && further.calls === 0 ? (
            'Every call has a price.'
          ) : (
            <>
              {unpriced > 0 && (
                <>
                  {toCalls(unpriced)} ({toShare(1 - coverage.priced_share)}) {unpriced === 1 ? 'counts' : 'count'} as
                  $0: <Models rows={coverage.unpriced} />.{' '}
                </>
              )}
              {late.map(({ subject, link }) => (
                <PathLink key={subject} path={link} className={`${linkClass} mr-1`}>
                  A reprice counts those of {toShortName(subject)}.
                </PathLink>
              ))}
              {partly > 0 && (
                <>
                  {toCalls(partly)} ({toShare(partly / calls)}) {partly === 1 ? 'is' : 'are'} partly priced, without{' '}
                  <Models rows={coverage.partly_priced} />.{' '}
                </>
              )}
              {further.calls > 0 && <NotReviewed further={further} />}
              {(late.length === 0 || toPrice) && (
                <Link to="/prices" search={(search) => ({ ...search, of: toPrice?.model })} className={linkClass}>
                  Set a price
                </Link>
              )}
            </>
          )
        }
      />
      {project.type === 'revenue' ? (
        <Share
          name="Cost of a known customer"
          to="/customers"
          share={shareOf(coverage.customer_attributed_share)}
          about={
            unattributed === 0 ? (
              'Every call names its customer.'
            ) : (
              <>
                {toShare(unattributed)} of the cost names no customer.{' '}
                <Link to="/calls" search={(search) => ({ ...search, customers: [''] })} className={linkClass}>
                  See these calls
                </Link>
              </>
            )
          }
        />
      ) : (
        <Share
          name="Cost of a known user"
          to="/users"
          share={shareOf(coverage.user_attributed_share)}
          about={
            coverage.user_attributed_share === 1
              ? 'Every call names its user.'
              : toPart(coverage.user_attributed_cost, coverage.cost)
          }
        />
      )}
      <Share
        name="Cost of a known feature"
        to="/features"
        share={shareOf(coverage.feature_attributed_share)}
        about={
          coverage.feature_attributed_share === 1 ? (
            'Every call names its feature.'
          ) : (
            <>
              {toPart(coverage.feature_attributed_cost, coverage.cost)}{' '}
              <Link to="/calls" search={(search) => ({ ...search, features: [''] })} className={linkClass}>
                See these calls
              </Link>
            </>
          )
        }
      />
      {project.type === 'revenue' && <RevenueGaps coverage={coverage} />}
      {coverage.beyond_retention > 0 && (
        <li className="text-xs text-mute">
          {toCount(coverage.beyond_retention)} late events are for days that have only totals, and are not counted.
        </li>
      )}
      {coverage.joined_alike.calls > 0 && (
        <li className="text-xs text-mute">
          Reports that are alike were joined into {toCalls(coverage.joined_alike.calls)} (
          {toDollars(coverage.joined_alike.cost)}).
        </li>
      )}
      {coverage.possible_doubles.calls > 0 && (
        <li className="text-xs text-warn">
          {toCalls(coverage.possible_doubles.calls)} ({toDollars(coverage.possible_doubles.cost)}) may be reports of
          what others report, too.
        </li>
      )}
      {coverage.open_calls > 0 && (
        <li className="text-xs text-mute">{toCalls(coverage.open_calls)} started and did not end.</li>
      )}
    </ul>
  );
}

/** Revenue that does not count, or whose customer is unknown. */
const RevenueGaps = ({ coverage }: { readonly coverage: Coverage }) =>
  listRevenueGaps(coverage).map(({ id, text, advice }) => (
    <li key={id} className="text-xs text-warn">
      {text}{' '}
      <Link to="/revenue" search={true} className={linkClass}>
        {advice}
      </Link>
    </li>
  ));

interface ShareProps {
  readonly name: string;
  /** The page of its rows. */
  readonly to: string;
  /** Undefined without calls. */
  readonly share: number | undefined;
  readonly about: React.ReactNode;
}

const Share = ({ name, to, share, about }: ShareProps) => (
  <li>
    <p className="flex justify-between gap-2">
      <span className="font-medium">{name}</span>
      <Door to={to} search={whole}>
        {share === undefined ? '–' : toShare(share)}
      </Door>
    </p>
    <Bar share={share ?? 0} className={`my-1.5 w-full ${(share ?? 1) < 0.9 ? 'fill-warn' : 'fill-good'}`} />
    <p className="text-xs text-mute">{share === undefined ? 'No calls on these days.' : about}</p>
  </li>
);
