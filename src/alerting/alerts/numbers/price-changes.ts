import { addDays, dayMs, dayOf } from '../../../lib/days.ts';
import { compareCatalogues, type FindRates } from '../../../pricing/check/compare-prices.ts';
import { diffRates, type RateChange } from '../../../pricing/check/diff-rates.ts';
import type { ModelName } from '../../../pricing/check/listed-rates.ts';
import type { NewerCatalogues } from '../../../pricing/check/newer-catalogue.ts';
import { ageOfList, oldListDays } from '../../../pricing/lists/list-age.ts';
import { readNow } from '../../../reports/facts/as-of.ts';
import { findIn, isPricedByOverride } from '../../../reports/price-check/run.ts';
import { readUsedModels, type UsedModel } from '../../../reports/price-check/used-models.ts';
import type { OldList, PriceChange } from '../rules/price-change.ts';
import type { Asker } from './ask.ts';

/** Reprices play no part: a book is looked up only by the time at which calls arrive. */
const ofNoDay = 0;

/**
 * The models with calls on the last `days` days whose list price has changed since the first of these days, or changes
 * within as many days by its own date: in the prices in force, or in newer ones. Calls that a price override prices are
 * left out.
 */
export async function readPriceChanges(
  { project, nowMs, sources }: Asker,
  { days, newerCatalogues }: { readonly days: number; readonly newerCatalogues: NewerCatalogues },
): Promise<PriceChange[]> {
  const [asOf, books, newer] = await Promise.all([
    readNow(sources.control, project),
    sources.priceBooks.ofProject(project.id),
    newerCatalogues.read(),
  ]);
  const inForce = books.newest.opened.catalogue;
  const [then, soon] = [nowMs - days * dayMs, nowMs + days * dayMs];
  const before = books.of({ firstReceivedAt: then, time: ofNoDay }).opened.catalogue;
  const newest = newer?.catalogue ?? inForce;
  const today = dayOf(project.timezone, nowMs);
  const wanted = { asOf, days: { dateFrom: addDays(today, 1 - days), dateTo: today }, nowMs };
  const used = (await readUsedModels(wanted, sources)).filter((name) => !isPricedByOverride(books.newest, name, nowMs));
  const [findInForce, findNow] = [findIn(inForce, nowMs), findIn(newest, nowMs)];
  const findThen = findInWeek((time) => findIn(before, time), { time: then, step: -dayMs }, findNow);
  const findSoon = findInWeek((time) => findIn(newest, time), { time: soon, step: dayMs }, findNow);
  const namesOf = ({ provider, model }: ModelName, find: FindRates) =>
    used.filter((name) => {
      const entry = find(name);
      return entry?.provider === provider && entry.entry === model;
    });
  const changed = compareCatalogues(used, findThen, findNow).map((finding): PriceChange => {
    const names = namesOf(finding, (name) => findNow(name) ?? findThen(name));
    const isInForce = names.every((name) => isUnchanged(name, findInForce, findNow));
    return { ...toChange(finding, names), isInForce, from: undefined };
  });
  const coming = compareCatalogues(used, findNow, findSoon).map((finding): PriceChange => {
    const names = namesOf(finding, (name) => findSoon(name) ?? findNow(name));
    const isReached = (day: number) =>
      names.some((name) => !isUnchanged(name, findNow, findIn(newest, nowMs + day * dayMs)));
    const ahead = Array.from({ length: days }, (_, index) => index + 1).find(isReached) ?? days;
    // The dates of list prices are days of UTC.
    return { ...toChange(finding, names), isInForce: false, from: dayOf('UTC', nowMs + ahead * dayMs) };
  });
  return [...changed, ...coming];
}

const toChange = (
  { provider, model, rates }: ModelName & { readonly rates: readonly RateChange[] },
  names: readonly UsedModel[],
) => ({ provider, model, rates, calls: names.reduce((sum, { calls }) => sum + calls, 0) });

const isUnchanged = (name: ModelName, before: FindRates, after: FindRates): boolean =>
  diffRates(before(name)?.rates ?? new Map(), after(name)?.rates ?? new Map()).length === 0;

/**
 * Finds the prices at a time, or on one of the six days behind it that has the price of now: a price that returns with
 * the day of the week has not changed.
 */
const findInWeek =
  (
    findAt: (time: number) => FindRates,
    { time, step }: { readonly time: number; readonly step: number },
    findNow: FindRates,
  ): FindRates =>
  (name) => {
    const ofWeek = Array.from({ length: 7 }, (_, index) => findAt(time + index * step));
    return (ofWeek.find((find) => isUnchanged(name, find, findNow)) ?? findAt(time))(name);
  };

/** The further lists that are old, and price calls on the last `days` days (D27.2). */
export async function readOldLists(
  { project, nowMs, sources }: Asker,
  { days }: { readonly days: number },
): Promise<OldList[]> {
  const [asOf, { newest }] = await Promise.all([
    readNow(sources.control, project),
    sources.priceBooks.ofProject(project.id),
  ]);
  const { catalogue } = newest.opened;
  const old = catalogue.furtherLists.filter(({ date }) => ageOfList(date, nowMs) > oldListDays);
  if (old.length === 0) return [];
  const today = dayOf(project.timezone, nowMs);
  const used = await readUsedModels(
    { asOf, days: { dateFrom: addDays(today, 1 - days), dateTo: today }, nowMs },
    sources,
  );
  const calls = new Map<string, number>();
  for (const name of used) {
    const list = catalogue.findFurther(name.provider, name.model)?.entry?.list;
    if (!list || isPricedByOverride(newest, name, nowMs)) continue;
    const key = `${list.name} ${list.version}`;
    calls.set(key, (calls.get(key) ?? 0) + name.calls);
  }
  return old.flatMap(({ list, version, date }) => {
    const priced = calls.get(`${list} ${version}`);
    return priced === undefined ? [] : [{ list, ageDays: ageOfList(date, nowMs), calls: priced }];
  });
}
