import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CostRow, MarginRow } from '../api/types.ts';
import { filtersOfCalls } from '../calls/tag-of-calls.ts';
import {
  calcMarginPct,
  toColumnDollars,
  toCount,
  toExactDollars,
  toMarginPct,
  toShare,
  toTitle,
} from '../lib/format.ts';
import { useCostsBy } from '../state/costs.ts';
import { filtersOf, type Group, nameGroup, valueOfGroup } from '../state/group.ts';
import { hasRevenue, useMarginByCustomer } from '../state/margins.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { isCostUnknown, useUnpriced } from '../state/unpriced.ts';
import { Card, CardHead, CardSkeleton, ErrorNote, RiskBadge } from '../ui/basics.tsx';
import { Compared } from '../ui/compared.tsx';
import { type DoorTo, MaybeDoor } from '../ui/door.tsx';
import { Name } from '../ui/name.tsx';
import { NoPrice } from '../ui/no-price.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';
import { addUp, rankRows, remarkOnLosses } from './shares.ts';

const mostNames = 8;
/** The column of words, which begin at the left; the others are numbers. */
const wordsHead = 'Status';

interface CustomersRankingProps {
  /** How many customers are listed. */
  readonly most: number;
  readonly isAsked?: boolean;
  readonly children?: ReactNode;
}

/** The dearest customers and the largest losses beside them, with what they pay, and all others together. */
export function CustomersRanking({ most, isAsked, children }: CustomersRankingProps) {
  const margins = useMarginByCustomer(isAsked);
  const unpriced = useUnpriced('customer', { isAsked });
  const isKnown = useQuestion().canJudge && hasRevenue(margins.data ?? []);
  const isUnpriced = (row: MarginRow) => isCostUnknown(row, row.customer ?? '', unpriced);
  const ranked =
    margins.data &&
    rankRows(margins.data, {
      amount: ({ cost }) => cost,
      most,
      loss: (row) => (row.customer === '' || isUnpriced(row) ? 0 : -row.margin),
    });
  const others = ranked && ranked.others.length > 0 ? sum(ranked.others) : undefined;
  // A phone has room for the cost and the margin beside the name.
  const columns: readonly Amount[] = useIsNarrow() ? ['cost', 'margin', 'revenue'] : ['revenue', 'cost', 'margin'];
  const toAmounts = writeAmounts(columns, [...(ranked?.listed ?? []), ...(others ? [others] : [])]);
  return (
    <Ranking
      title="Customers, by cost"
      actions={children}
      about={margins.data && isKnown ? remarkOnLosses(margins.data, isUnpriced) : undefined}
      heads={['Customer', ...columns.map((name) => amountHeads[name]), 'Margin %', wordsHead]}
      problem={margins.error}
      rows={
        ranked && [
          ...ranked.listed.map((row) => ({
            name: row.customer ?? '',
            link: row.customer ? { to: '/customers/$name', params: { name: row.customer } } : undefined,
            doors: toDoors(row, columns),
            cells: [
              ...toAmounts(row).map((amount, place) =>
                columns[place] !== 'revenue' && isUnpriced(row) && row.cost === 0 ? <NoPrice key="unpriced" /> : amount,
              ),
              <RiskBadge
                key="risk"
                row={row}
                isKnown={row.customer !== '' && unpriced !== undefined && isKnown}
                isUnpriced={isUnpriced(row)}
                isPending={unpriced === undefined}
              />,
            ],
          })),
          ...(others
            ? [
                {
                  name: `${toCount(ranked.others.length)} others`,
                  cells: [...toAmounts(others), ''],
                  doors: Array.from({ length: 4 }, (): DoorTo => ({ to: '/customers' })),
                },
              ]
            : []),
        ]
      }
    />
  );
}

const amountHeads = { revenue: 'Revenue', cost: 'AI cost', margin: 'Margin' } as const;
type Amount = keyof typeof amountHeads;
type Earned = Pick<MarginRow, Amount | 'margin_pct'>;

function sum(rows: readonly MarginRow[]): Earned {
  const [revenue, margin] = [addUp(rows, (row) => row.revenue), addUp(rows, (row) => row.margin)];
  return { revenue, cost: addUp(rows, ({ cost }) => cost), margin, margin_pct: calcMarginPct(revenue, margin) };
}

/** Writes the amounts of rows that stand below each other. */
function writeAmounts(columns: readonly Amount[], rows: readonly Earned[]) {
  const written = columns.map((name) => {
    const dollars = toColumnDollars(
      rows.map((row) => row[name]),
      false,
      true,
    );
    return ({ [name]: amount }: Earned) => (
      <span title={toExactDollars(amount)} className={amount < 0 ? 'text-bad' : undefined}>
        {dollars(amount)}
      </span>
    );
  });
  return (row: Earned): ReactNode[] => [...written.map((show) => show(row)), toMarginPct(row)];
}

/** Where they lead: to the customer's page, and to its calls. */
function toDoors({ customer = '' }: MarginRow, columns: readonly Amount[]): (DoorTo | undefined)[] {
  const cost: DoorTo = { to: '/calls', search: { customers: [customer], order: 'dearest' } };
  const margin: DoorTo | undefined =
    customer === '' ? undefined : { to: '/customers/$name', params: { name: customer } };
  const doors = { cost, margin, revenue: margin && { ...margin, hash: 'revenue-entries' } };
  return [...columns.map((name) => doors[name]), margin];
}

