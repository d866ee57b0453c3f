import { compareCodePoints } from '../../lib/code-points.ts';
import { type Day, dayMs, dayOf, startOfDay } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { type Money, parseMoney, toJsonNumber } from '../../lib/money.ts';
import { noTerms, readTerms, type UnitName } from '../../lib/units.ts';
import { type Usage, usageBuckets } from '../../lib/usage-buckets.ts';
import type { BookInForce, BooksOfProject } from '../../pricing/books/price-books.ts';
import { calcCost } from '../../pricing/cost.ts';
import { resolveModelPrice } from '../../pricing/model-price.ts';
import { readNow } from '../../reports/facts/as-of.ts';
import { readUsedModels, type UsedModel } from '../../reports/price-check/used-models.ts';
import type { LookContext } from '../rule/ask.ts';
import { mostGroups, type OlderPricedGroup, selectOlderPriced } from './late-prices-sql.ts';
import type { StepDays } from './step.ts';

/** Calls of a model that the price list of now prices otherwise than that of their time, or for the first time. */
export interface LatePrice {
  readonly model: string;
  readonly calls: number;
  /** The calls among them without a price. */
  readonly unpricedCalls: number;
  /** The first and last day with such calls: those to reprice. */
  readonly from: Day;
  readonly to: Day;
  /** USD: what a reprice changes, below 0 where the price has fallen. */
  readonly difference: number;
  /** Whether there are more kinds of alike calls than were priced: those with most calls were. */
  readonly isCut: boolean;
}

/** Finds the prices that came late for calls of these days. Groups of alike calls are priced by both lists, as a reprice prices each call. */
export async function readLatePrices({ project, now, sources }: LookContext, days: StepDays): Promise<LatePrice[]> {
  const period = { dateFrom: days.from, dateTo: days.to };
  const startMs = startOfDay(project.timezone, days.from);
  const books = await sources.priceBooks.ofProject(project.id);
  // A call's time is at most a day after its receipt, so the newest list has priced all calls of these days.
  if (books.newest.activatedAt < startMs - dayMs) return [];
  const asOf = await readNow(sources.control, project);
  const used = await readUsedModels({ asOf, days: period, nowMs: now }, sources);
  const first = books.of({ firstReceivedAt: startMs, time: startMs });
  const differing = listDifferences(used, [first, books.newest], days);
  const selection = { projectId: project.id, period, generations: asOf.generations, book: books.newest.id };
  const { statement, cells } = selectOlderPriced({ ...selection, ...differing });
  const groups = await sources.answerCache.select<OlderPricedGroup>(statement, [cells]);
  const changes: Change[] = [];
  await inTurns(groups, (group) => {
    const change = calcChange(group, books);
    if (change) changes.push(change);
  });
  return [...Map.groupBy(changes, ({ group }) => group.model)].map(([model, of]) => {
    const onDays = of.map(({ group }) => group.on_day).sort(compareCodePoints);
    return {
      model,
      calls: sum(of.map(({ group }) => Number(group.sum_calls))),
      unpricedCalls: sum(of.map(({ group }) => Number(group.sum_unpriced))),
      from: onDays.at(0) ?? days.from,
      to: onDays.at(-1) ?? days.to,
      difference: toJsonNumber(of.reduce((total, { amount }) => total + amount, 0n)),
      isCut: groups.length >= mostGroups,
    };
  });
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** In what calls that these lists price differently can differ: the sizes of prompts, and hours. */
function listDifferences(used: readonly UsedModel[], books: readonly BookInForce[], days: StepDays) {
  const bounds = new Set<number>();
  const hourly = new Set<string>();
  for (const { provider, model } of used) {
    for (const { opened, timezone } of books) {
      for (const day of [days.from, days.to]) {
        const query = { provider, model, terms: noTerms, time: startOfDay(timezone, day), day };
        const price = resolveModelPrice(query, opened);
        if ('unpricedReason' in price) continue;
        const tiers = [...price.tiers, ...price.termPrices.flatMap(({ prices }) => prices?.tiers ?? [])];
        for (const { aboveInputTokens } of tiers) bounds.add(aboveInputTokens);
        if (price.isByHour) hourly.add(model);
      }
    }
  }
  return { bounds: [...bounds], hourly: [...hourly] };
}

interface Change {
  readonly group: OlderPricedGroup;
  readonly amount: Money;
}

/** What the price list of now changes of a group; undefined where it changes nothing. */
function calcChange(group: OlderPricedGroup, { newest, find }: Pick<BooksOfProject, 'newest' | 'find'>) {
  const before = find(group.price_book);
  if (!before) return undefined;
  const amount = calcGroup(group, newest) - calcGroup(group, before);
  return amount === 0n ? undefined : { group, amount };
}

function calcGroup(group: OlderPricedGroup, { opened, timezone }: BookInForce): Money {
  const time = group.since * 1_000;
  const counts = Object.entries(group.sum_units).map(([name, count]) => [name as UnitName, parseMoney(count) ?? 0n]);
  const usage = Object.fromEntries(usageBuckets.map((bucket, index) => [bucket, Number(group.tokens[index] ?? 0)]));
  return calcCost(
    {
      provider: group.provider,
      model: group.model,
      terms: readTerms(group.all_terms),
      time,
      day: dayOf(timezone, time),
      usage: usage as Usage,
      units: Object.fromEntries(counts),
      hasUnknownUsage: false,
      reportedCost: null,
      requests: Number(group.sum_calls),
    },
    opened,
  ).cost;
}
