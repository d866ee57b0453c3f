import { type Money, parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { type RunSums, toRunSums } from '../asking/cell-cache.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import type { CostsRow } from './sql.ts';

/** The costs and feature runs of a row (section 2.2), exact. */
interface Costs extends Omit<RunSums, 'crossing'> {
  /** Gross, or net of free credits. */
  readonly cost: WideMoney;
}

export type CostsRecord = PlacedRecord & Costs;

/** Adds up the parts of a row. A run in several parts counts once, with the sum of its costs (D6.7). */
export function addUp(parts: readonly (Costs & RunSums)[]): Costs {
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
  joinRecords(plan, rows, (ofRow) =>
    addUp(ofRow.map((row) => ({ cost: parseWideMoney(row.cost), ...toRunSums(row) }))),
  );
