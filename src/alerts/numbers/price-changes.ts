import { findIn, isPricedByOverride } from '../../analytics/price-check/run.ts';
import { readUsedModels } from '../../analytics/price-check/used-models.ts';
import { readNow } from '../../closes/as-of.ts';
import { addDays, dayMs, dayOf } from '../../lib/days.ts';
import { compareCatalogues } from '../../pricing/check/compare-prices.ts';
import { diffRates } from '../../pricing/check/diff-rates.ts';
import type { NewerCatalogues } from '../../pricing/check/newer-catalogue.ts';
import type { PriceChange } from '../rules/price-change.ts';
import type { Asker } from './ask.ts';

/** Reprices play no part: a book is looked up only by the time at which calls arrive. */
const ofNoDay = 0;

/**
 * The models with calls on the last `days` days whose list price has changed since the first of these days: in the
 * prices in force, or in newer ones. Calls that a price override prices are left out.
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
  const before = books.of({ firstReceivedAt: nowMs - days * dayMs, time: ofNoDay }).opened.catalogue;
  const newest = newer?.catalogue ?? inForce;
  // Nearly always there is one catalogue, in one book or in several.
  if (before === newest) return [];

  const today = dayOf(project.timezone, nowMs);
  const wanted = { asOf, days: { dateFrom: addDays(today, 1 - days), dateTo: today }, nowMs };
  const used = (await readUsedModels(wanted, sources)).filter((name) => !isPricedByOverride(books.newest, name, nowMs));
  const [find, findInForce, findNewest] = [before, inForce, newest].map((catalogue) => findIn(catalogue, nowMs));
  if (!find || !findInForce || !findNewest) throw new Error('There are three catalogues');
  return compareCatalogues(used, find, findNewest).map(({ provider, model, rates }) => {
    const names = used.filter((name) => {
      const entry = findNewest(name) ?? find(name);
      return entry?.provider === provider && entry.entry === model;
    });
    const isInForce = names.every(
      (name) => diffRates(findInForce(name)?.rates ?? new Map(), findNewest(name)?.rates ?? new Map()).length === 0,
    );
    return { provider, model, rates, isInForce, calls: names.reduce((sum, { calls }) => sum + calls, 0) };
  });
}
