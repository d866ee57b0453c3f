import type { Project } from '../../accounts/projects.ts';
import { readAppliedRereads } from '../../calls/applied-rereads.ts';
import { listSetAsideIds } from '../../calls/assembly/left-out.ts';
import { readGenerations } from '../../calls/generations.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import { addDays, type Period, startOfDay } from '../../lib/days.ts';
import { divideToNumber, readMoney, toJsonNumber } from '../../lib/money.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { type RevenueGroup, readRevenueWithoutRate, readUnmappedRevenue } from '../facts/uncounted.ts';
import { countSkippedEvents } from '../performance/skipped.ts';
import { readAlike } from './alike.ts';
import { readFurtherPrices } from './further-prices.ts';
import {
  type CallTotals,
  maxListedIds,
  type OverusedRow,
  selectCallTotals,
  selectIgnored,
  selectLate,
  selectOpenCalls,
  selectOverused,
} from './sql.ts';
import type { Coverage } from './wire.ts';

export type CoverageSources = Pick<AnswerSources, 'store' | 'control'> & { readonly priceBooks: PriceBooks };

/**
 * Calls and skipped values count on their own day, everything else on the day of receipt.
 * @throws Problem `beyond_retention` when calls of the range are deleted
 */
export async function runCoverage(
  project: Project,
  range: Period,
  { store, control, priceBooks }: CoverageSources,
): Promise<Coverage> {
  const { id, timezone } = project;
  const generations = await readGenerations(control, id);
  requireCalls(generations, range);
  const totalsOf = selectCallTotals({ projectId: id, period: range, generations });
  const stretch = {
    fromMs: startOfDay(timezone, range.dateFrom),
    toMs: startOfDay(timezone, addDays(range.dateTo, 1)),
  };
  const openOf = selectOpenCalls(id, stretch);
  const ignoredOf = selectIgnored(id, stretch, await readAppliedRereads(control, id));
  const lateOf = selectLate(id, stretch);
  const overusedOf = selectOverused(id, stretch);
  const [[totals], [open], [late], ignored, skipped, unmapped, withoutRate, overused, setAside, further, alike] =
    await Promise.all([
      store.select<CallTotals>(totalsOf.sql, totalsOf.parameters),
      store.select<{ open_calls: string }>(openOf.sql, openOf.parameters),
      store.select<{ events: string }>(lateOf.sql, lateOf.parameters),
      store.select<{ field: string; events: string }>(ignoredOf.sql, ignoredOf.parameters),
      countSkippedEvents({ store, control }, project, range),
      readStrangers({ store, control }, id, range),
      readRevenueWithoutRate(control, id, range),
      store.select<OverusedRow>(overusedOf.sql, overusedOf.parameters),
      listSetAsideIds(control, id, maxListedIds),
      readFurtherPrices({ project, generations }, range, { store, priceBooks }),
      readAlike({ project, generations }, range, { store }),
    ]);

  const calls = BigInt(totals?.calls ?? 0);
  const unpricedCalls = BigInt(totals?.unpriced_calls ?? 0);
  const cost = readMoney(totals?.cost ?? '0');
  const ofCustomers = readMoney(totals?.customer_attributed_cost ?? '0');
  const ofFeatures = readMoney(totals?.feature_attributed_cost ?? '0');
  const ofUsers = readMoney(totals?.user_attributed_cost ?? '0');
  return {
    date_from: range.dateFrom,
    date_to: range.dateTo,
    calls: Number(calls),
    priced_calls: Number(calls - unpricedCalls),
    priced_share: calcShare(calls - unpricedCalls, calls),
    unpriced_calls: Number(unpricedCalls),
    partly_priced_calls: Number(totals?.partly_priced_calls ?? 0),
    cost: toJsonNumber(cost),
    customer_attributed_cost: toJsonNumber(ofCustomers),
    customer_attributed_share: calcShare(ofCustomers, cost),
    feature_attributed_cost: toJsonNumber(ofFeatures),
    feature_attributed_share: calcShare(ofFeatures, cost),
    user_attributed_cost: toJsonNumber(ofUsers),
    user_attributed_share: calcShare(ofUsers, cost),
    unpriced: (totals?.unpriced ?? []).map(([reason, model, provider, count]) => ({
      model,
      provider,
      reason,
      calls: Number(count),
    })),
    partly_priced: (totals?.partly_priced ?? []).map(([name, model, provider, count]) => ({
      name,
      model,
      provider,
      calls: Number(count),
    })),
    further_prices: further,
    joined_alike: alike.joined,
    possible_doubles: alike.apart,
    open_calls: Number(open?.open_calls ?? 0),
    ignored: ignored.map(({ field, events }) => ({ field, events: Number(events) })),
    beyond_retention: Number(late?.events ?? 0),
    skipped_metric_values: listSkipped(skipped),
    unmapped_revenue: unmapped.slice(0, mostListed).map(({ name, amount, entries }) => ({
      stripe_customer: name,
      amount: toJsonNumber(amount),
      entries,
    })),
    revenue_without_rate: withoutRate.map(({ name, amount, entries }) => ({
      currency: name,
      amount: toJsonNumber(amount),
      entries,
    })),
    overused_ids: overused.map(({ events, ...row }) => ({ ...row, events: Number(events) })),
    set_aside_ids: setAside.map(({ event_id, since }) => ({ event_id, since: new Date(since).toISOString() })),
  };
}

const mostListed = 1_000;

/** Revenue of Stripe customers without a mapping, unless calls name the customer by its Stripe id. */
async function readStrangers(
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
  project: string,
  range: Period,
): Promise<RevenueGroup[]> {
  const groups = await readUnmappedRevenue(control, project, range);
  if (groups.length === 0) return [];
  const rows = await store.select<{ customer: string }>(
    'SELECT DISTINCT customer FROM calls WHERE project = {project:String} AND customer IN (SELECT arrayJoin({names:Array(String)}))',
    { project, names: groups.map(({ name }) => name) },
  );
  const known = new Set(rows.map(({ customer }) => customer));
  return groups.filter(({ name }) => !known.has(name));
}

/** Lists metrics with most skipped events first. Those with equal counts stay in the order of their names. */
const listSkipped = (skipped: ReadonlyMap<string, number>): Coverage['skipped_metric_values'] =>
  [...skipped]
    .filter(([, events]) => events > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, events]) => ({ key_metric: name, events }));

/** The share of a part in the whole, from 0 to 1; 1 if the whole is 0. */
const calcShare = (part: bigint, whole: bigint): number => (whole === 0n ? 1 : divideToNumber(part, whole));
