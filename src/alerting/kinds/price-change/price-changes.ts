import { addDays, dayMs, dayOf } from '../../../lib/days.ts';
import type { Catalogue } from '../../../pricing/catalogue.ts';
import { compareCatalogues, type FindRates } from '../../../pricing/check/compare-prices.ts';
import { diffRates, type RateChange } from '../../../pricing/check/diff-rates.ts';
import type { ModelName } from '../../../pricing/check/listed-rates.ts';
import type { NewerCatalogues } from '../../../pricing/check/newer-catalogue.ts';
import { ageOfList, oldListDays } from '../../../pricing/further-list.ts';
import { readNow } from '../../../reports/facts/as-of.ts';
import { findIn, isPricedByOverride } from '../../../reports/price-check/run.ts';
import { readUsedModels, type UsedModel } from '../../../reports/price-check/used-models.ts';
import type { Cause } from '../../rule/cause.ts';
import type { LookFor } from '../../rule/look.ts';
import type { priceChange } from './kind.ts';
import { findOldLists, findPriceChanges, type OldList, type PriceChange } from './rule.ts';

/** Reprices play no part: a book is looked up only by the time at which calls arrive. */
const ofNoDay = 0;

/** Reads the models with calls on the last days, and the prices then, now and in newer lists. */
export async function lookAtPrices(
  { project, now, today, settings, sources }: LookFor<typeof priceChange>,
  newerCatalogues: NewerCatalogues,
): Promise<Cause[]> {
  const [asOf, books, newer] = await Promise.all([
    readNow(sources.control, project),
    sources.priceBooks.ofProject(project.id),
    newerCatalogues.read(),
  ]);
  const days = { dateFrom: addDays(today, 1 - settings.days), dateTo: today };
  const used = (await readUsedModels({ asOf, days, nowMs: now }, sources)).filter(
    (name) => !isPricedByOverride(books.newest, name, now),
  );
  const inForce = books.newest.opened.catalogue;
  const before = books.of({ firstReceivedAt: now - settings.days * dayMs, time: ofNoDay }).opened.catalogue;
  const changes = listPriceChanges(used, { before, inForce, newest: newer?.catalogue ?? inForce }, settings.days, now);
  return [...findPriceChanges(changes, settings), ...findOldLists(listOldLists(used, inForce, now))];
}

/** Models whose list price has changed in the last `days` days, or changes within as many, now or in newer prices. */
function listPriceChanges(
  used: readonly UsedModel[],
  { before, inForce, newest }: Readonly<Record<'before' | 'inForce' | 'newest', Catalogue>>,
  days: number,
  now: number,
): PriceChange[] {
  const [then, soon] = [now - days * dayMs, now + days * dayMs];
  const [findInForce, findNow] = [findIn(inForce, now), findIn(newest, now)];
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
      names.some((name) => !isUnchanged(name, findNow, findIn(newest, now + day * dayMs)));
    const ahead = Array.from({ length: days }, (_, index) => index + 1).find(isReached) ?? days;
    // The dates of list prices are days of UTC.
    return { ...toChange(finding, names), isInForce: false, from: dayOf('UTC', now + ahead * dayMs) };
  });
  return [...changed, ...coming];
}

const toChange = (
  { provider, model, rates }: ModelName & { readonly rates: readonly RateChange[] },
  names: readonly UsedModel[],
) => ({ provider, model, rates, calls: names.reduce((sum, { calls }) => sum + calls, 0) });

const isUnchanged = (name: ModelName, before: FindRates, after: FindRates): boolean =>
  diffRates(before(name)?.rates ?? new Map(), after(name)?.rates ?? new Map()).length === 0;

/** A price that returns with the day of the week has not changed: looks at six more days for the price of now. */
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

/** The further lists that are old and price calls (D27.2). */
function listOldLists(used: readonly UsedModel[], catalogue: Catalogue, now: number): OldList[] {
  const calls = new Map<string, number>();
  for (const name of used) {
    const list = catalogue.findFurther(name.provider, name.model)?.entry?.list;
    if (!list) continue;
    const key = `${list.name} ${list.version}`;
    calls.set(key, (calls.get(key) ?? 0) + name.calls);
  }
  return catalogue.furtherLists.flatMap(({ list, version, date }) => {
    const priced = calls.get(`${list} ${version}`);
    const ageDays = ageOfList(date, now);
    return priced === undefined || ageDays <= oldListDays ? [] : [{ list, ageDays, calls: priced }];
  });
}
