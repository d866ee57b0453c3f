import { z } from 'zod';
import type { Generations } from '../../calls/generations.ts';
import type { Period } from '../../lib/days.ts';
import { rowDays, sharedCostField } from '../../lib/http/row-fields.ts';
import { divideToNumber, formatMoney, readMoney, toJsonNumber } from '../../lib/money.ts';
import { nanosecondsPerMillisecond } from '../../rollups/rollups/cells.ts';
import type { AnswerCache } from '../asking/answer-cache.ts';
import { onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import {
  type CellScope,
  type CellSource,
  isNarrow,
  isReadAtOnce,
  readCells,
  resolveGrain,
  resolveRowsOfCalls,
  splitScopeOf,
} from '../asking/cells.ts';
import { limitValues } from '../asking/first-values.ts';
import { callGroupFields, tagOfCalls, valueOfCells, valueOfGroup } from '../asking/group.ts';
import { joinRecords, type Page, type PagePlan, readRecords, toPeriodPage } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { tokensSchema, toTokens, toUnits, type UnitCounts, unitsSchema } from '../asking/usage-fields.ts';
import { all } from '../asking/where.ts';
import { type CostsQuestion, countMost, listDimensions, needsCalls } from '../costs/parse.ts';
import { readGenerationsOf } from '../costs/run.ts';
import { readWithShares } from '../costs/shares.ts';
import type { AsOf } from '../facts/as-of.ts';
import { countable, selectUsage, type UsageRecord, usageMeasures } from './sql.ts';

const count = z.number().int();

export const usageRow = z.object({
  ...rowDays,
  ...callGroupFields,
  calls: count,
  errors: count.describe('Calls that failed.'),
  unpriced_calls: count.describe('Calls that cost 0 because they have no price or report no usage.'),
  partly_priced_calls: count.describe('Calls with a unit or term without a known price.'),
  tokens: tokensSchema.describe('Tokens by bucket; each token is in exactly one.'),
  units: unitsSchema,
  elapsed_ms_sum: z.number().describe('Total milliseconds of the calls that report their duration.'),
  elapsed_ms_max: z.number().describe('The longest duration in milliseconds; 0 when no call reports one.'),
  shared_cost: sharedCostField,
});

export async function runUsage(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
): Promise<Page<z.input<typeof usageRow>>> {
  const { groupBy, isGrouped } = question;
  const ofTag = await readGenerationsOf(asOf, question, plan, { answerCache });
  const source = await planCells(asOf, question, plan.range, ofTag);
  const isOfTag = source.of === 'cells' && tagOfCalls(groupBy) !== undefined;
  const value = isOfTag ? valueOfCells : await valueOfGroup(asOf.facts, groupBy);
  const how = { isAtOnce: source.isReadAtOnce || !isGrouped, most: countMost(question) };
  const records = await readRecords(plan, how, async (part, days) => {
    const limited = await source.limit(part, days, answerCache);
    const rows = source.read(days).map(async ({ of, totals }) => {
      const unused = totals ? await readUnused(totals, answerCache) : new Set<string>();
      const statement = selectUsage({ source: of, of: source.of, plan: limited, value, unused });
      return await answerCache.select<UsageRecord>(statement, [of]);
    });
    return joinRecords(part, (await Promise.all(rows)).flat(), addUp);
  });
  if (!question.includeShared) return toPeriodPage(plan, question, records, toUsage);
  const shared = await readWithShares(asOf, question, plan, records, { answerCache });
  return toPeriodPage(plan, question, shared, (row) => ({
    ...toUsage(row?.record),
    shared_cost: toJsonNumber(row?.shares?.shared ?? 0n),
  }));
}

interface CellsPlan {
  readonly of: 'cells' | 'calls';
  readonly isReadAtOnce: boolean;
  /** The plan of a page with no value after its own, where that is known. */
  readonly limit: (plan: PagePlan, period: Period, answerCache: AnswerCache) => Promise<PagePlan>;
  /** Those of a period, as sources to read by a statement each; with the cells of the whole project where they are fewer. */
  readonly read: (period: Period) => readonly { readonly of: CellSource; readonly totals?: CellSource }[];
}

/** The measures that are 0 in all cells, since they are in the totals of their days. */
async function readUnused(totals: CellSource, answerCache: AnswerCache): Promise<ReadonlySet<string>> {
  const sizes = countable.map((name) => `sum(${name === 'units' ? 'length(units)' : name}) > 0 AS has_${name}`);
  const sql = `SELECT ${sizes.join(', ')} FROM ${totals.from} WHERE ${totals.where.sql}`;
  const [row] = await answerCache.select<Record<string, number>>({ sql, parameters: totals.where.parameters }, [
    totals,
  ]);
  return new Set(countable.filter((name) => row?.[`has_${name}`] === 0));
}

/** Reads the cells of a grain that fits the question, or else the selected calls. */
async function planCells(
  { project, generations, facts }: AsOf,
  question: CostsQuestion,
  range: Period,
  ofTag: Generations | undefined,
): Promise<CellsPlan> {
  const { filters, groupBy } = question;
  const scope = { projectId: project.id, period: range, generations: ofTag ?? generations };
  const grain = needsCalls(question, ofTag !== undefined)
    ? undefined
    : resolveGrain(listDimensions(question), { withRuns: false });
  if (grain) {
    const wanted = { grain, filters: await readCellFilters(facts, filters), tag: tagOfCalls(groupBy) };
    const totalsOf = (part: CellScope) => {
      const totals = readCells(part, { grain: 'total', measures: countable, filters: [] });
      return isNarrow(grain) || totals.rows !== 'settled' ? {} : { totals };
    };
    return {
      of: 'cells',
      isReadAtOnce: isReadAtOnce(grain, scope),
      limit: async (plan, period, answerCache) =>
        wanted.tag
          ? await limitValues({ plan, scope: { ...scope, period }, cells: wanted, value: valueOfCells }, answerCache)
          : plan,
      read: (period) =>
        splitScopeOf(grain, { ...scope, period }).map((part) => ({
          of: readCells(part, { ...wanted, measures: usageMeasures }),
          ...totalsOf(part),
        })),
    };
  }
  const calls = await whereCalls(facts, { range, generations, filters });
  return {
    of: 'calls',
    isReadAtOnce: false,
    limit: async (plan) => plan,
    read: (period) => [
      {
        of: {
          from: 'calls FINAL',
          where: all([calls, onPageDays([period])]),
          rows: resolveRowsOfCalls({ ...scope, period }),
        },
      },
    ],
  };
}

const toUsage = (record: UsageRecord | undefined) => ({
  calls: Number(record?.sum_calls ?? 0),
  errors: Number(record?.sum_errors ?? 0),
  unpriced_calls: Number(record?.sum_unpriced_calls ?? 0),
  partly_priced_calls: Number(record?.sum_partly_priced_calls ?? 0),
  tokens: toTokens(record?.tokens ?? []),
  units: toUnits(record?.sum_units),
  elapsed_ms_sum: divideToNumber(BigInt(record?.sum_elapsed_sum ?? 0), BigInt(nanosecondsPerMillisecond)),
  elapsed_ms_max: record?.sum_elapsed_max ?? 0,
});

/** Adds up the parts of a row that several statements have read. */
function addUp(parts: readonly [UsageRecord, ...UsageRecord[]]): UsageRecord {
  const [first] = parts;
  if (parts.length === 1) return first;
  const sum = (countOf: (part: UsageRecord) => string | undefined) =>
    String(parts.reduce((total, part) => total + BigInt(countOf(part) ?? 0), 0n));
  return {
    ...first,
    sum_calls: sum((part) => part.sum_calls),
    sum_errors: sum((part) => part.sum_errors),
    sum_unpriced_calls: sum((part) => part.sum_unpriced_calls),
    sum_partly_priced_calls: sum((part) => part.sum_partly_priced_calls),
    tokens: first.tokens.map((_count, at) => sum(({ tokens }) => tokens[at])),
    sum_units: addUpUnits(parts.map(({ sum_units: units }) => units)),
    sum_elapsed_sum: sum((part) => part.sum_elapsed_sum),
    sum_elapsed_max: Math.max(...parts.map(({ sum_elapsed_max: longest }) => longest)),
  };
}

const addUpUnits = (parts: readonly UnitCounts[]): UnitCounts =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(
        parts.flatMap((units) => Object.entries(units)),
        ([name]) => name,
      ),
      ([name, counts]) => [name, formatMoney(counts.reduce((total, [, count]) => total + readMoney(count), 0n))],
    ),
  );
