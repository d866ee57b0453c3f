import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import { useAllRows } from '../api/queries.ts';
import type { CostRow, Dimension, MarginRow } from '../api/types.ts';
import { toCount, toDollars, toName, toPercent, toShare, toTitle } from '../lib/format.ts';
import { useCostsBy } from '../state/costs.ts';
import { useMarginBody } from '../state/margins.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Card, CardHead, ErrorNote, RiskBadge, Skeleton } from '../ui/basics.tsx';
import { Compared } from '../ui/compared.tsx';
import { addUp, rankRows, remarkOnLosses } from './shares.ts';

const mostCustomers = 15;
const mostNames = 8;

/** The dearest customers with what they pay, and all others together. */
export function CustomersRanking() {
  const body = { ...useMarginBody(), aggregate: 'all', group_by: 'customer' };
  const margins = useAllRows<MarginRow>('/api/margin/', body);
  const ranked = margins.data && rankRows(margins.data, ({ cost }) => cost, mostCustomers);
  return (
    <Ranking
      title="Customers, by cost"
      about={margins.data && remarkOnLosses(margins.data)}
      heads={['Customer', 'Revenue', 'AI cost', 'Margin', 'Margin %', 'Status']}
      problem={margins.error}
      rows={
        ranked && [
          ...ranked.listed.map((row) => ({
            name: toName(row.customer ?? ''),
            link: row.customer ? { to: '/customers/$name', params: { name: row.customer } } : undefined,
            cells: [...toAmounts(row), <RiskBadge key="risk" status={row.risk_status} />],
          })),
          ...(ranked.others.length === 0
            ? []
            : [{ name: `${toCount(ranked.others.length)} others`, cells: [...toAmounts(sum(ranked.others)), ''] }]),
        ]
      }
    />
  );
}

type Earned = Pick<MarginRow, 'revenue' | 'cost' | 'margin'>;

const sum = (rows: readonly MarginRow[]): Earned => ({
  revenue: addUp(rows, ({ revenue }) => revenue),
  cost: addUp(rows, ({ cost }) => cost),
  margin: addUp(rows, ({ margin }) => margin),
});

const toAmounts = ({ revenue, cost, margin }: Earned): string[] => [
  ...[revenue, cost, margin].map(toDollars),
  revenue === 0 ? '–' : toPercent((100 * margin) / revenue),
];

/** The dearest values of a dimension, beside what they cost in the days before. */
export function CostRanking({ dimension, title }: { readonly dimension: Dimension; readonly title: string }) {
  const question = useQuestion();
  const { days, before } = question;
  const now = useCostsBy(question, dimension, days);
  const then = useCostsBy(question, dimension, before);
  const nameOf = (row: CostRow) => row[dimension] ?? '';
  const costsThen = new Map(then.data?.map((row) => [nameOf(row), row.cost]));
  const ranked = now.data && (!before || then.data) && rankRows(now.data, ({ cost }) => cost, mostNames);
  const total = addUp(now.data ?? [], ({ cost }) => cost);
  const toCells = (cost: number, costThen: number) => [
    toDollars(cost),
    total === 0 ? '–' : toShare(cost / total),
    ...(before ? [<Compared key="before" now={cost} before={costThen} isGoodUp={false} />] : []),
  ];
  const costThenOf = (rows: readonly CostRow[]) => addUp(rows, (row) => costsThen.get(nameOf(row)) ?? 0);
  return (
    <Ranking
      title={title}
      heads={[toTitle(dimension), 'Cost', 'Share', ...(before ? ['Before'] : [])]}
      problem={now.error ?? then.error}
      rows={
        ranked && [
          ...ranked.listed.map((row) => ({
            name: toName(nameOf(row)),
            link: {
              to: dimension === 'feature' ? '/models' : '/features',
              search: { [dimensions[dimension].plural]: [nameOf(row)] },
            },
            cells: toCells(row.cost, costThenOf([row])),
          })),
          ...(ranked.others.length === 0
            ? []
            : [
                {
                  name: `${toCount(ranked.others.length)} others`,
                  cells: toCells(
                    addUp(ranked.others, ({ cost }) => cost),
                    costThenOf(ranked.others),
                  ),
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
}

interface RankingProps {
  readonly title: string;
  /** What a reader should see in it. */
  readonly about?: string | undefined;
  readonly heads: readonly string[];
  readonly problem: unknown;
  /** Undefined while they are loading. */
  readonly rows: readonly RankedRow[] | undefined;
}

const Ranking = ({ title, about, heads, problem, rows }: RankingProps) => (
  <Card aria-label={title} className="break-inside-avoid">
    <CardHead title={title} about={about} />
    {problem ? (
      <ErrorNote problem={problem} className="m-4 mt-0" />
    ) : !rows ? (
      <div className="border-t border-line p-4">
        <Skeleton className="h-40" />
      </div>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      <section tabIndex={0} aria-label={title} className="overflow-x-auto">
        <table className="w-full text-left text-[13px]">
          <thead>
            <tr className="text-xs text-mute">
              {heads.map((head, index) => (
                <th
                  key={head}
                  className={`px-3 py-1.5 font-medium first:pl-4 last:pr-4 ${index > 0 ? 'text-right' : ''}`}
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, link, cells }) => (
              <tr key={name} className="border-t border-line">
                <td className="max-w-52 truncate px-3 py-1.5 pl-4 font-medium">
                  {link ? (
                    <Link
                      to={link.to}
                      params={link.params ?? {}}
                      search={(search: Search) => ({ ...search, by: undefined, ...link.search })}
                      className="hover:underline"
                    >
                      {name}
                    </Link>
                  ) : (
                    name
                  )}
                </td>
                {cells.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                  <td key={index} className="px-3 py-1.5 text-right whitespace-nowrap last:pr-4">
                    {cell}
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
