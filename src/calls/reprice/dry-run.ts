import { type Day, earlierOf, laterOf, type Period } from '../../lib/days.ts';
import { type Money, readMoney } from '../../lib/money.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/usage-columns.ts';
import type { Generations } from '../generations.ts';
import { callsOf } from '../in-force.ts';
import type { ReportSums } from '../rebuild/report.ts';
import { type AlikeRow, alikeColumns, alikeKey, cachedTokens, equalColumns, type Seen } from './alike.ts';
import { type AlikeClass, addAlike, type PricedPart, type Pricing, priceEqual, shareOf } from './classes.ts';
import { linearCost } from './linear-cost.ts';
import { listTurns, type PricedModel, type Turns } from './turns.ts';

export interface DryRunOf {
  readonly projectId: string;
  readonly span: Period;
  readonly generations: Generations;
  readonly pricing: Pricing;
}

/**
 * Adds what the calls in force on these days cost, and would cost by other prices, to a report (docs/decisions/0047).
 * The calls are grouped by what chooses their prices, and each group is priced once, month by month.
 */
export async function addDryRun(store: AnalyticStore, sums: ReportSums, run: DryRunOf): Promise<void> {
  const { span, pricing } = run;
  const models = await readModels(store, run);
  if (models.length === 0) return;
  const turns = listTurns(models, pricing.assumed?.book ?? pricing.book.opened, {
    timezone: pricing.book.timezone,
    span,
  });
  for (const month of listMonths(span)) await addMonth(store, sums, { ...run, span: month }, turns);
}

async function addMonth(store: AnalyticStore, sums: ReportSums, run: DryRunOf, turns: Turns): Promise<void> {
  const { linear, apart, customers, key } = await readMonth(store, run, turns);
  for (const { parts } of linear.values()) for (const [day, part] of parts) addPart(sums, day, part);
  for (const [customer, { before, after }] of customers) sums.addCustomer(customer, before, after);
  // Of calls whose costs are rounded, each is priced by itself, a day at a time.
  for (const day of new Set([...apart.values()].flatMap(({ parts }) => [...parts.keys()]))) {
    const ofDay = callsOf(run.projectId, { dateFrom: day, dateTo: day }, run.generations);
    await readEqual(store, { calls: ofDay, key, apart, pricing: run.pricing }, (part, customer) => {
      addPart(sums, day, part);
      sums.addCustomer(customer, part.before, part.after);
    });
  }
}

/** How often a month is read where calls arrive between its two statements. */
const mostTries = 2;

/** The classes of a month, and what the calls of those that add up cost by customer. */
async function readMonth(store: AnalyticStore, { projectId, span, generations, pricing }: DryRunOf, turns: Turns) {
  const calls = callsOf(projectId, span, generations);
  for (let tries = 1; ; tries += 1) {
    const { classes, seen } = await readClasses(store, { calls, key: alikeKey(turns), pricing });
    const key = alikeKey(turns, seen);
    const apart = new Map([...classes].filter(([, { addsUp }]) => !addsUp));
    const linear = new Map([...classes].filter(([, { addsUp }]) => addsUp));
    const customers = await readCustomers(store, { calls, key, pricing, linear, apart });
    const parts = [...linear.values()].flatMap((ofClass) => [...ofClass.parts.values()]);
    const isSame =
      sumOf(parts, 'before') === sumOf(customers.values(), 'before') &&
      sumOf(parts, 'after') === sumOf(customers.values(), 'after');
    if (isSame || tries === mostTries) return { linear, apart, customers, key };
  }
}

const sumOf = (all: Iterable<Sums>, name: keyof Sums): Money => {
  let sum = 0n;
  for (const one of all) sum += one[name];
  return sum;
};

function addPart(
  sums: ReportSums,
  day: Day,
  { model, calls, before, after, isReported, isUnchanged }: PricedPart,
): void {
  sums.addDay(day, model, before, after);
  if (isUnchanged) sums.addUnchanged({ model, reason: isReported ? 'reported_cost' : 'no_price', calls, cost: after });
}

/** The models of the calls, and those by which they are priced. A row that counts no more gives one too many. */
async function readModels(
  store: AnalyticStore,
  { projectId, span, generations, pricing }: DryRunOf,
): Promise<PricedModel[]> {
  const calls = callsOf(projectId, span, generations);
  const found = await store.select<{ name: string; seller: string }>(
    `SELECT any(model) AS name, any(provider) AS seller FROM calls WHERE ${calls.sql} AND NOT is_deleted
      GROUP BY sipHash64(model) + 3 * sipHash64(provider)`,
    calls.parameters,
    withinMs,
  );
  return found.map(({ name: model, seller: provider }) => {
    const assumed = pricing.assumed?.models.get(model);
    return { model, provider, priced: assumed === undefined ? [model] : [model, assumed] };
  });
}

