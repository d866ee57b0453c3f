import { useCallback, useDeferredValue, useMemo } from 'react';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Empty, SearchField } from './basics.tsx';
import { useColumns } from './columns.tsx';
import { type Column, CsvButton, toText } from './data-table.tsx';

interface TableViewOptions<Row> {
  /** What typing is compared with; default: every cell of text. */
  readonly nameOf?: (row: Row) => string;
  /** The order until another one is chosen; default: that of the rows. */
  readonly usual?: string;
  /** The name of the file; default: that of the table. */
  readonly file?: string;
  /** Whether all that the file has is there; default: it is with the rows. */
  readonly isComplete?: boolean;
  /** Asks for what the file needs and the page has not shown yet. */
  readonly complete?: (rows: readonly Row[], options: { readonly signal: AbortSignal }) => Promise<unknown>;
  /** Whether it is the table of its page, to which links give an order: it has parameters of its own in the URL. */
  readonly isMain?: boolean;
}

/**
 * A table as the URL has it: its chosen columns, the rows that have the typed text, and their order; and the tools that
 * choose them and save the same as a file.
 */
export function useTableView<Row>(
  name: string,
  all: readonly Column<Row>[],
  given: readonly Row[] | undefined,
  { nameOf, usual, file = name, isComplete = true, complete, isMain }: TableViewOptions<Row> = {},
) {
  const { search } = useQuestion();
  const { timezone } = useAccess().project;
  const change = useChangeSearch();
  const { columns, isChosen, picker } = useColumns(name, all);
  const [order = '', typed = ''] = isMain ? [search.sort, search.q] : (search.lists?.[name] ?? []);
  const write = (...own: readonly [order: string, typed: string]) => {
    if (isMain) return change({ sort: own[0] || undefined, q: own[1] || undefined });
    const { [name]: _before, ...others } = search.lists ?? {};
    const lists = own.some((one) => one !== '') ? { ...others, [name]: own } : others;
    change({ lists: Object.keys(lists).length > 0 ? lists : undefined });
  };
  const text = useDeferredValue(typed).toLowerCase();
  const textOf = nameOf ?? toTextOf(all, timezone);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what names a row does not change
  const has = useCallback((row: Row) => text === '' || textOf(row).toLowerCase().includes(text), [text]);
  const rows = useMemo(() => (text === '' ? given : given?.filter(has)), [given, text, has]);
  const sort = order || usual;
  const table = {
    ...{ columns, rows, sort, onSort: (next: string) => write(next, typed) },
    ...(given?.length && typed !== '' ? { empty: <Empty title="No row has this text" /> } : {}),
  };
  const filter = (
    <SearchField
      label="Filter the rows"
      placeholder="Filter"
      value={typed}
      onType={(next) => write(order, next)}
      className="w-36! max-sm:w-28!"
    />
  );
  const tools = (given === undefined || given.length > 0) && (
    <>
      {filter}
      {picker}
      <CsvButton
        name={`farthing-${file}`}
        columns={columns}
        rows={
          !isComplete
            ? undefined
            : complete && rows?.length
              ? (options) => complete(rows, options).then(() => rows)
              : rows
        }
        sort={sort}
      />
    </>
  );
  return { table, picker, filter, has, tools, isChosen, isArranged: order !== '' || typed !== '' };
}

const toTextOf =
  <Row,>(columns: readonly Column<Row>[], timezone: string) =>
  (row: Row): string =>
    columns
      .filter(({ isNumber }) => !isNumber)
      .flatMap((column) => [
        column.value?.(row),
        column.show ? column.show(row, String) : toText(column, row, { timezone }),
      ])
      .filter((text) => typeof text === 'string')
      .join('\n');

interface ShowMoreProps {
  /** How many rows are here. */
  readonly count: number;
  /** What is of these alone. */
  readonly of?: string;
  readonly isAsking?: boolean;
  readonly onMore: () => void;
}

/** Below a table whose rows come in pages: shows more, and says what does not know of those. */
export const ShowMore = ({ count, of = 'Order, filter and CSV', isAsking, onMore }: ShowMoreProps) => (
  <div className="border-t border-line px-4 py-2">
    <Button disabled={isAsking} onClick={onMore}>
      Show more
    </Button>
    <span className="ml-3 text-xs text-mute">
      {of}: only the {count} rows above
    </span>
  </div>
);
