import { Link } from '@tanstack/react-router';
import type { CostRow } from '../api/types.ts';
import { toChange, toDollars, toName } from '../lib/format.ts';
import { useCostsBy } from '../state/costs.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import type { Changing } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, Choice, Empty } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';

const labels: Readonly<Record<Changing, string>> = { customer: 'Customers', feature: 'Features', model: 'Models' };
const mostChanges = 6;

interface Change {
  readonly name: string;
  readonly now: number;
  readonly before: number;
}

/** The largest cost differences from the same number of days before. */
export function ChangesCard() {
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const dimension = question.search.changes ?? (project.type === 'revenue' ? 'customer' : 'feature');
  const now = useCostsBy(question, dimension, question.days);
  const before = useCostsBy(question, dimension, question.before);
  const failed = [now, before].find(({ error }) => error !== null);
  const changes = now.data && before.data && calcChanges(dimension, now.data, before.data);
  const columns: Column<Change>[] = [
    {
      id: 'name',
      title: labels[dimension].slice(0, -1),
      show: ({ name }) => <ChangedName dimension={dimension} name={name} />,
    },
    { id: 'now', title: 'Now', isNumber: true, show: ({ now: cost }) => toDollars(cost) },
    { id: 'before', title: 'Before', isNumber: true, show: ({ before: cost }) => toDollars(cost) },
    {
      id: 'change',
      title: 'Change',
      isNumber: true,
      show: (row) => (
        <span className={row.now > row.before ? 'text-bad' : 'text-good'}>
          {row.now > row.before ? '+' : '−'}
          {toDollars(Math.abs(row.now - row.before))}{' '}
          <span className="inline-block min-w-16 text-xs text-mute">{toChange(row.now, row.before)}</span>
        </span>
      ),
    },
  ];
  return (
    <Card>
      <CardHead title="What changed most">
        <Choice label="Of" options={labels} value={dimension} onChoose={(changes) => change({ changes })} />
      </CardHead>
      <DataTable
        key={dimension}
        name="What changed most"
        columns={columns}
        rows={changes}
        problem={failed?.error}
        retry={() => void failed?.refetch()}
        idOf={({ name }) => name}
        empty={<Empty title="Nothing changed">The days before cost the same.</Empty>}
      />
    </Card>
  );
}

function calcChanges(dimension: Changing, now: readonly CostRow[], before: readonly CostRow[]): Change[] {
  const changes = new Map<string, Change>();
  for (const row of before) {
    const name = row[dimension] ?? '';
    changes.set(name, { name, now: 0, before: row.cost });
  }
  for (const row of now) {
    const name = row[dimension] ?? '';
    changes.set(name, { name, now: row.cost, before: changes.get(name)?.before ?? 0 });
  }
  const difference = (change: Change) => Math.abs(change.now - change.before);
  return [...changes.values()]
    .filter((change) => difference(change) > 0)
    .sort((a, b) => difference(b) - difference(a))
    .slice(0, mostChanges);
}

const ChangedName = ({ dimension, name }: { readonly dimension: Changing; readonly name: string }) =>
  dimension === 'customer' && name !== '' ? (
    <Link to="/customers/$name" params={{ name }} search={true} className="hover:underline">
      {name}
    </Link>
  ) : (
    <span className={name === '' ? 'text-mute italic' : ''}>{toName(name)}</span>
  );
