import { type Generations, isFrozen } from '../../../calls/generations.ts';
import { callsOf } from '../../../calls/in-force.ts';
import { addDays, dayMs, listDayStarts, type Period, toDayNumber } from '../../../lib/days.ts';
import { parseMoney } from '../../../lib/money.ts';
import type { UnitName } from '../../../lib/units.ts';
import { readCells, resolveRowsOfCalls } from '../../../reports/asking/cells.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import { reconciledMeasures, selectUnpriced, selectUsage, type UnpricedRow, type UsageRow } from './sql.ts';
import { addUsage, type LineUsage, sumTokens, type UsageRecord } from './usage.ts';

type Sources = Pick<AnswerSources, 'store' | 'answerCache'>;

/** A call may be on another day at the provider, and on the invoice yet another day later. */
const daysAround = 2;

/**
 * Reads the usage and cost of calls by day, day at the provider, provider and model, in a range and the days around it.
 * Calls of frozen days count as on the same day at the provider, because their times are deleted.
 */
export async function readUsage(
  projectId: string,
  range: Period,
  generations: Generations,
  sources: Sources,
): Promise<UsageRecord[]> {
  const period = { dateFrom: addDays(range.dateFrom, -daysAround), dateTo: addDays(range.dateTo, daysAround) };
  const scope = { projectId, period, generations };
  const stored = readCells(scope, { grain: 'price', measures: reconciledMeasures, filters: [] });
  const kept = keptDays(period, generations);
  const calls = kept && callsOf(projectId, kept, generations, 'kept_');
  const moved = hasOtherDays(generations.timezone, period) ? calls : undefined;
  const cells = moved ? { ...stored, rows: resolveRowsOfCalls(scope) } : stored;
  const rows = await sources.answerCache.select<UsageRow>(selectUsage(cells, moved), [cells]);
  const isMixed = rows.some((row) => BigInt(row.sum_unpriced) > 0n && row.sum_unpriced !== row.sum_calls);
  const unpriced = isMixed && calls ? selectUnpriced(calls) : undefined;
  const tokens = unpriced ? await sources.store.select<UnpricedRow>(unpriced.sql, unpriced.parameters) : [];
  return toRecords(rows, tokens);
}

function keptDays({ dateFrom, dateTo }: Period, generations: Generations): Period | undefined {
  const first =
    generations.frozenBefore !== undefined && isFrozen(generations, dateFrom) ? generations.frozenBefore : dateFrom;
  return first > dateTo ? undefined : { dateFrom: first, dateTo };
}

/** Whether the days of a timezone begin at another time than the providers' days, which are in UTC. */
const hasOtherDays = (timezone: string, { dateFrom, dateTo }: Period): boolean =>
  listDayStarts(timezone, dateFrom, dateTo).some(({ timeMs, day }) => timeMs !== toDayNumber(day) * dayMs);

const keyOf = (row: Pick<UsageRow, 'used_day' | 'used_provider' | 'used_model'>): string =>
  JSON.stringify([row.used_day, row.used_provider, row.used_model]);

function toRecords(rows: readonly UsageRow[], unpriced: readonly UnpricedRow[]): UsageRecord[] {
  const tokens = new Map(unpriced.map((row) => [keyOf(row), BigInt(row.unpriced_tokens)]));
  const moved = Map.groupBy(
    rows.filter(({ is_moved: isMoved }) => isMoved === 1),
    keyOf,
  );
  return rows.flatMap((row) => {
    if (row.is_moved === 1) return [];
    const all = toUsage(row, tokens.get(keyOf(row)));
    const others = (moved.get(keyOf(row)) ?? []).map((part) => ({
      part,
      usage: shareOfUnpriced(toUsage(part, undefined), all),
    }));
    const left = others.reduce((sum, { usage }) => addUsage(sum, usage, -1n), all);
    const place = { day: row.used_day, provider: row.used_provider, model: row.used_model };
    return [
      { ...left, ...place, providerDay: row.used_day },
      ...others.map(({ part, usage }) => ({ ...usage, ...place, providerDay: part.provider_day })),
    ];
  });
}

/** Unpriced tokens are known only for the whole day: a part has them in proportion to its unpriced calls. */
const shareOfUnpriced = (part: LineUsage, all: LineUsage): LineUsage => ({
  ...part,
  unpricedTokens: all.unpriced === 0n ? 0n : (all.unpricedTokens * part.unpriced) / all.unpriced,
});

function toUsage(row: UsageRow, unpricedTokens: bigint | undefined): LineUsage {
  const calls = BigInt(row.sum_calls);
  const unpriced = BigInt(row.sum_unpriced);
  const tokens = row.tokens.map(BigInt);
  const all = sumTokens({ tokens });
  // Frozen days have only the number of unpriced calls, so their tokens are estimated.
  const estimate = calls === 0n ? 0n : (all * unpriced) / calls;
  return {
    calls,
    unpriced,
    unpricedTokens: unpriced === calls ? all : unpriced === 0n ? 0n : (unpricedTokens ?? estimate),
    cost: parseMoney(row.sum_cost) ?? 0n,
    tokens,
    // Events can only name these units.
    units: new Map(Object.entries(row.sum_units).map(([name, count]) => [name as UnitName, parseMoney(count) ?? 0n])),
  };
}
