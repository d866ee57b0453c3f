import { Link } from '@tanstack/react-router';
import { type Dimension, dimensions } from '../../../src/lib/dimensions.ts';
import { useApi, useProviders } from '../api/queries.ts';
import type { ListRow, Page } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toDay, toShortName } from '../lib/format.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardSkeleton, Empty, FailureNote } from './basics.tsx';

const linkClass = 'text-accent underline underline-offset-2';
/** The list finds names by a part of them, too. */
const mostFound = 1_000;

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
  const query = new URLSearchParams({ search: name, limit: String(mostFound) });
  const list = useApi<Page<ListRow>>(`/api/${plural}/?${query}`);
  const known = list.data?.rows.find((row) => row.name === name);
  const [first, last] = [known?.first_seen, known?.last_seen].map((time) => time && todayIn(timezone, new Date(time)));
  if (list.error) return <FailureNote answer={list} />;
  return (
    <Card aria-label={`No ${of}`}>
      {!list.data && <CardSkeleton className="h-24" />}
      {list.data && (
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
                : 'No call has ever named it: the name may be written in another way.'}{' '}
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
