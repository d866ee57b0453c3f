import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type UIEventHandler, useEffect, useMemo, useRef, useState } from 'react';
import { toCsv } from '../lib/csv.ts';
import { downloadCsv } from '../lib/download.ts';
import {
  toColumnDollars,
  toCount,
  toDay,
  toDollars,
  toDuration,
  toExactDollars,
  toShortName,
  toTime,
} from '../lib/format.ts';
import { calcRowWindow, mostRows, rowHeight, rowStep } from '../lib/row-window.ts';
import { useAccess } from '../state/session.tsx';
import { type Answer, Button, ErrorNote, FailureNote, Skeleton } from './basics.tsx';
import { type DoorTo, MaybeDoor } from './door.tsx';
import { Icon } from './icons.tsx';
import { Name } from './name.tsx';
import { NoPrice } from './no-price.tsx';

/** How many placeholders a table has before its first answer. */
const firstWaitingRows = 6;

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** What the head has beside the title, over the second part of its cells. */
  readonly beside?: ReactNode;
  /** The value for sorting and export. */
  readonly value?: (row: Row) => string | number | null;
  /** The sort key, when the value itself has no useful order, or there is none. */
  readonly rank?: (row: Row) => number;
  /** The cell, where it is not what the value is `as`; `dollars` writes the amounts of a column in USD with one precision. */
  readonly show?: (row: Row, dollars: (amount: number) => string) => ReactNode;
  /** What a value of text is: an instant, a day, or a name that clients chose. */
  readonly as?: 'time' | 'day' | 'name';
  readonly isNumber?: boolean;
  /** Whether no price is known for a row, so that its amount says nothing. */
  readonly isUnpriced?: (row: Row) => boolean;
  /** Whether an amount below 0 is a loss. */
  readonly isLoss?: boolean;
  /** The unit, for the header of an exported column. On the page the cells show it. */
  readonly unit?: 'USD' | 'ms' | 'share';
  /** Whether its amounts keep all their digits, as unit prices do. */
  readonly isExact?: boolean;
  /** Where the cell leads, unless it has a link of its own. */
  readonly door?: (row: Row) => DoorTo | undefined;
  /** Whether rows can't be ordered by it, although it has a value. */
  readonly isUnsorted?: boolean;
  /** Whether it is shown only where it is chosen. */
  readonly isExtra?: boolean;
  /** Neither shown nor exported, but rows may be in its order. */
  readonly isHidden?: boolean;
}

/** All rows in their order, and the range of those in the document; `last` is exclusive. */
export interface View<Row> {
  readonly sorted: readonly Row[];
  readonly first: number;
  readonly last: number;
}

interface DataTableProps<Row> {
  /** The accessible name of the table. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** What has the rows: a failure is shown instead. */
  readonly answer?: Answer;
  readonly idOf: (row: Row) => string;
  /** The id of a column, with a minus for descending order, such as `-cost`. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  /** Whether the rows are in that order already, as the API gives them. */
  readonly isSorted?: boolean;
  readonly empty?: ReactNode;
  /** Called with the visible rows, for data that is requested only for them. */
  readonly onView?: (view: View<Row>) => void;
}

/** What a cell says, where its column does not show it otherwise. */
export function toText<Row>(
  { value, as, unit }: Column<Row>,
  row: Row,
  { timezone, dollars = toDollars }: { readonly timezone: string; readonly dollars?: (amount: number) => string },
): string {
  const its = value?.(row) ?? null;
  if (its === null) return '–';
  if (typeof its === 'string') return as === 'time' ? toTime(its, timezone) : as === 'day' ? toDay(its) : its;
  return unit === 'USD' ? dollars(its) : unit === 'ms' ? toDuration(its) : toCount(its);
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly dollars: ((amount: number) => string) | undefined;
}

function Cell<Row>({ column, row, dollars = toDollars }: CellProps<Row>) {
  const { timezone } = useAccess().project;
  if (column.isUnpriced?.(row)) return <NoPrice />;
  if (column.show) return column.show(row, dollars);
  const text = toText(column, row, { timezone, dollars });
  if (column.as === 'name') return <Name name={column.value?.(row) === '' ? '' : text} />;
  return column.isLoss && Number(column.value?.(row)) < 0 ? <span className="text-bad">{text}</span> : text;
}

const texts = new Intl.Collator();

function compareValues(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return texts.compare(String(a ?? ''), String(b ?? ''));
}

/** By what rows are in order: the values of a column, from the largest where `sort` begins with a minus. */
function toOrder<Row>(columns: readonly Column<Row>[], sort = '') {
  const column = columns.find(({ id }) => id === sort.replace(/^-/, ''));
  return { value: column?.rank ?? column?.value, isDown: sort.startsWith('-') };
}

