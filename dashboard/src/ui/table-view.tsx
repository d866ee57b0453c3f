import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useColumns } from './columns.tsx';
import type { Column } from './data-table.tsx';
import { useRowFilter } from './row-filter.tsx';

/** A table as the URL has it: its chosen columns, the rows whose name has the typed text, and their order. */
export function useTableView<Row>(
  table: string,
  all: readonly Column<Row>[],
  given: readonly Row[] | undefined,
  nameOf: (row: Row) => string,
  usual?: string,
) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const { columns, picker } = useColumns(table, all);
  const { found: rows, field } = useRowFilter(given, nameOf);
  const sort = { sort: search.sort ?? usual, onSort: (next: string) => change({ sort: next }) };
  const tools = (
    <>
      {field}
      {picker}
    </>
  );
  return { columns, rows, sort, tools };
}
