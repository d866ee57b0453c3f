import type { Day, Period } from '../../lib/days.ts';
import { type Money, readMoney } from '../../lib/money.ts';
import { isAssumedPart } from '../../pricing/assumed-rates.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { joinParameters } from '../../storage/analytic/clause.ts';
import type { Generations } from '../generations.ts';
import { callsOf } from '../in-force.ts';
import { cachedTokens } from '../reprice/alike.ts';
import { type PricedPart, type Pricing, shareOf } from '../reprice/classes.ts';
import { linearCost, ratesTable } from '../reprice/linear-cost.ts';
import { type Classified, inClasses, readClasses, readEqual, readTurns } from '../reprice/read-alike.ts';
import type { Turns } from '../reprice/turns.ts';
import type { ComparisonSums } from './comparison.ts';

export interface DryRunOf {
  readonly projectId: string;
  readonly span: Period;
  readonly generations: Generations;
  readonly pricing: Pricing;
}

/**
 * Adds what the calls in force on these days cost, and would cost by other prices, to a comparison (docs/decisions/0047).
 * The calls are grouped by what chooses their prices, and each group is priced once, month by month.
 */
export async function addDryRun(store: AnalyticStore, sums: ComparisonSums, run: DryRunOf): Promise<void> {
  const { projectId, span, generations, pricing } = run;
  const calls = callsOf(projectId, span, generations);
  const turns = await readTurns(store, { calls, pricing }, span);
  if (turns === undefined) return;
  // A month is a partition. A row that counts no more gives a day too many, which does no harm.
  const months = await store.select<Period>(
    `SELECT toString(min(day)) AS dateFrom, toString(max(day)) AS dateTo FROM calls
      WHERE ${calls.sql} AND NOT is_deleted GROUP BY toStartOfMonth(day) ORDER BY dateFrom`,
    calls.parameters,
  );
  for (const month of months) await addMonth(store, sums, { ...run, span: month }, turns);
}

async function addMonth(store: AnalyticStore, sums: ComparisonSums, run: DryRunOf, turns: Turns): Promise<void> {
  const { classified, customers } = await readMonth(store, run, turns);
  const { linear, apart } = classified;
  for (const { parts } of linear.values()) for (const [day, part] of parts) addPart(sums, day, part);
  for (const [customer, { before, after }] of customers) sums.addCustomer(customer, before, after);
  // Of calls whose costs are rounded, each is priced by itself, a day at a time.
  for (const day of new Set([...apart.values()].flatMap(({ parts }) => [...parts.keys()]))) {
    const calls = callsOf(run.projectId, { dateFrom: day, dateTo: day }, run.generations);
    for (const { by: customer, equal } of await readEqual(store, { ...classified, calls }, 'customer')) {
      addPart(sums, day, equal);
      sums.addCustomer(customer, equal.before, equal.after);
    }
  }
}

function addPart(sums: ComparisonSums, day: Day, { model, calls, before, after, cost, isUnchanged }: PricedPart): void {
  sums.addDay(day, model, before, after);
  const reason = cost.source === 'reported' ? 'reported_cost' : 'no_price';
  if (isUnchanged) sums.addUnchanged({ model, reason, calls, cost: after });
  const kinds = isUnchanged ? [] : cost.partlyPriced.filter(isAssumedPart);
  if (kinds.length > 0) sums.addWidened({ model, kinds, calls });
}

/** How often a month is read where calls arrive between its two statements. */
const mostTries = 2;

/** The classes of a month, and what the calls of those that add up cost by customer. */
async function readMonth(store: AnalyticStore, { projectId, span, generations, pricing }: DryRunOf, turns: Turns) {
  const calls = callsOf(projectId, span, generations);
  for (let tries = 1; ; tries += 1) {
    const classified = await readClasses(store, { calls, pricing }, turns);
    const customers = await readCustomers(store, classified);
    const parts = [...classified.linear.values()].flatMap((ofClass) => [...ofClass.parts.values()]);
    const isSame = (name: keyof Sums) => sumOf(parts, name) === sumOf(customers.values(), name);
    if ((isSame('before') && isSame('after')) || tries === mostTries) return { classified, customers };
  }
}

interface Sums {
  readonly before: Money;
  readonly after: Money;
}

function sumOf(all: Iterable<Sums>, name: keyof Sums): Money {
  let sum = 0n;
  for (const one of all) sum += one[name];
  return sum;
}

/** What the calls of the classes that add up cost before and after, by customer: their sums by class are priced. */
async function readCustomers(
  store: AnalyticStore,
  { calls, key, pricing, linear, apart }: Classified,
): Promise<ReadonlyMap<string, Sums>> {
  let customers = new Map<string, Sums>();
  if (linear.size === 0) return customers;
  const { columns, counts, hasUnits, cost } = linearCost(linear, 'sum');
  const rates = ratesTable(columns);
  const ofApart = inClasses(apart);
  const sums = [
    ...['cost', 'cost_elsewhere', ...counts].map((name) => `sum(${name}) AS ${name}`),
    ...(hasUnits ? ['sumForEach(mapValues(units)) AS units'] : []),
  ];
  await store.selectEach<{ customer: string; before: string; after: string }>(
    `SELECT customer, sum(cost) AS before, sum(${cost}) AS after
      FROM (
        SELECT customer, key, ${sums.join(', ')}
        FROM (SELECT *, ${key.sql} AS key, ${cachedTokens(shareOf(pricing))} AS cached FROM calls FINAL WHERE ${calls.sql})
        ${apart.size === 0 ? '' : `WHERE NOT ${ofApart.sql}`} GROUP BY customer, key
      ) AS priced
      ANY LEFT JOIN ${rates.sql} AS rates ON priced.key = rates.rate_key
      GROUP BY customer`,
    joinParameters(calls.parameters, key.parameters, rates.parameters, ofApart.parameters),
    () => {
      customers = new Map();
      return ({ customer, before, after }) =>
        customers.set(customer, { before: readMoney(before), after: readMoney(after) });
    },
  );
  return customers;
}
