import { type ReactNode, useState } from 'react';
import { toCsv } from '../lib/csv.ts';
import { downloadCsv } from '../lib/download.ts';
import { Button, ErrorNote, Skeleton } from './basics.tsx';
import { Icon } from './icons.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** What it is sorted and exported by; a column without is neither. */
  readonly value?: (row: Row) => string | number | null;
  /** What it is sorted by instead, where the value itself has no order that anybody wants. */
  readonly rank?: (row: Row) => number;
  readonly show?: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
}

interface DataTableProps<Row> {
  /** What the table holds, for who can't see it and for the file's name. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** Why there are no rows, which is shown in their place. */
  readonly problem?: unknown;
  readonly retry?: () => void;
  readonly idOf: (row: Row) => string;
  /** Such as `-cost`: the column, with a minus for the largest first. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  readonly empty?: ReactNode;
  /** The rows on view, for what is asked for them alone. */
  readonly pageRows?: number;
  readonly page?: number;
  readonly onPage?: (page: number) => void;
}

const defaultPageRows = 25;

/** The rows in the order of a column: all of them, not only those on view. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string | undefined): Row[] {
  const isDown = sort?.startsWith('-') ?? false;
  const column = columns.find(({ id }) => id === sort?.replace(/^-/, ''));
  const value = column?.rank ?? column?.value;
  if (!value) return [...rows];
  const compare = (a: string | number | null, b: string | number | null) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a ?? '').localeCompare(String(b ?? ''));
  return rows.toSorted((a, b) => (isDown ? -1 : 1) * compare(value(a), value(b)));
}

export function DataTable<Row>({
  name,
  columns,
  rows,
  problem,
  retry,
  idOf,
  sort,
  onSort,
  empty,
  pageRows = defaultPageRows,
  page: givenPage,
  onPage,
}: DataTableProps<Row>) {
  const [ownPage, setOwnPage] = useState(0);
  const sorted = rows && sortRows(rows, columns, sort);
  const pages = Math.max(1, Math.ceil((sorted?.length ?? 0) / pageRows));
  const page = Math.min(givenPage ?? ownPage, pages - 1);
  const setPage = onPage ?? setOwnPage;
  const visible = sorted?.slice(page * pageRows, (page + 1) * pageRows);
  if (problem !== undefined && problem !== null) return <ErrorNote problem={problem} retry={retry} className="m-4" />;
  if (rows?.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="overflow-x-auto" tabIndex={0} aria-label={name}>
        <table className="w-full text-left">
          <thead>
            <tr className="border-y border-line text-xs text-mute">
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {visible?.map((row) => (
              <tr key={idOf(row)} className="border-b border-line last:border-0 hover:bg-raised/50">
                {columns.map(({ id, isNumber, show, value }, index) => (
                  <td
                    key={id}
                    className={`h-11 px-4 py-1.5 ${isNumber ? 'text-right whitespace-nowrap' : 'max-w-72 truncate'} ${index === 0 ? 'max-sm:sticky max-sm:left-0 max-sm:max-w-40 max-sm:bg-card' : ''}`}
                  >
                    {show ? show(row) : value?.(row)}
                  </td>
                ))}
              </tr>
            )) ?? <WaitingRows columns={columns.length} />}
          </tbody>
        </table>
      </section>
      {pages > 1 && (
        <div className="flex items-center justify-between gap-2 border-t border-line px-4 py-2 text-[13px] text-mute">
          <span>
            {page * pageRows + 1}–{Math.min((page + 1) * pageRows, sorted?.length ?? 0)} of {sorted?.length}
          </span>
          <span className="flex gap-1.5">
            <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button disabled={page >= pages - 1} onClick={() => setPage(page + 1)}>
              Next
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}

function HeadCell<Row>({ column: { id, title, value, isNumber }, sort, onSort }: HeadCellProps<Row>) {
  const isSorted = sort?.replace(/^-/, '') === id;
  const isDown = isSorted && sort?.startsWith('-');
  const side = isNumber ? 'text-right' : 'text-left';
  if (!value || !onSort) {
    return (
      <th scope="col" className={`h-9 px-4 font-medium whitespace-nowrap ${side}`}>
        {title}
      </th>
    );
  }
  // Of numbers the largest are wanted first.
  const next = isSorted ? (isDown ? id : `-${id}`) : isNumber ? `-${id}` : id;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : 'none'}
      className={`h-9 px-4 font-medium whitespace-nowrap ${side}`}
    >
      <button type="button" onClick={() => onSort(next)} className="rounded hover:text-ink">
        {title}
        <span aria-hidden="true">{isSorted ? (isDown ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

const waitingRows = [1, 2, 3, 4, 5, 6];

const WaitingRows = ({ columns }: { readonly columns: number }) => (
  <>
    {waitingRows.map((row) => (
      <tr key={row} className="border-b border-line last:border-0">
        <td colSpan={columns} className="h-11 px-4">
          <Skeleton className="h-4 w-full" />
        </td>
      </tr>
    ))}
  </>
);

interface CsvButtonProps<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
}

/** All rows as a file, with their numbers as the API answered them. */
export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>) {
  const exported = columns.filter(({ value }) => value);
  return (
    <Button
      disabled={!rows || rows.length === 0}
      onClick={() =>
        downloadCsv(
          `${name}.csv`,
          toCsv(
            exported.map(({ title }) => title),
            (rows ?? []).map((row) => exported.map(({ value }) => value?.(row) ?? null)),
          ),
        )
      }
    >
      <Icon name="download" />
      CSV
    </Button>
  );
}
