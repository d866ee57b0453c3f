import type { Generations } from '../calls/generations.ts';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { DailyGross } from '../credits/burn-down.ts';
import type { Day } from '../lib/days.ts';
import { parseMoney } from '../lib/money.ts';
import { readCostTable, readingWhole } from './cells.ts';
import type { Period } from './periods.ts';

interface DailyGrossRecord {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly gross: string;
}

/** What the whole project costs by day, provider and model: what credits are used for, before any filter (D7.2). */
export async function readDailyGross(
  store: AnalyticStore,
  projectId: string,
  { period, generations }: { readonly period: Period; readonly generations: Generations },
): Promise<DailyGross[]> {
  const table = readCostTable({ projectId, period, generations }, { dimensions: ['provider', 'model'], filters: [] });
  const records = await store.select<DailyGrossRecord>(
    `SELECT day, provider, model, sum(cost) AS gross
      FROM ${table.from}
      WHERE ${table.where.sql}
      GROUP BY day, provider, model
      HAVING gross > 0
      ${readingWhole}`,
    table.where.parameters,
  );
  return records.map(({ day, provider, model, gross }) => ({ day, provider, model, cost: parseMoney(gross) ?? 0n }));
}
