import { Link } from '@tanstack/react-router';
import { byName } from '../../../src/lib/by-name.ts';
import { dimensions, watchedDimensions } from '../../../src/lib/dimensions.ts';
import { useApi } from '../api/queries.ts';
import type { Changes, Project, RankedChanges } from '../api/types.ts';
import { remarkOnSteps } from '../charts/remarks.ts';
import { Waterfall } from '../charts/waterfall.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { isRelative, toChange, toShortName, toSigned, toTitle } from '../lib/format.ts';
import { useAsTable, useChangeSearch } from '../state/change-search.ts';
import { type Comparison, remarkOnDays } from '../state/comparison.ts';
import { type Fixed, toCostBody } from '../state/costs.ts';
import { costTags, isTagGroup, keepGroup, nameGroup, type TagGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import type { Changing, Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, CardSkeleton, Empty, ErrorNote } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { Door, type DoorTo } from '../ui/door.tsx';
import { Icon } from '../ui/icons.tsx';
import { useHasUserChanges, useUserChanges } from '../users/user-changes.ts';
import { type ChangeStep, toSteps } from './change-steps.ts';

const labels: Readonly<Record<Exclude<Changing, TagGroup>, string>> = {
  cause: 'Causes',
  ...byName([...watchedDimensions, 'user'], (name) => toTitle(dimensions[name].plural)),
};
const { customer: _customers, user: users, ...labelsOfOne } = labels;
const { user: _users, ...labelsOfRevenue } = labels;
/** An internal project has users in place of customers. */
const labelsOfInternal = { cause: labels.cause, user: users, feature: labels.feature, model: labels.model };
const labelOf = (of: Changing): string => (isTagGroup(of) ? toTitle(nameGroup(of)) : labels[of]);
const mostChanges = 6;

interface ChangesCardProps {
  /** Of one customer or user: its filter, for requests and as a URL has it. */
  readonly one?: { readonly fixed: Fixed; readonly within: Partial<Search> };
}

/** Why the cost changed from the days before. */
export function ChangesCard({ one }: ChangesCardProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const [isTable, setTable] = useAsTable('changes');
  const { project } = useAccess();
  const hasCustomers = project.type === 'revenue';
  const hasUsers = useHasUserChanges();
  const choices: Readonly<Partial<Record<Changing, string>>> =
    one || !(hasCustomers || hasUsers) ? labelsOfOne : hasCustomers ? labelsOfRevenue : labelsOfInternal;
  const chosen = keepGroup(question.search.changes, costTags) ?? 'cause';
  const of = chosen in choices || isTagGroup(chosen) ? chosen : 'cause';
  const { days, comparison, isComparing } = question;
  const { data, error, refetch } = useApi<Changes>(
    '/api/changes/',
    comparison && {
      ...toCostBody(question, comparison.days, one?.fixed),
      before_from: comparison.before.from,
      before_to: comparison.before.to,
      limit: mostChanges,
      ...(isTagGroup(of) && { group_by: of }),
    },
    { enabled: comparison !== undefined, keep: true },
  );
  const ofUsers = useUserChanges(hasUsers && !one ? comparison : undefined, mostChanges);
  const steps =
    data &&
    comparison &&
    (of !== 'user' || ofUsers) &&
    (!isTagGroup(of) || data.by_tag) &&
    withoutNames(toSteps(of, data, toDaysOf(data), ofUsers), of === 'cause' && (one !== undefined || !hasCustomers));
  const changed = steps?.filter(({ isTotal }) => !isTotal);
  const columns = toColumns(of);
  const about =
    data && changed
      ? [
          remarkOnSteps(changed, 'change'),
          of === 'cause' && ofUsers && remarkOnUsers(ofUsers, data.difference),
          remarkOnDays(toDaysOf(data), data.cost_before),
        ]
          .filter(Boolean)
          .join(' ')
      : '';
  return (
    <Card aria-label="What changed the cost most">
      <CardHead title="What changed the cost most" about={about}>
        <GroupChoice
          label="Of"
          options={choices}
          tags={one ? ['tag'] : costTags}
          value={of}
          onChoose={(changes) => change({ changes })}
        />
        <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          <Icon name={isTable ? 'overview' : 'table'} />
          {isTable ? 'Bars' : 'Numbers'}
        </Button>
        {isTable && (
          <CsvButton
            name={`farthing-changes-by-${of.replace(':', '-')}-${days.from}-${days.to}`}
            columns={columns}
            rows={changed}
          />
        )}
      </CardHead>
      {error ? (
        <ErrorNote problem={error} retry={() => void refetch()} className="m-4" />
      ) : !comparison && !isComparing ? (
        <Empty title="Nothing to compare with">
          {question.hasToday && days.from === days.to ? (
            <>
              Today is not over yet.{' '}
              <Link to="/alerts" search={true} className="text-accent underline underline-offset-2">
                Alerts
              </Link>{' '}
              compare its hours with those of other days.
            </>
          ) : (
            'No days before these have calls.'
          )}
        </Empty>
      ) : !steps || !changed ? (
        <CardSkeleton className="h-72" />
      ) : changed.length === 0 ? (
        <Empty title="Nothing changed">The days before cost the same.</Empty>
      ) : isTable ? (
        <DataTable name="Changes" columns={columns} rows={changed} idOf={({ id }) => id} />
      ) : (
        <Waterfall
          name={`What changed the cost most, ${labelOf(of).toLowerCase()}`}
          steps={steps}
          link={(step, row) => {
            const door = toDoor(of, step, project.type);
            return door ? (
              <Door {...door} search={{ ...door.search, ...one?.within }} className="block">
                {row}
              </Door>
            ) : (
              row
            );
          }}
        />
      )}
    </Card>
  );
}

/** The days of an answer, which is that of the days before until the next one is there. */
const toDaysOf = (answer: Changes): Comparison => ({
  days: { from: answer.date_from, to: answer.date_to },
  before: { from: answer.before_from, to: answer.before_to },
});

/** Causes without the names of customers, where there is only one. */
const withoutNames = (steps: readonly ChangeStep[], isOfOne: boolean): readonly ChangeStep[] =>
  isOfOne ? steps.map((step) => ({ ...step, note: undefined })) : steps;

/** Whose cost is most of the change: causes name no users. */
function remarkOnUsers({ rows }: RankedChanges, change: number): string | undefined {
  const first = rows.find(({ user, difference }) => user && Math.sign(difference) === Math.sign(change));
  return first?.user && `Most by one user: ${toShortName(first.user)}, ${toSigned(first.difference)}.`;
}

const pages = {
  cause: undefined,
  customer: '/customers',
  user: '/users',
  feature: '/features',
  model: '/models',
} as const;

/** The calls of a row, or the page of a user; all others together lead to the page that lists them. */
function toDoor(of: Changing, { user, calls }: ChangeStep, type: Project['type']): DoorTo | undefined {
  if (user) return { to: '/users/$name', params: { name: user } };
  const page = calls ? '/calls' : isTagGroup(of) ? undefined : pages[of];
  // Only projects with revenue have a page of customers.
  return page && (page !== '/customers' || type === 'revenue') ? { to: page, search: calls } : undefined;
}

function toColumns(of: Changing): Column<ChangeStep>[] {
  const change: Column<ChangeStep> = {
    id: 'change',
    title: 'Change',
    unit: 'USD',
    isNumber: true,
    value: ({ change: amount }) => amount,
    show: (step, dollars) => (
      <span className={step.change > 0 ? 'text-bad' : 'text-good'}>
        {toSigned(step.change, dollars)} <span className="text-xs text-mute">{toRelative(step)}</span>
      </span>
    ),
  };
  const label: Column<ChangeStep> = {
    id: 'name',
    title: isTagGroup(of) ? labelOf(of) : labelOf(of).slice(0, -1),
    value: ({ label: text }) => text,
  };
  const note = (title: string): Column<ChangeStep> => ({
    id: 'note',
    title,
    value: ({ note: text }) => text ?? null,
  });
  if (of === 'cause') return [label, change, note('Mostly from')];
  const cost = (id: 'before' | 'now', title: string): Column<ChangeStep> => ({
    ...{ id, title, unit: 'USD', isNumber: true, value: (step) => step[id] },
  });
  return [label, cost('now', 'Now'), cost('before', 'Before'), change, note('Mostly because of')];
}

/** The change as a percentage, beside its amount; nothing where its base is nearly 0. */
const toRelative = ({ now, before }: ChangeStep): string =>
  now !== null && before !== null && isRelative(now, before) ? toChange(now, before) : '';
