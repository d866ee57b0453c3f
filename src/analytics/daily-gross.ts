import type { Generations } from '../calls/generations.ts';
import type { DailyGross } from '../credits/burn-down.ts';
import type { Day } from '../lib/days.ts';
import { parseMoney } from '../lib/money.ts';
import { readCostTable, readingWhole } from './cells.ts';
import type { Period } from './periods.ts';
import type { SettledRows } from './settled-rows.ts';

interface DailyGrossRecord {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly gross: string;
}

/** What the whole project costs by day, provider and model: what credits are used for, before any filter (D7.2). */
export async function readDailyGross(
  settled: SettledRows,
  projectId: string,
  { period, generations }: { readonly period: Period; readonly generations: Generations },
): Promise<DailyGross[]> {
  const table = readCostTable({ projectId, period, generations }, { dimensions: ['provider', 'model'], filters: [] });
  const sql = `SELECT day, provider, model, sum(cost) AS gross
      FROM ${table.from}
      WHERE ${table.where.sql}
      GROUP BY day, provider, model
      HAVING gross > 0
      ${readingWhole}`;
  const records = await settled.select<DailyGrossRecord>({ sql, parameters: table.where.parameters }, [table]);
  return records.map(({ day, provider, model, gross }) => ({ day, provider, model, cost: parseMoney(gross) ?? 0n }));
}