const sortRows = <Row,>(rows: readonly Row[], { value, isDown }: ReturnType<typeof toOrder<Row>>): readonly Row[] =>
  value ? rows.toSorted((a, b) => (isDown ? -1 : 1) * compareValues(value(a), value(b))) : rows;

/** The rows to render for the scroll position. */
function useRowWindow(count: number) {
  const [top, setTop] = useState(0);
  const onScroll: UIEventHandler<HTMLElement> = ({ currentTarget }) => {
    // The window moves in whole steps, so most scrolling renders nothing.
    setTop(Math.floor(currentTarget.scrollTop / rowHeight / rowStep) * rowStep * rowHeight);
  };
  return { ...calcRowWindow(count, top, window.innerHeight), onScroll, isLong: count > mostRows };
}

/** The number of placeholders while rows load: as many as there were rows before. */
function useWaitingRows(count: number | undefined): number {
  const [rows, setRows] = useState(firstWaitingRows);
  if (count !== undefined && count > 0 && count !== rows) setRows(count);
  return rows;
}

export function DataTable<Row>({
  name,
  columns: all,
  rows,
  answer,
  idOf,
  sort: asked,
  onSort,
  isSorted,
  empty,
  onView,
}: DataTableProps<Row>) {
  // A table whose order is not part of the view is sorted all the same.
  const [own, setOwn] = useState<string>();
  const sort = asked ?? own;
  const { value, isDown } = toOrder(all, isSorted ? undefined : sort);
  const sorted = useMemo(() => rows && sortRows(rows, { value, isDown }), [rows, value, isDown]);
  const columns = useMemo(() => all.filter(({ isHidden }) => !isHidden), [all]);
  const count = sorted?.length ?? 0;
  const { first, last, onScroll, isLong } = useRowWindow(count);
  const visible = useMemo(() => sorted?.slice(first, last), [sorted, first, last]);
  useEffect(() => {
    if (sorted) onView?.({ sorted, first, last });
  }, [sorted, first, last, onView]);
  const dollarsOf = useMemo(
    () =>
      new Map(
        columns
          .filter(({ unit }) => unit === 'USD')
          .map(({ id, value, isExact }) => [
            id,
            toColumnDollars(value ? (rows ?? []).map((row) => Number(value(row))) : [], isExact, true),
          ]),
      ),
    [columns, rows],
  );
  const waitingRows = useWaitingRows(visible?.length);
  if (answer?.error) return <FailureNote answer={answer} className="m-4" />;
  if (rows?.length === 0 && empty !== undefined) return empty;
  return (
    <section
      // It ends with a whole row.
      className={`scroll-pt-9 overflow-auto rounded-b-xl max-sm:scroll-pl-44 ${isLong ? 'max-h-[calc(2.25rem+round(down,70vh,2.75rem))]' : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      tabIndex={0}
      aria-label={name}
      onScroll={onScroll}
      // The browser leaves what is half hidden where it is.
      onFocus={({ target, currentTarget }) => {
        if (target !== currentTarget && target.matches(':focus-visible'))
          target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      }}
    >
      <table className="w-full border-separate border-spacing-0 text-left" aria-rowcount={count + 1}>
        <thead>
          <tr className="text-xs text-mute">
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort ?? setOwn} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} columns={columns.length} />
          {visible?.map((row, index) => (
            <tr key={idOf(row)} aria-rowindex={first + index + 2} className="group hover:bg-raised/50">
              {columns.map((column, place) => (
                <td
                  key={column.id}
                  {...((place === 0 || !column.show) && toWholeText(column, row))}
                  {...toWhole(column, row, dollarsOf.get(column.id))}
                  className={`h-11 border-b border-line px-3 first:pl-4 last:pr-4 group-last:border-0 sm:px-4 ${column.isNumber ? 'text-right' : ''} ${isUncut(column) ? 'whitespace-nowrap' : `max-w-76 truncate ${place === 0 ? 'max-sm:max-w-40' : ''}`} ${place === 0 ? 'font-medium max-sm:sticky max-sm:left-0 max-sm:bg-card' : ''}`}
                >
                  <MaybeDoor door={column.door?.(row)}>
                    <Cell column={column} row={row} dollars={dollarsOf.get(column.id)} />
                  </MaybeDoor>
                </td>
              ))}
            </tr>
          )) ?? <WaitingRows rows={waitingRows} columns={columns.length} />}
          <Gap rows={count - last} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** Whether no window cuts the cells of a column: numbers, days and times. */
const isUncut = <Row,>({ as, isNumber }: Column<Row>) => isNumber || as === 'time' || as === 'day';

/** What a cell of text may cut. */
function toWholeText<Row>(column: Column<Row>, row: Row) {
  const text = column.value?.(row);
  return typeof text === 'string' && text !== '' && !isUncut(column) ? { title: text } : {};
}

/** All digits of an amount that is rounded or abbreviated: rounded ones that stand side by side may not add up. */
function toWhole<Row>({ unit, value }: Column<Row>, row: Row, dollars: (amount: number) => string = toDollars) {
  const amount = unit === 'USD' ? Number(value?.(row) ?? 0) : 0;
  const exact = toExactDollars(amount);
  const isWhole = Number(dollars(amount).replace(/[^\d.]/g, '')) === Math.abs(amount);
  return isWhole && exact === toDollars(amount) ? {} : { title: exact };
}

/** The room of rows that are not in the document. On paper it says how many there are. */
const Gap = ({ rows, columns }: { readonly rows: number; readonly columns: number }) =>
  rows > 0 && (
    <tr data-gap className="print:h-auto!" style={{ height: rows * rowHeight }}>
      <td colSpan={columns} className="hidden px-4 py-2 text-mute print:table-cell">
        {toCount(rows)} more {rows === 1 ? 'row' : 'rows'}, which the CSV has
      </td>
    </tr>
  );

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: (sort: string) => void;
}

/** The most letters of a head. */
const mostOfTitle = 32;

const headClass =
  'sticky top-0 z-10 h-9 border-y border-line bg-card px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4 first:max-sm:left-0 first:max-sm:z-20 sm:px-4';

function HeadCell<Row>({
  column: { id, title, beside, value, rank, isNumber, isUnsorted },
  sort,
  onSort,
}: HeadCellProps<Row>) {
  const isSorted = sort?.replace(/^-/, '') === id;
  const isDown = isSorted && sort?.startsWith('-');
  const side = isNumber ? 'text-right' : 'text-left';
  if (!(value ?? rank) || isUnsorted) {
    return (
      <th scope="col" className={`${headClass} ${side}`} title={isUnsorted ? 'Rows have no order by it' : undefined}>
        {title || <span className="sr-only">Actions</span>}
      </th>
    );
  }
  // Numbers sort largest first by default.
  const next = isSorted ? (isDown ? id : `-${id}`) : isNumber ? `-${id}` : id;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : 'none'}
      className={`${headClass} ${side}`}
    >
      <button type="button" onClick={() => onSort(next)} className="rounded hover:text-ink">
        {/* A client may have chosen it. */}
        {title.length > mostOfTitle ? <span title={title}>{toShortName(title, mostOfTitle)}</span> : title}
        <span aria-hidden="true">{isSorted ? (isDown ? ' ↓' : ' ↑') : ''}</span>
      </button>
      {beside && <span className="ml-1">{beside}</span>}
    </th>
  );
}

interface WaitingRowsProps {
  readonly rows: number;
  readonly columns: number;
}

const WaitingRows = ({ rows, columns }: WaitingRowsProps) => (
  <>
    {Array.from({ length: rows }, (_, row) => row).map((row) => (
      <tr key={row} className="group">
        <td colSpan={columns} className="h-11 border-b border-line px-4 group-last:border-0">
          <Skeleton className="h-4 w-full" />
        </td>
      </tr>
    ))}
  </>
);

interface CsvButtonProps<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** All rows, or a function that fetches them on demand. */
  readonly rows:
    | readonly Row[]
    | ((options: { signal: AbortSignal; onProgress: (rows: number) => void }) => Promise<readonly Row[]>)
    | undefined;
  /** The order of the table, unless its rows are in order. */
  readonly sort?: string | undefined;
  /** What the file has that the table does not show. */
  readonly about?: string | undefined;
}

/** Saves all rows as a CSV file, in the order of the table and with the numbers of the API. */
export function CsvButton<Row>({ name, columns, rows, sort, about }: CsvButtonProps<Row>) {
  const [progress, setProgress] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const saving = useMutation({
    mutationFn: async () => {
      setProgress(0);
      const { signal } = leaving.current;
      const all = typeof rows === 'function' ? await rows({ signal, onProgress: setProgress }) : (rows ?? []);
      const exported = columns.filter(({ value, isHidden }) => value && !isHidden);
      const head = exported.map(({ title, unit }) => (unit === undefined ? title : `${title} (${unit})`));
      const cells = sortRows(all, toOrder(columns, sort)).map((row) =>
        exported.map(({ value }) => value?.(row) ?? null),
      );
      downloadCsv(`${name}.csv`, toCsv(head, cells));
    },
  });
  return (
    <>
      <Button
        title={about}
        disabled={!rows || (Array.isArray(rows) && rows.length === 0) || saving.isPending}
        onClick={() => saving.mutate()}
      >
        <Icon name="download" />
        {saving.isPending && progress > 0 ? `${toCount(progress)} rows…` : 'CSV'}
      </Button>
      {saving.error && <ErrorNote problem={saving.error} className="basis-full" />}
    </>
  );
}
