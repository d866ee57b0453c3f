import type { Project } from '../../accounts/projects.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import { noTerms } from '../../lib/units.ts';
import type { BookInForce, PriceBooks } from '../../pricing/books/price-books.ts';
import type { Catalogue } from '../../pricing/catalogue.ts';
import {
  compareCatalogues,
  compareWithSource,
  type FindRates,
  listRewrittenEntries,
  type PriceFinding,
} from '../../pricing/check/compare-prices.ts';
import { findListedRates, type ModelName } from '../../pricing/check/listed-rates.ts';
import type { NewerCatalogue, NewerCatalogues } from '../../pricing/check/newer-catalogue.ts';
import { readSecondSource, type SecondSource } from '../../pricing/check/second-source.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readNow } from '../facts/as-of.ts';
import { readUsedModels, type UsedModel } from './used-models.ts';

export interface PriceCheckSources extends AnswerSources {
  readonly priceBooks: PriceBooks;
  readonly newerCatalogues: NewerCatalogues;
}

/** A model whose price should be checked. */
export interface CheckedModel extends PriceFinding {
  /** The calls of the last days that the finding affects. */
  readonly calls: number;
  /** The calls among them that an override prices, so that no list price applies. */
  readonly overriddenCalls: number;
}

export interface PriceCheck {
  readonly book: BookInForce;
  /** Undefined when the catalogue in force is the newest. */
  readonly newer: NewerCatalogue | undefined;
  readonly source: SecondSource;
  /** Models with the most calls first. */
  readonly models: readonly CheckedModel[];
}

/** Compares the current list prices with a second source and with the newest known catalogue. */
export async function runPriceCheck(
  project: Project,
  { days }: { readonly days: number },
  sources: PriceCheckSources,
): Promise<PriceCheck> {
  const nowMs = sources.clock();
  const today = dayOf(project.timezone, nowMs);
  const [asOf, { newest: book }, newer, source] = await Promise.all([
    readNow(sources.control, project),
    sources.priceBooks.ofProject(project.id),
    sources.newerCatalogues.read(),
    readSecondSource(),
  ]);
  const used = await readUsedModels(
    { asOf, days: { dateFrom: addDays(today, 1 - days), dateTo: today }, nowMs },
    sources,
  );
  const find = findIn(book.opened.catalogue, nowMs);
  const findings = [
    ...compareWithSource(source.models, find),
    ...(newer
      ? compareCatalogues(
          [...used, ...listRewrittenEntries(book.opened.catalogue, newer.catalogue)],
          find,
          findIn(newer.catalogue, nowMs),
        )
      : []),
  ];
  const countOf = countCalls(used, book, { find, findNewer: newer && findIn(newer.catalogue, nowMs), nowMs });
  const models = findings.map((finding) => ({ ...finding, ...countOf(finding) }));
  return { book, newer, source, models: models.sort(byCalls) };
}

/** Finds the list prices in a catalogue at an instant. */
export const findIn =
  (catalogue: Catalogue, nowMs: number): FindRates =>
  (name) =>
    findListedRates(catalogue, name, nowMs);

interface Counts {
  readonly calls: number;
  readonly overriddenCalls: number;
}

/** Counts calls by the catalogue's entry for their model, or by the model's name if it has no entry. */
function countCalls(
  used: readonly UsedModel[],
  book: BookInForce,
  { find, findNewer, nowMs }: { find: FindRates; findNewer: FindRates | undefined; nowMs: number },
): (name: ModelName) => Counts {
  const keyOf = (name: ModelName): string => {
    const entry = find(name) ?? findNewer?.(name);
    return entry ? JSON.stringify([entry.provider, entry.entry]) : JSON.stringify([name.model.toLowerCase()]);
  };
  const counts = new Map<string, Counts>();
  for (const { provider, model, calls } of used) {
    const key = keyOf({ provider, model });
    const { calls: before, overriddenCalls } = counts.get(key) ?? { calls: 0, overriddenCalls: 0 };
    const isOverridden = isPricedByOverride(book, { provider, model }, nowMs);
    counts.set(key, { calls: before + calls, overriddenCalls: overriddenCalls + (isOverridden ? calls : 0) });
  }
  return (name) => counts.get(keyOf(name)) ?? { calls: 0, overriddenCalls: 0 };
}

/** Whether a price override of the project prices calls of a model without terms. */
export function isPricedByOverride({ opened, timezone }: BookInForce, name: ModelName, nowMs: number): boolean {
  const provider = name.provider === '' ? opened.catalogue.deriveProvider(name.model) : name.provider;
  const subject = { ...name, provider, terms: noTerms, time: nowMs, day: dayOf(timezone, nowMs), inputTokens: 0 };
  return opened.findOverride(subject) !== undefined;
}

const byCalls = (a: CheckedModel, b: CheckedModel): number =>
  b.calls - a.calls ||
  compareCodePoints(a.finding, b.finding) ||
  compareCodePoints(a.provider, b.provider) ||
  compareCodePoints(a.model, b.model);
