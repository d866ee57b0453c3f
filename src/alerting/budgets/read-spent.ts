import { hash } from 'node:crypto';
import { inTurns } from '../../lib/in-turns.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import { AnswerTooLarge, Problem } from '../../lib/problem.ts';
import type { CellSource } from '../../reports/asking/cells.ts';
import { type CostBasis, netOf, readCoveredCosts } from '../../reports/asking/cost-basis.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import type { CoveredCosts } from '../../reports/facts/burn-down.ts';
import { currentFacts } from '../../reports/facts/facts.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type ChangingSums, readChangingSums, renewChangingSums } from './changing-sums.ts';
import { isWithin, listReads, type Read, type ReadsWanted } from './list-reads.ts';
import { type BudgetGroup, spanOf } from './plan.ts';
import type { SlotSum, SlotSums, Spending, Sums } from './spending.ts';
import { leastSlots, type SumsRecord, type SumsSelection, selectSlotSums, selectSums } from './sums-sql.ts';

export type SpentSources = Pick<AnswerSources, 'store' | 'answerCache' | 'control'>;

/** Sums that were read before, by the statement that reads them. */
export interface KnownSums {
  /** Of sealed days: they never change. */
  readonly sealed: Map<string, readonly Sums[]>;
  /** Of sealed days, by slot. */
  readonly slots: Map<string, readonly SlotSums[]>;
  /** Of open days, by value. */
  readonly changing: Map<string, ChangingSums>;
}

export const noKnownSums = (): KnownSums => ({ sealed: new Map(), slots: new Map(), changing: new Map() });

export interface SpentWanted extends ReadsWanted {
  /** Sums from the last read. The result has the sums that this read needed; sums of open days are updated in place. */
  readonly known?: KnownSums;
  /** From this many values on, only values with new calls are read again; default: `manyValues`. */
  readonly manyValues?: number | undefined;
}

/** With fewer values, all are read again: that scans calls once, reading only the changed ones three times. */
const manyValues = 5_000;

export interface SpentRead {
  /** In the order in which the budgets were planned. */
  readonly spendings: readonly Spending[];
  readonly known: KnownSums;
}

/**
 * Reads what was spent on budgets, from the rows that `POST /api/costs/` answers from: cells of sealed days, and calls
 * of open days. Both use the same generations, so all sums describe one state.
 * @throws Problem as the store's `select` does
 */
export async function readSpent(sources: SpentSources, wanted: SpentWanted): Promise<SpentRead> {
  const { planned } = wanted;
  const needed = noKnownSums();
  const covered = await readCovered(sources, wanted);
  const read = new Map(planned.map(({ budget }) => [budget, noParts()]));
  await Promise.all(
    listReads(wanted).map(async (one) => {
      const found = await readGroup(sources, { ...wanted, ...one, covered, needed }).catch(tooManyIfTooLarge);
      one.group.planned.forEach(({ budget }, index) => {
        const of = read.get(budget);
        if (!of) return;
        if ('failure' in found) of.failure = found.failure;
        else if ('slots' in found) of.leaving.push(...found.slots.slice(index, index + 1));
        else of.parts.push(found.sums[index] ?? new Map());
      });
    }),
  );
  return {
    spendings: planned.map(({ budget, span }) => {
      const { failure, parts, leaving } = read.get(budget) ?? noParts();
      return { budget, span, failure, parts: failure ? [] : parts, leaving: failure ? [] : leaving };
    }),
    known: needed,
  };
}

const noParts = () => ({ parts: [] as Sums[], leaving: [] as SlotSums[], failure: undefined as Spending['failure'] });

/** As `readSpent`, for one budget. @throws Problem when reading it was refused */
export async function readSpentOnOne(sources: SpentSources, wanted: SpentWanted): Promise<Spending> {
  const [spending] = (await readSpent(sources, wanted)).spendings;
  if (!spending) throw new Error('One budget was planned');
  if (spending.failure instanceof Error) throw spending.failure;
  return spending;
}

/** The shares of costs that credits cover, once for all budgets that need them. */
async function readCovered(
  sources: SpentSources,
  { projectId, planned, generations }: SpentWanted,
): Promise<CoveredCosts> {
  const period = spanOf(planned.filter(({ budget }) => budget.applyCredits).map(({ span }) => span));
  if (!period) return { models: [], shares: [] };
  return await readCoveredCosts(sources, { generations, facts: currentFacts(sources.control, projectId), period });
}

interface GroupWanted extends SpentWanted, Read {
  readonly covered: CoveredCosts;
  /** Collects the sums that the next read can reuse. */
  readonly needed: KnownSums;
}

/** Values of long names can be too many before they are as many as are held. */
const tooManyIfTooLarge = (error: unknown): GroupRead => {
  if (error instanceof AnswerTooLarge) return { failure: 'too_many' };
  throw error;
};

