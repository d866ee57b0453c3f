import type { Day } from '../../../lib/days.ts';
import { parseWideMoney, type WideMoney } from '../../../lib/money.ts';
import { type CellSource, readCells, resolveGrain } from '../../../reports/asking/cells.ts';
import { type CostBasis, dimensionsOfBasis, netOf } from '../../../reports/asking/cost-basis.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import type { AsOf } from '../../../reports/facts/as-of.ts';
import type { CoveredCosts } from '../../../reports/facts/burn-down.ts';
import { type Clause, joinParameters } from '../../../storage/analytic/clause.ts';
import type { CellSums } from './attribute-cells.ts';
import { onDays } from './changed-days.ts';

/** A side of a drift, and the costs that credits cover on it. */
export interface DriftSide extends AsOf {
  readonly covered: CoveredCosts;
}

interface SumsRecord {
  readonly on_day: Day;
  readonly customer: string;
  readonly sum_calls: string;
  readonly gross: string;
  readonly net: string;
}

/** The sums by day and customer on these days; none without days. */
export async function readSums(
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
  side: DriftSide,
  days: readonly Day[],
): Promise<CellSums[]> {
  if (days.length === 0) return [];
  const { cells, basis } = readSide(side, days, { byCustomer: true });
  const statement: Clause = {
    sql: `SELECT toString(cells.day) AS on_day, customer, sum(calls) AS sum_calls, sum(cost) AS gross, sum(${basis.expression}) AS net
      FROM ${cells.from} ${basis.join} WHERE ${cells.where.sql} GROUP BY on_day, customer`,
    parameters: joinParameters(cells.where.parameters, basis.parameters),
  };
  const records = await answerCache.select<SumsRecord>(statement, [cells]);
  return records.map(({ on_day: day, customer, sum_calls, gross, net }) => {
    const cost = parseWideMoney(gross);
    return { day, customer, cost, calls: Number(sum_calls), covered: cost - parseWideMoney(net) };
  });
}

/** The cost of these days, and the part of it that credits cover. */
export async function readTotal(
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
  side: DriftSide,
  days: readonly Day[],
): Promise<{ readonly cost: WideMoney; readonly covered: WideMoney }> {
  if (days.length === 0) return { cost: 0n, covered: 0n };
  const { cells, basis } = readSide(side, days, { byCustomer: false });
  const statement: Clause = {
    sql: `SELECT sum(cost) AS gross, sum(${basis.expression}) AS net FROM ${cells.from} ${basis.join} WHERE ${cells.where.sql}`,
    parameters: joinParameters(cells.where.parameters, basis.parameters),
  };
  const [record] = await answerCache.select<Pick<SumsRecord, 'gross' | 'net'>>(statement, [cells]);
  const cost = parseWideMoney(record?.gross ?? '0');
  return { cost, covered: cost - parseWideMoney(record?.net ?? '0') };
}

function readSide(
  { facts, generations, covered }: DriftSide,
  days: readonly Day[],
  { byCustomer }: { readonly byCustomer: boolean },
): { cells: CellSource; basis: CostBasis } {
  const asked = new Set(days);
  const basis = netOf({ ...covered, shares: covered.shares.filter(({ day }) => asked.has(day)) });
  const dimensions = new Set([...(byCustomer ? (['customer'] as const) : []), ...dimensionsOfBasis(basis)]);
  const grain = resolveGrain(dimensions, { withRuns: false });
  if (!grain) throw new Error('There are no cells of customers and prices');
  const period = { dateFrom: days[0] ?? '', dateTo: days.at(-1) ?? '' };
  const scope = { projectId: facts.projectId, period, generations: onDays(generations, asked) };
  return { cells: readCells(scope, { grain, measures: ['calls', 'cost'], filters: [] }), basis };
}
