import { type Money, parseWideMoney, readMoney, type WideMoney } from '../../lib/money.ts';
import type { CrossingCost } from '../asking/cell-cache.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import type { CostsRow } from './sql.ts';

/** The costs and feature runs of a row (section 2.2), exact. */
interface Costs {
  /** Gross, or net of free credits. */
  readonly cost: WideMoney;
  /** The gross cost of all feature runs. */
  readonly runCost: Money;
  readonly runs: number;
  readonly maxRunCost: Money;
}

export type CostsRecord = PlacedRecord & Costs;

/** The same of some cells of a row. */
interface CostsPart extends Costs {
  /** The runs that other parts of the row may have too. */
  readonly crossing: readonly CrossingCost[];
}

/** Adds up the parts of a row. A run in several parts counts once, with the sum of its costs (D6.7). */
export function addUp(parts: readonly CostsPart[]): Costs {
  let [cost, runCost, runs, maxRunCost] = [0n, 0n, 0, 0n];
  const crossing = new Map<string, Money>();
  for (const part of parts) {
    cost += part.cost;
    runCost += part.runCost;
    runs += part.runs;
    if (part.maxRunCost > maxRunCost) maxRunCost = part.maxRunCost;
    for (const { run, cost: ofRun } of part.crossing) {
      const before = crossing.get(run);
      if (before !== undefined) runs -= 1;
      crossing.set(run, (before ?? 0n) + ofRun);
    }
  }
  for (const ofRun of crossing.values()) if (ofRun > maxRunCost) maxRunCost = ofRun;
  return { cost, runCost, runs, maxRunCost };
}

/** Joins rows of statements that read other days of the same page. */
export const joinRows = (plan: PagePlan, rows: readonly CostsRow[]): CostsRecord[] =>
  joinRecords(plan, rows, (ofRow) => addUp(ofRow.map(toPart)));

const toPart = (row: CostsRow): CostsPart => ({
  cost: parseWideMoney(row.cost),
  runCost: readMoney(row.run_cost),
  runs: Number(row.runs),
  maxRunCost: readMoney(row.max_run_cost),
  crossing: (row.crossing_runs ?? []).map((run, index) => ({ run, cost: readMoney(row.crossing_costs?.[index]) })),
});
