import { byName } from '../../lib/by-name.ts';
import type { Day, Period } from '../../lib/days.ts';
import type { CellTag } from '../../rollups/rollups/cells.ts';
import type { CellDimension, Grain } from '../../rollups/rollups/grains.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type CallFilters, onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import { cellsOfCalls, readCells, resolveGrain, resolveRowsOfCalls } from '../asking/cells.ts';
import { readCostBasis } from '../asking/cost-basis.ts';
import { tagOfCalls, valueOfCells } from '../asking/group.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readGenerationsOfTag } from '../asking/tag-seals.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { ChangesQuestion } from './parse.ts';
import { type GroupRecord, groupMeasures, type OwnedCalls, type Owner, selectGroups } from './sql.ts';

export type RangeRecords = Readonly<Record<Owner, readonly GroupRecord[]>>;

type Sources = Pick<AnswerSources, 'answerCache'>;

/** With more dimensions there would be nearly as many cells as calls (docs/decisions/0009). */
const grainsOfGroups = { customer: 'customer_price', feature: 'feature_price' } as const satisfies Readonly<
  Record<Exclude<Owner, 'tag'>, Grain>
>;
const owners = Object.keys(grainsOfGroups) as (keyof typeof grainsOfGroups)[];

/** Reads both ranges. @throws Problem `beyond_retention` when calls that it needs are deleted */
export async function readGroups(
  asOf: AsOf,
  { ranges, groupBy, filters, applyCredits, hours }: ChangesQuestion,
  { answerCache }: Sources,
): Promise<Readonly<Record<keyof ChangesQuestion['ranges'], RangeRecords>>> {
  const tag = tagOfCalls(groupBy);
  const readRange = async (period: Period): Promise<RangeRecords> => {
    const scopeOfTag = { projectId: asOf.facts.projectId, period, generations: asOf.generations };
    const ofTag =
      tag && canReadCells({ filters, hours }, 'tag', 'tag_price')
        ? await readGenerationsOfTag(answerCache, scopeOfTag, tag.key)
        : undefined;
    const generations = ofTag ?? asOf.generations;
    const basis = await readCostBasis({ answerCache }, { ...asOf, generations, period, applyCredits });
    const scope = { ...asOf, generations, period, filters, hours };
    const owned: readonly OwnedCalls[] = [
      ...(await Promise.all(owners.map((owner) => findCells(owner, scope)))),
      ...(tag ? [ofTag ? await ofTagCells(tag, scope) : await findCallsByTag(tag, { ...scope, ...asOf })] : []),
    ];
    const [first, ...others] = owned.map(({ source }) => source);
    const records = first
      ? await answerCache.select<GroupRecord>(selectGroups({ owned, basis }), [first, ...others])
      : [];
    return byName([...owners, 'tag'], (owner) => records.filter(({ owner_kind: kind }) => kind === owner));
  };
  const [before, now] = await Promise.all([readRange(ranges.before), readRange(ranges.now)]);
  return { before, now };
}

interface RangeScope extends Pick<AsOf, 'generations' | 'facts'> {
  readonly period: Period;
  readonly filters: CallFilters;
  readonly hours: ChangesQuestion['hours'];
}

/** Cells of the owner's grain; of calls if the grain lacks a filter's dimension, or for a part of a day. */
async function findCells(owner: keyof typeof grainsOfGroups, range: RangeScope): Promise<OwnedCalls> {
  const { generations, facts, period, filters } = range;
  const grain = grainsOfGroups[owner];
  const scope = { projectId: facts.projectId, period, generations };
  const ofCells = { owner, of: 'cells', value: { sql: owner, parameters: {} } } as const;
  if (canReadCells(range, owner, grain)) {
    const cellFilters = await readCellFilters(facts, filters);
    return { ...ofCells, source: readCells(scope, { grain, measures: groupMeasures, filters: cellFilters }) };
  }
  const where = await whereCallsOf(range);
  return { ...ofCells, source: cellsOfCalls(scope, { grain, measures: groupMeasures, where }) };
}

/** Whether the cells of a grain by an owner can answer, which lacks parts of a day and tags of runs. */
const canReadCells = (
  { filters, hours }: Pick<RangeScope, 'filters' | 'hours'>,
  owner: CellDimension,
  grain: Grain,
): boolean =>
  hours === undefined &&
  !filters.runTags &&
  resolveGrain(dimensionsNeeded(owner, filters), { withRuns: false }) === grain;

const ofTagCells = async (tag: CellTag, { generations, facts, period, filters }: RangeScope): Promise<OwnedCalls> => ({
  owner: 'tag',
  of: 'cells',
  value: valueOfCells,
  source: readCells(
    { projectId: facts.projectId, period, generations },
    { grain: 'tag_price', measures: groupMeasures, filters: await readCellFilters(facts, filters), tag },
  ),
});

async function findCallsByTag({ value }: CellTag, range: RangeScope): Promise<OwnedCalls> {
  const { generations, facts, period } = range;
  const rows = resolveRowsOfCalls({ projectId: facts.projectId, period, generations });
  return { owner: 'tag', of: 'calls', value, source: { from: 'calls FINAL', where: await whereCallsOf(range), rows } };
}

async function whereCallsOf({ generations, facts, period, filters, hours }: RangeScope): Promise<Clause> {
  const calls = await whereCalls(facts, { range: period, generations, filters });
  const inTime = hours === undefined ? [] : [inFirstHours(hours, period.dateTo, generations.timezone)];
  return all([calls, onPageDays([period]), ...inTime]);
}

const inFirstHours = (hours: number, lastDay: Day, timezone: string): Clause => ({
  sql: '(day < {cut_day:Date} OR toHour(time, {cut_timezone:String}) < {cut_hours:UInt8})',
  parameters: { cut_day: lastDay, cut_timezone: timezone, cut_hours: hours },
});

const dimensionsNeeded = (owner: CellDimension, { values, customerTags }: CallFilters): Set<CellDimension> =>
  new Set<CellDimension>([
    owner,
    'provider',
    'model',
    ...values.keys(),
    ...(customerTags ? ['customer' as const] : []),
  ]);
