import type { Generations } from '../../calls/generations.ts';
import type { Day, Period } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { parseMoney } from '../../lib/money.ts';
import type { DailyGross } from '../facts/burn-down.ts';
import type { AnswerCache } from './answer-cache.ts';
import { readCostTable, readingWhole } from './cells.ts';

interface DailyGrossRecord {
  readonly day: Day;
  readonly provider: string;
  readonly model: string;
  readonly gross: string;
}

/** Reads the project's whole gross cost by day, provider and model. Credits are used for this cost (D7.2). */
export async function readDailyGross(
  answerCache: AnswerCache,
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
  const records = await answerCache.select<DailyGrossRecord>({ sql, parameters: table.where.parameters }, [table]);
  const costs: DailyGross[] = [];
  await inTurns(records, ({ day, provider, model, gross }) => {
    costs.push({ day, provider, model, cost: parseMoney(gross) ?? 0n });
  });
  return costs;
}