type GroupRead =
  | { readonly sums: readonly Sums[] }
  | { readonly slots: readonly SlotSums[] }
  | Required<Pick<Spending, 'failure'>>;

/** Reads the sums of a group, unless they are of sealed days and known. */
async function readGroup({ store }: SpentSources, wanted: GroupWanted): Promise<GroupRead> {
  const { group, rows, known, needed } = wanted;
  let table: CellSource;
  try {
    table = wanted.table();
  } catch (error) {
    // One budget that needs deleted calls must not hide the others.
    if (error instanceof Problem && error.code === 'beyond_retention') return { failure: error };
    throw error;
  }
  const selection = { group, table, basis: basisOf(wanted), rows };
  if (wanted.slotMs !== undefined) return await readSlots(store, wanted, selection, wanted.slotMs);
  if (wanted.isOfOpen && group.each) return await readValues(store, wanted, { ...selection, withVersion: true });
  const statement = selectSums(selection);
  const key = table.rows === 'settled' ? identify(statement) : undefined;
  const before = key && known?.sealed.get(key);
  if (key && before) {
    needed.sealed.set(key, before);
    return { sums: before };
  }
  const { sql, parameters } = statement;
  const records = table.rows === 'none' ? [] : await store.select<SumsRecord>(sql, parameters);
  if (group.each && records.length > rows.most) return { failure: 'too_many' };
  const sums = await toSums(group, records);
  if (key) needed.sealed.set(key, sums);
  return { sums };
}

/** Reads sums by slot, unless they are of sealed days and known. */
async function readSlots(
  store: SpentSources['store'],
  { group, rows, known, needed }: GroupWanted,
  selection: SumsSelection,
  slotMs: number,
): Promise<GroupRead> {
  const statement = selectSlotSums(selection, slotMs);
  const key = selection.table.rows === 'settled' ? identify(statement) : undefined;
  const before = key && known?.slots.get(key);
  if (key && before) {
    needed.slots.set(key, before);
    return { slots: before };
  }
  const records = await store.select<SumsRecord>(statement.sql, statement.parameters);
  if (records.length > Math.max(rows.most, leastSlots)) return { failure: 'too_many' };
  const slots = await toSlots(group, records);
  if (key) needed.slots.set(key, slots);
  return { slots };
}

/** Reads the sums of open days by value: only the changed ones if the others are known, otherwise all. */
async function readValues(
  store: SpentSources['store'],
  { known, needed, manyValues: many = manyValues }: GroupWanted,
  selection: SumsSelection,
): Promise<GroupRead> {
  const key = identify(selectSums(selection));
  const before = known?.changing.get(key);
  const isMany = before?.ofBudgets.some(({ sums }) => sums.size >= many);
  const isRenewed = before && isMany && (await renewChangingSums(store, selection, before));
  const sums = isRenewed ? before : await readChangingSums(store, selection);
  if (!sums) return { failure: 'too_many' };
  needed.changing.set(key, sums);
  return { sums: sums.ofBudgets.map((ofBudget) => ofBudget.sums) };
}

async function toSlots({ planned }: BudgetGroup, rows: readonly SumsRecord[]): Promise<SlotSums[]> {
  const slots = planned.map(() => ({ byValue: new Map<string, SlotSum[]>(), size: 0 }));
  await inTurns(rows, (row) => {
    for (const [index, ofBudget] of slots.entries()) {
      const sum = parseWideMoney(row[`sum_${index}`] ?? '0');
      if (sum === 0n) continue;
      const { value = '' } = row;
      const known = ofBudget.byValue.get(value);
      if (known) known.push([Number(row.slot), sum]);
      else ofBudget.byValue.set(value, [[Number(row.slot), sum]]);
      ofBudget.size += 1;
    }
  });
  return slots;
}

/** Binds the shares of the statement's own days: a share of an open day leaves that of sealed days as it is. */
function basisOf({ group, covered, needsShareOf }: GroupWanted): CostBasis {
  const shares = group.isNet
    ? covered.shares.filter(({ day }) => isWithin(group.period, day) && needsShareOf(day))
    : [];
  return netOf({ models: covered.models, shares });
}

async function toSums({ planned }: BudgetGroup, rows: readonly SumsRecord[]): Promise<Sums[]> {
  const sums = planned.map(() => new Map<string, WideMoney>());
  await inTurns(rows, (row) => {
    for (const [index, ofBudget] of sums.entries()) {
      const sum = parseWideMoney(row[`sum_${index}`] ?? '0');
      if (sum !== 0n) ofBudget.set(row.value ?? '', sum);
    }
  });
  return sums;
}

/** Shares of credits are bigints, which JSON cannot hold. */
const identify = ({ sql, parameters }: Clause): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
