import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { Empty } from './basics.tsx';
import { useColumns } from './columns.tsx';
import { type Column, CsvButton } from './data-table.tsx';
import { useTyped } from './row-filter.tsx';

interface TableViewOptions<Row> {
  /** What typing is compared with; default: every cell of text. */
  readonly nameOf?: (row: Row) => string;
  /** The order until another one is chosen; default: that of the rows. */
  readonly usual?: string;
  /** The name of the file; default: that of the table. */
  readonly file?: string;
  /** Asks for what the file needs and the page has not shown yet. */
  readonly complete?: (rows: readonly Row[], options: { readonly signal: AbortSignal }) => Promise<unknown>;
}

/**
 * A table as the URL has it: its chosen columns, the rows that have the typed text, and their order; and the tools that
 * choose them and save the same as a file.
 */
export function useTableView<Row>(
  name: string,
  all: readonly Column<Row>[],
  given: readonly Row[] | undefined,
  { nameOf = toTextOf(all), usual, file = name, complete }: TableViewOptions<Row> = {},
) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const { columns, picker } = useColumns(name, all);
  const [order = '', typed = ''] = search.lists?.[name] ?? [];
  const write = (...own: readonly string[]) => {
    const { [name]: _before, ...others } = search.lists ?? {};
    const lists = own.some((one) => one !== '') ? { ...others, [name]: own } : others;
    change({ lists: Object.keys(lists).length > 0 ? lists : undefined });
  };
  const { found: rows, field } = useTyped(given, nameOf, typed, (text) => write(order, text));
  const sort = order || usual;
  const table = {
    ...{ columns, rows, sort, onSort: (next: string) => write(next, typed) },
    ...(given?.length && typed !== '' ? { empty: <Empty title="No row has this text" /> } : {}),
  };
  const tools = (given === undefined || given.length > 0) && (
    <>
      {field}
      {picker}
      <CsvButton
        name={`farthing-${file}`}
        columns={columns}
        rows={complete && rows?.length ? (options) => complete(rows, options).then(() => rows) : rows}
        sort={sort}
      />
    </>
  );
  return { table, picker, tools, isArranged: order !== '' || typed !== '' };
}

const toTextOf =
  <Row,>(columns: readonly Column<Row>[]) =>
  (row: Row): string =>
    columns
      .filter(({ isNumber }) => !isNumber)
      .flatMap(({ value, show }) => [value?.(row), show?.(row, String)])
      .filter((text) => typeof text === 'string')
      .join('\n');

/** Says of a list that comes in pages that its order and the typed text are about those that are here. */
export const PartNote = ({ count }: { readonly count: number }) => (
  <span className="ml-3 text-xs text-mute">Sorted and found among the {count} that are shown</span>
);
