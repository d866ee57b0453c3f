import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAsk, useRefresh } from '../api/queries.ts';
import { useAccess } from '../state/session.tsx';
import { type Answer, Button, Card, CardHead, ErrorNote } from './basics.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { useTableView } from './table-view.tsx';

interface RecordsCardProps<Row> {
  readonly title: string;
  readonly about?: ReactNode;
  /** What the table is called in the URL and in the name of its file. */
  readonly table: string;
  readonly rows: readonly Row[] | undefined;
  readonly answer: Answer;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly empty: ReactNode;
  /** The order until another one is chosen; default: that of the rows. */
  readonly usual?: string;
  readonly add: { readonly label: string; readonly form: (close: () => void) => ReactNode };
  /** How to delete a record: the text of the button, its accessible name, and the record's path. */
  readonly remove: {
    readonly verb: string;
    readonly label: (row: Row) => string;
    readonly path: (row: Row) => string;
    /** Whether a record can be deleted; default: each. */
    readonly has?: (row: Row) => boolean;
  };
}

/** A list of a project's records. Sessions that may write can add and delete them. */
export function RecordsCard<Row>({
  title,
  about,
  table: name,
  rows,
  answer,
  columns,
  idOf,
  empty,
  usual,
  add,
  remove,
}: RecordsCardProps<Row>) {
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const { table, tools } = useTableView(name, columns, rows, usual === undefined ? {} : { usual });
  const [isAdding, setAdding] = useState(false);
  const removing = useMutation({
    mutationFn: (row: Row) => ask(remove.path(row), { method: 'DELETE' }),
    onSuccess: refresh,
  });
  const removeColumn: Column<Row> = {
    id: 'remove',
    title: '',
    isNumber: true,
    show: (row) =>
      (remove.has?.(row) ?? true) && (
        <ConfirmButton
          aria-label={remove.label(row)}
          disabled={removing.isPending}
          onConfirm={() => removing.mutate(row)}
        >
          {remove.verb}
        </ConfirmButton>
      ),
  };
  return (
    <Card aria-label={title}>
      <CardHead title={title} about={about}>
        {tools}
        {canWrite && <Button onClick={() => setAdding(true)}>{add.label}</Button>}
      </CardHead>
      {removing.error && <ErrorNote problem={removing.error} className="m-4" />}
      <DataTable
        name={`${title}, table`}
        answer={answer}
        idOf={idOf}
        empty={empty}
        {...table}
        columns={canWrite ? [...table.columns, removeColumn] : table.columns}
      />
      {isAdding && add.form(() => setAdding(false))}
    </Card>
  );
}
