import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import type { BudgetStanding, EachDimension, EachSpent } from '../api/types.ts';
import { toCount, toPercent, toSpentDollars, toTitle } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Bar, Button, Toolbar } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Name } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { Left } from './left.tsx';
import { toCallsDoor } from './scope.ts';
import { type BudgetTone, toTone } from './tone.ts';

/** How many values are shown before all of them are asked for. */
const mostShown = 5;
/** The most values that the service lists. */
const mostListed = 1_000;

const fills: Readonly<Record<BudgetTone, string>> = { calm: 'fill-accent', warned: 'fill-warn', over: 'fill-bad' };

interface EachSpentProps {
  readonly budget: BudgetStanding;
  readonly each: EachDimension;
}

/** What the customers, users, features or runs of a budget have spent, the most first. */
export function EachSpentTable({ budget, each }: EachSpentProps) {
  const [isWhole, setWhole] = useState(false);
  const all = budget.each_spent ?? [];
  const { table, tools, isArranged } = useTableView(`budget-${budget.name}`, toColumns(budget, each), all, {
    nameOf: ({ of }) => of,
  });
  // An order or a text is of all of them.
  const hasAll = isWhole || isArranged;
  if (all.length === 0) {
    return (
      <p className="border-t border-line px-4 py-3 text-mute">
        No {each} has spent anything in this {budget.window === null ? 'period' : 'time'}.
      </p>
    );
  }
  return (
    <>
      <Toolbar>{tools}</Toolbar>
      <DataTable
        name={`${each === 'run' ? 'Runs' : toTitle(dimensions[each].plural)} of ${budget.name}`}
        idOf={({ of }) => of}
        {...table}
        rows={hasAll ? table.rows : all.slice(0, mostShown)}
      />
      {all.length > mostShown && !isArranged && (
        <div className="border-t border-line px-4 py-2">
          <Button kind="quiet" className="-ml-3" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole
              ? 'Show fewer'
              : all.length < mostListed
                ? `Show all ${toCount(all.length)}`
                : `Show the first ${toCount(all.length)}`}
          </Button>
        </div>
      )}
    </>
  );
}

function toColumns(budget: BudgetStanding, each: EachDimension): Column<EachSpent>[] {
  const { search, ...door } = toCallsDoor(budget);
  const toCalls = ({ of }: EachSpent): DoorTo =>
    each === 'run'
      ? { to: '/runs/$run', params: { run: of } }
      : { ...door, search: { ...search, [dimensions[each].plural]: [of] } };
  return [
    {
      id: 'of',
      title: toTitle(each),
      value: ({ of }) => of,
      show: ({ of }) => <EachLink budget={budget} each={each} name={of} />,
    },
    {
      ...{ id: 'spent', title: 'Spent', isNumber: true, unit: 'USD', value: ({ spent }) => spent },
      ...{ show: ({ spent }) => toSpentDollars(spent), door: toCalls },
    },
    {
      id: 'pct',
      title: 'Of the amount',
      value: ({ spent_pct: pct }) => pct,
      isNumber: true,
      show: ({ spent_pct: pct, thresholds_passed: passed }) =>
        pct !== null && (
          <span className="inline-flex items-center gap-2">
            <Bar share={Math.min(1, pct / 100)} className={`w-24 ${fills[toTone(pct, passed)]}`} />
            <span className="min-w-14">{toPercent(pct)}</span>
          </span>
        ),
    },
    {
      id: 'left',
      title: 'Left',
      unit: 'USD',
      value: ({ remaining }) => remaining,
      isNumber: true,
      show: ({ remaining }) => remaining !== null && <Left remaining={remaining} />,
    },
  ];
}

interface EachLinkProps extends EachSpentProps {
  readonly name: string;
}

/** A link to the page of a customer, user or run, or to the calls of a feature, in the days of the period. */
function EachLink({ budget: { period_from: from, period_to: to, apply_credits }, each, name }: EachLinkProps) {
  const { project } = useAccess();
  const days = { range: undefined, from, to, budget: undefined, ...(apply_credits && { credits: true }) };
  const text = <Name name={name} />;
  const className = 'font-medium hover:underline';
  if (each === 'run') {
    return (
      <Link to="/runs/$run" params={{ run: name }} search={(search) => ({ ...search, ...days })} className={className}>
        {text}
      </Link>
    );
  }
  if (each === 'user') {
    // Only internal projects have pages of users.
    if (project.type !== 'internal' || name === '') return <span className="font-medium">{text}</span>;
    return (
      <Link to="/users/$name" params={{ name }} search={(search) => ({ ...search, ...days })} className={className}>
        {text}
      </Link>
    );
  }
  if (each === 'customer' && project.type === 'revenue' && name !== '') {
    return (
      <Link to="/customers/$name" params={{ name }} search={(search) => ({ ...search, ...days })} className={className}>
        {text}
      </Link>
    );
  }
  return (
    <Link to="/calls" search={(search) => ({ ...search, ...days, [`${each}s`]: [name] })} className={className}>
      {text}
    </Link>
  );
}