const withinMs = 30_000;

/** The first and last days of a span in each month, because a month is a partition. */
function* listMonths({ dateFrom, dateTo }: Period): Generator<Period> {
  for (let from = dateFrom; from <= dateTo; ) {
    const [year = 0, month = 0] = from.split('-').map(Number);
    const next = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
    const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
    yield { dateFrom: from, dateTo: earlierOf(last, dateTo) };
    from = laterOf(next, from);
  }
}

interface Reading {
  readonly calls: Clause;
  readonly key: Clause;
  readonly pricing: Pricing;
}

async function readClasses(store: AnalyticStore, { calls, key, pricing }: Reading) {
  let classes = new Map<string, AlikeClass>();
  const seen: Seen = { terms: false, units: false, costsElsewhere: false, otherUsage: false, gatewayCache: false };
  await store.selectEach<AlikeRow & { key: string; date: Day }>(
    `SELECT toString(day) AS date, ${key.sql} AS key, ${alikeColumns(shareOf(pricing), 'sum')}
      FROM calls FINAL WHERE ${calls.sql} GROUP BY day, key`,
    joinParameters(calls.parameters, key.parameters),
    () => {
      classes = new Map();
      return (row) => {
        addAlike(classes, row, pricing);
        for (const _ in row.terms_) seen.terms = true;
        seen.units ||= row.unit_names.length > 0;
        seen.costsElsewhere ||= row.elsewhere !== null;
        seen.otherUsage ||= row.other_usage_ !== '';
        seen.gatewayCache ||= row.is_cached === 1;
      };
    },
  );
  return { classes, seen };
}

interface Sums {
  readonly before: Money;
  readonly after: Money;
}

/** What the calls of the classes `linear` cost before and after, by customer. */
async function readCustomers(
  store: AnalyticStore,
  {
    calls,
    key,
    pricing,
    linear,
    apart,
  }: Reading & { readonly linear: ReadonlyMap<string, AlikeClass>; readonly apart: ReadonlyMap<string, AlikeClass> },
): Promise<ReadonlyMap<string, Sums>> {
  const { rates, cost } = linearCost(linear);
  let customers = new Map<string, Sums>();
  if (linear.size === 0) return customers;
  await store.selectEach<{ customer: string; before: string; after: string }>(
    `SELECT customer, sum(cost) AS before, sum(${cost}) AS after
      FROM (SELECT customer, cost, cost_elsewhere, units, requests, ${usageColumns.join(', ')}, ${key.sql} AS key, ${cachedTokens(shareOf(pricing))} AS cached FROM calls FINAL WHERE ${calls.sql}) AS priced
      ANY LEFT JOIN ${rates.sql} AS rates ON priced.key = rates.rate_key
      WHERE NOT has({apart:Array(UInt64)}, key) GROUP BY customer`,
    joinParameters(calls.parameters, key.parameters, rates.parameters, { apart: [...apart.keys()].map(BigInt) }),
    () => {
      customers = new Map();
      return ({ customer, before, after }) =>
        customers.set(customer, { before: readMoney(before), after: readMoney(after) });
    },
  );
  return customers;
}

/** Reads the calls of the classes `apart` of a day, equal ones together. */
async function readEqual(
  store: AnalyticStore,
  { calls, key, apart, pricing }: Reading & { readonly apart: ReadonlyMap<string, AlikeClass> },
  take: (part: PricedPart, customer: string) => void,
): Promise<void> {
  let parts: [PricedPart, string][] = [];
  await store.selectEach<AlikeRow & { customer: string }>(
    `SELECT customer, ${alikeColumns(null, 'any')}
      FROM calls FINAL WHERE ${calls.sql} AND has({apart:Array(UInt64)}, ${key.sql})
      GROUP BY customer, ${key.sql}, ${equalColumns}`,
    joinParameters(calls.parameters, key.parameters, { apart: [...apart.keys()].map(BigInt) }),
    () => {
      parts = [];
      return (row) => parts.push([priceEqual(row, pricing), row.customer]);
    },
  );
  for (const [part, customer] of parts) take(part, customer);
}
