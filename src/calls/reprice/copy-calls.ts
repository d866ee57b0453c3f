import type { Day } from '../../lib/days.ts';
import { formatMoney, type Money, readMoney } from '../../lib/money.ts';
import type { CallCost } from '../../pricing/cost.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { callColumns } from '../costing/call-columns.ts';
import type { Generations } from '../generations.ts';
import { callsOf } from '../in-force.ts';
import type { Pricing } from './classes.ts';
import { linearCost, type RateColumn, ratesTable, toMoney } from './linear-cost.ts';
import { type Classified, readClasses, readEqual, readTurns } from './read-alike.ts';

/** Calls of a day are in as many parts, by a hash of their ids. */
export const partsOfDay = 256;

/** Some parts of the calls of a day, to be copied into another generation at other prices. */
export interface CallsToCopy {
  readonly projectId: string;
  readonly day: Day;
  /** From `from` to before `to`. */
  readonly parts: { readonly from: number; readonly to: number };
  readonly generations: Generations;
  readonly generation: number;
  readonly pricing: Pricing;
}

/**
 * Copies calls in force into another generation, with their costs by a price book. Each row keeps its version, so that a
 * row which assembly has written since, of more events, wins. Can be repeated.
 * @throws Error when the copies are not what the calls cost, so that the step is done again
 */
export async function copyCalls(store: AnalyticStore, copy: CallsToCopy): Promise<void> {
  const { projectId, day, generations, pricing } = copy;
  const span = { dateFrom: day, dateTo: day };
  const calls = ofParts(callsOf(projectId, span, generations), copy);
  const turns = await readTurns(store, { calls, pricing }, span);
  if (turns === undefined) return;
  const classified = await readClasses(store, { calls, pricing }, turns);
  const { linear, apart } = classified;
  const expected = { calls: 0, cost: 0n };
  const add = (part: { readonly calls: number; readonly after: Money } | undefined) => {
    expected.calls += part?.calls ?? 0;
    expected.cost += part?.after ?? 0n;
  };
  for (const { parts } of linear.values()) add(parts.get(day));
  if (linear.size > 0) {
    const { columns, cost } = linearCost(linear, 'each');
    const costs = [...linear.values()].map((ofClass) => ofClass.cost);
    await insertCopies(store, copy, classified, { key: 'key', columns: [...columns, ...sourceColumns(costs)], cost });
  }
  if (apart.size > 0) {
    const equal = await readEqual(store, classified, equalKey);
    for (const one of equal) add(one.equal);
    const columns: RateColumn[] = [
      { name: 'rate_key', type: 'UInt64', values: equal.map(({ by }) => BigInt(by)) },
      { name: 'cost_of_each', type: 'Int128', values: equal.map((one) => one.equal.cost.cost) },
      ...sourceColumns(equal.map((one) => one.equal.cost)),
    ];
    await insertCopies(store, copy, classified, { key: equalKey, columns, cost: toMoney('cost_of_each') });
  }
  await requireCopied(store, copy, expected);
}

/** The same of equal calls alone: of all by which they are priced. */
const equalKey = `sipHash64(key, ${usageColumns.join(', ')}, toString(units), requests, ifNull(toString(cost_elsewhere), ''), other_usage)`;

function ofParts({ sql, parameters }: Clause, { parts }: CallsToCopy): Clause {
  if (parts.to - parts.from === partsOfDay) return { sql, parameters };
  return {
    sql: `${sql} AND sipHash64(event_id) % ${partsOfDay} BETWEEN {first_part:UInt16} AND {last_part:UInt16}`,
    parameters: { ...parameters, first_part: parts.from, last_part: parts.to - 1 },
  };
}

/** What rows say of their costs besides the amount. */
const sourceColumns = (costs: readonly CallCost[]): RateColumn[] => [
  { name: 'new_provider', type: 'String', values: costs.map(({ provider }) => provider) },
  { name: 'new_source', type: 'String', values: costs.map(({ source }) => source) },
  { name: 'new_reason', type: 'String', values: costs.map(({ unpricedReason }) => unpricedReason ?? '') },
  { name: 'new_parts', type: 'Array(String)', values: costs.map(({ partlyPriced }) => partlyPriced) },
];

/** Copies the calls whose `key` is in a table, with the cost and the sources that it gives them. */
async function insertCopies(
  store: AnalyticStore,
  { generation, pricing: { book } }: CallsToCopy,
  { calls, key }: Classified,
  priced: { readonly key: string; readonly columns: readonly RateColumn[]; readonly cost: string },
): Promise<void> {
  const rates = ratesTable(priced.columns);
  const replaced = new Map([
    ['generation', '{new_generation:UInt64}'],
    ['provider', 'new_provider'],
    ['cost', priced.cost],
    ['cost_source', 'new_source'],
    ['unpriced_reason', 'new_reason'],
    ['price_book', '{price_book:String}'],
    ['partly_priced', 'new_parts'],
  ]);
  const names = callColumns.map(({ name }) => name);
  await store.commandOnce(
    `INSERT INTO calls (${names.join(', ')}) SELECT ${names.map((name) => replaced.get(name) ?? name).join(', ')}
      FROM (
        SELECT *, ${priced.key} AS priced_by FROM (SELECT *, ${key.sql} AS key FROM calls FINAL WHERE ${calls.sql})
      ) AS old
      INNER JOIN ${rates.sql} AS rates ON old.priced_by = rates.rate_key`,
    joinParameters(calls.parameters, key.parameters, rates.parameters, {
      new_generation: generation,
      price_book: book.id,
    }),
  );
}

/** Compares the copies with what the calls cost. Rows that assembly has written are the same or newer. */
async function requireCopied(
  store: AnalyticStore,
  copy: CallsToCopy,
  expected: { readonly calls: number; readonly cost: Money },
): Promise<void> {
  const { projectId, day, generation } = copy;
  const copies = ofParts(
    {
      sql: 'project = {project:String} AND day = {day:Date} AND generation = {new_generation:UInt64}',
      parameters: { project: projectId, day, new_generation: generation },
    },
    copy,
  );
  const [found] = await store.select<{ calls: string; cost: string }>(
    `SELECT count() AS calls, sum(cost) AS cost FROM calls FINAL WHERE ${copies.sql}`,
    copies.parameters,
  );
  if (Number(found?.calls) === expected.calls && readMoney(found?.cost) === expected.cost) return;
  throw new Error(
    `The copies of ${day} are ${found?.calls} calls of ${found?.cost}, and not ${expected.calls} of ${formatMoney(expected.cost)}`,
  );
}
