import { Link } from '@tanstack/react-router';
import { type Dimension, dimensions } from '../../../src/lib/dimensions.ts';
import { useProviders } from '../api/queries.ts';
import { todayIn } from '../lib/days.ts';
import { toDay, toShortName } from '../lib/format.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { useListed } from '../state/tags.ts';
import { Card, CardSkeleton, Empty, FailureNote } from './basics.tsx';

const linkClass = 'text-accent underline underline-offset-2';

interface AbsentProps {
  readonly of: Exclude<Dimension, 'provider'>;
  readonly name: string;
}

/** That no call of the days has a name, and which days have some, or that none ever had it. */
export function Absent({ of, name }: AbsentProps) {
  const { asOf } = useQuestion();
  const { project } = useAccess();
  const timezone = asOf?.timezone ?? project.timezone;
  const { plural } = dimensions[of];
  const hasNone = useProviders().data?.rows.length === 0;
  const listed = useListed(of, name);
  const [first, last] = [listed.data?.first_seen, listed.data?.last_seen].map(
    (time) => time && todayIn(timezone, new Date(time)),
  );
  if (listed.error) return <FailureNote answer={listed} />;
  return (
    <Card aria-label={`No ${of}`}>
      {listed.data === undefined && <CardSkeleton className="h-24" />}
      {listed.data !== undefined && (
        <Empty title={`No call of the ${of} ${toShortName(name)} on these days`}>
          {first && last ? (
            <>
              Its first call was on {toDay(first)}, its last on {toDay(last)}.{' '}
              <Link
                to="."
                search={(search) => ({ ...search, range: undefined, every: undefined, from: first, to: last })}
                className={linkClass}
              >
                Show these days
              </Link>
            </>
          ) : (
            <>
              {hasNone
                ? 'No call has come at all yet.'
                : 'No call has ever had this name. It may be spelt differently.'}{' '}
              <Link to={`/${plural}`} search={({ project: chosen }) => ({ project: chosen })} className={linkClass}>
                See all {plural}
              </Link>
            </>
          )}
        </Empty>
      )}
    </Card>
  );
}