/** The dearest values of a group, beside what they cost in the days before. */
export function CostRanking({ group, title }: { readonly group: Group; readonly title: string }) {
  const question = useQuestion();
  const { days, comparison } = question;
  const now = useCostsBy(question, group, days);
  const compared = useCostsBy(question, group, comparison?.days);
  const then = useCostsBy(question, group, comparison?.before);
  const nameOf = (row: CostRow) => valueOfGroup(row, group);
  const toDoor = (to: string, search: Partial<Search> | undefined) => search && { to, search };
  const toCosts = (rows: readonly CostRow[] = []) => new Map(rows.map((row) => [nameOf(row), row.cost]));
  const [costsNow, costsThen] = [toCosts(compared.data), toCosts(then.data)];
  const ranked =
    now.data &&
    (!comparison || (compared.data && then.data)) &&
    rankRows(now.data, { amount: ({ cost }) => cost, most: mostNames });
  const total = addUp(now.data ?? [], ({ cost }) => cost);
  const sumOf = (costs: ReadonlyMap<string, number>, rows: readonly CostRow[]) =>
    addUp(rows, (row) => costs.get(nameOf(row)) ?? 0);
  const dollars = toColumnDollars(ranked?.listed.map(({ cost }) => cost) ?? []);
  const heads = [toTitle(nameGroup(group)), 'Cost', 'Share', ...(comparison ? ['Before'] : [])];
  const unpriced = useUnpriced(group);
  const isUnpriced = (row: CostRow) =>
    unpriced?.has(nameOf(row)) === true && row.cost === 0 && !costsThen.get(nameOf(row));
  const toCells = (rows: readonly CostRow[]) => {
    const cost = addUp(rows, (row) => row.cost);
    if (rows.every(isUnpriced)) return heads.slice(1).map((head) => <NoPrice key={head} />);
    return [
      dollars(cost),
      total === 0 ? '–' : toShare(cost / total, 1),
      ...(comparison
        ? [
            <Compared
              key="before"
              now={sumOf(costsNow, rows)}
              before={sumOf(costsThen, rows)}
              format={dollars}
              isGoodUp={false}
            />,
          ]
        : []),
    ];
  };
  return (
    <Ranking
      title={title}
      heads={heads}
      problem={now.error ?? compared.error ?? then.error}
      rows={
        ranked && [
          ...ranked.listed.map(
            (row): RankedRow => ({
              name: nameOf(row),
              link: toDoor(group === 'feature' ? '/models' : '/features', filtersOf(group, nameOf(row))),
              doors: [undefined, undefined, comparison?.before].map((days) =>
                toDoor('/calls', {
                  ...filtersOfCalls(group, nameOf(row)),
                  order: 'dearest',
                  ...(days && { range: undefined, ...days }),
                }),
              ),
              cells: toCells([row]),
            }),
          ),
          ...(ranked.others.length === 0
            ? []
            : [
                {
                  name: `${toCount(ranked.others.length)} others`,
                  cells: toCells(ranked.others),
                  doors: ['model', 'feature'].includes(group) ? [0, 1, 2].map(() => ({ to: `/${group}s` })) : [],
                },
              ]),
        ]
      }
    />
  );
}

interface RankedRow {
  readonly name: string;
  /** The page that says more. */
  readonly link?:
    | { readonly to: string; readonly params?: Readonly<Record<string, string>>; readonly search?: Partial<Search> }
    | undefined;
  readonly cells: readonly ReactNode[];
  /** Where the cells lead, by their places. */
  readonly doors?: readonly (DoorTo | undefined)[];
}

interface RankingProps {
  readonly title: string;
  /** What a reader should see in it. */
  readonly about?: string | undefined;
  readonly actions?: ReactNode;
  readonly heads: readonly string[];
  readonly problem: unknown;
  /** Undefined while they are loading. */
  readonly rows: readonly RankedRow[] | undefined;
}

const Ranking = ({ title, about, actions, heads, problem, rows }: RankingProps) => (
  <Card aria-label={title} className="break-inside-avoid">
    <CardHead title={title} about={about}>
      {actions}
    </CardHead>
    {problem ? (
      <ErrorNote problem={problem} className="m-4 mt-0" />
    ) : !rows ? (
      <CardSkeleton className="h-40" />
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      <section tabIndex={0} aria-label={`${title}, table`} className="overflow-x-auto">
        <table className="w-full text-left text-[13px]">
          <thead>
            <tr className="text-xs text-mute">
              {heads.map((head, index) => (
                <th
                  key={head}
                  className={`px-3 py-1.5 font-medium first:pl-4 last:pr-4 ${index > 0 && head !== wordsHead ? 'text-right' : ''}`}
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.length === 0 && (
              <tr className="border-t border-line">
                <td colSpan={heads.length} className="px-4 py-1.5 text-mute">
                  No calls on these days.
                </td>
              </tr>
            )}
            {rows.map(({ name, link, cells, doors = [] }) => (
              <tr key={name} className="border-t border-line">
                <td className="max-w-52 truncate px-3 max-sm:max-w-36 py-1.5 pl-4 font-medium">
                  {link ? (
                    <Link
                      to={link.to}
                      params={link.params ?? {}}
                      search={(search: Search) => ({ ...search, by: undefined, ...link.search })}
                      className="hover:underline"
                    >
                      <Name name={name} />
                    </Link>
                  ) : (
                    <Name name={name} />
                  )}
                </td>
                {cells.map((cell, index) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                    key={index}
                    className={`px-3 py-1.5 whitespace-nowrap last:pr-4 ${heads[index + 1] === wordsHead ? '' : 'text-right'}`}
                  >
                    <MaybeDoor door={doors[index]}>{cell}</MaybeDoor>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
  </Card>
);
