import { useState } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import type { BudgetStanding, EachDimension, EachSpent, Project } from '../api/types.ts';
import { toCount, toPercent, toTitle } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Bar, Button, Toolbar } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
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
  const { project } = useAccess();
  const columns = toColumns(budget, each, project.type);
  const { table, tools, isArranged } = useTableView(`budget-${budget.name}`, columns, all, { nameOf: ({ of }) => of });
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

function toColumns(budget: BudgetStanding, each: EachDimension, type: Project['type']): Column<EachSpent>[] {
  const { search, ...calls } = toCallsDoor(budget);
  const toCalls = ({ of }: Pick<EachSpent, 'of'>): DoorTo =>
    each === 'run'
      ? { to: '/runs/$run', params: { run: of } }
      : { ...calls, search: { ...search, [dimensions[each].plural]: [of] } };
  /** The page of a customer in a project with revenue, or of a user in an internal one. */
  const page =
    each === 'customer' && type === 'revenue' ? '/customers' : each === 'user' && type === 'internal' && '/users';
  const days = { range: undefined, from: budget.period_from, to: budget.period_to };
  const credits = budget.apply_credits ? { credits: true } : {};
  return [
    {
      ...{ id: 'of', title: toTitle(each), as: 'name', value: ({ of }) => of },
      door: ({ of }) =>
        page && of !== ''
          ? { to: `${page}/$name`, params: { name: of }, search: { ...days, ...credits } }
          : toCalls({ of }),
    },
    { id: 'spent', title: 'Spent', isNumber: true, unit: 'USD', value: ({ spent }) => spent, door: toCalls },
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
      show: ({ remaining }, dollars) => remaining !== null && <Left remaining={remaining} write={dollars} />,
    },
  ];
}
