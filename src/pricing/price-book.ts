import { addDays, type Day, dayOf } from '../lib/days.ts';
import { noTerms, type Terms, type UnitName } from '../lib/units.ts';
import type { Catalogue } from './catalogue.ts';
import type { NoEntryReason } from './catalogue-entry.ts';
import {
  isForModel,
  isMatch,
  isValidOn,
  type OpenedOverride,
  openOverride,
  type PriceOverride,
  sortBySpecificity,
} from './overrides.ts';
import type { TokenPrice, UnitPrice } from './rates.ts';
import type { PriceTurns, Tariff } from './tariff.ts';
import { keyOfTerms } from './tariff-memory.ts';
import { foldTerms } from './terms.ts';

/** An immutable snapshot of everything that prices a project's calls (D5.7). */
export type PriceBook = {
  id: string;
  projectId: string;
  /** Milliseconds since 1970. The book prices calls whose first outcome is received at or after this. */
  activatedAt: number;
  /** SHA-256 of the catalogue data and of the corrections, which all books share. */
  catalogueHash: string;
  correctionsHash: string;
  /** Null in books without further lists. */
  furtherHash: string | null;
  overrides: readonly PriceOverride[];
  /** The timezone of the overrides' effective days: the project's when the book was made. */
  timezone: string;
};

/** A reprice in force. Its book prices calls on its days that were received before it was applied (D5.5). */
export type AppliedReprice = {
  bookId: string;
  /** First and last day, in `timezone`. */
  dateFrom: string;
  dateTo: string;
  timezone: string;
  /** Milliseconds since 1970. */
  appliedAt: number;
};

/** When a call's first outcome was received, and the call's own time, in milliseconds since 1970. */
export type CallTimes = { firstReceivedAt: number; time: number };

/**
 * The latest reprice that covers a call: the call's day is in its range, and the call was received before it was
 * applied (D5.7). A reprice keeps the timezone of its days, so a change of the project's timezone changes no price.
 */
export function resolveReprice(
  reprices: readonly AppliedReprice[],
  { firstReceivedAt, time }: CallTimes,
): AppliedReprice | undefined {
  let latest: AppliedReprice | undefined;
  for (const reprice of reprices) {
    if (reprice.appliedAt < firstReceivedAt || (latest && latest.appliedAt >= reprice.appliedAt)) continue;
    const day = dayOf(reprice.timezone, time);
    if (day >= reprice.dateFrom && day <= reprice.dateTo) latest = reprice;
  }
  return latest;
}

/**
 * The book that prices a call: the newest that was active when its first outcome was received (milliseconds since 1970,
 * D5.7). If clocks disagree, a call may be received before the first book, and then gets the first. Undefined when
 * there is no book.
 */
export function resolveBook<Book extends BookStart>(books: readonly Book[], firstReceivedAt: number): Book | undefined {
  let newestActive: Book | undefined;
  let oldest: Book | undefined;
  for (const book of books) {
    if (oldest === undefined || isNewer(oldest, book)) oldest = book;
    if (book.activatedAt > firstReceivedAt) continue;
    if (newestActive === undefined || isNewer(book, newestActive)) newestActive = book;
  }
  return newestActive ?? oldest;
}

type BookStart = Pick<PriceBook, 'id' | 'activatedAt'>;

/** Of two books activated in the same millisecond, the one with the greater id is newer: ids ascend. */
function isNewer(book: BookStart, other: BookStart): boolean {
  return book.activatedAt > other.activatedAt || (book.activatedAt === other.activatedAt && book.id > other.id);
}

/** The fields of a call that determine its unit prices. Absent names are empty strings. */
export type PriceSubject = {
  provider: string;
  model: string;
  terms: Terms;
  /** The call's time, milliseconds since 1970. The catalogue's dates and hours are UTC. */
  time: number;
  /** The call's day, YYYY-MM-DD in the timezone of the book and of its overrides' days. */
  day: string;
  /** Tokens of the whole prompt, cached ones included, for prices that depend on its size. */
  inputTokens: number;
};

/** A book's cache is cleared at this size. It needs a limit, because clients choose terms and models. */
const maxRememberedSubjects = 1000;

/** A price book ready to price calls. Books with the same hashes share one opened catalogue. */
export class OpenedBook {
  readonly catalogue: Catalogue;
  readonly #overrides: readonly OpenedOverride[];
  readonly #candidates = new Map<string, readonly OpenedOverride[]>();

  constructor(catalogue: Catalogue, overrides: readonly PriceOverride[]) {
    this.catalogue = catalogue;
    this.#overrides = sortBySpecificity(overrides).map((override) =>
      openOverride({ ...override, terms: foldTerms(override.terms) }),
    );
  }

  /** The prices of a call's tokens, or why there are none. An override's prices win over list prices (D5.3). */
  resolvePrice(subject: PriceSubject): TokenPrice | NoEntryReason {
    const { time, inputTokens } = subject;
    return this.findOverride(subject)?.tokens ?? this.findTariff(subject).tokenPrice(time, inputTokens);
  }

  /** The price of a unit; null when none is known. An override's price wins over the list price. */
  resolveUnitPrice(subject: PriceSubject, unit: UnitName): UnitPrice | null {
    return this.findOverride(subject)?.units.get(unit) ?? this.findTariff(subject).unitPrice(unit, subject.time);
  }

  findOverride(subject: PriceSubject): OpenedOverride | undefined {
    return this.#overrides.length === 0
      ? undefined
      : this.#matching(subject).find(({ override }) => isValidOn(override, subject.day));
  }

  withOverrides(more: readonly PriceOverride[]): OpenedBook {
    return new OpenedBook(this.catalogue, [...this.#overrides.map(({ override }) => override), ...more]);
  }

  /** Where the prices of a model's calls may change. Overrides change them where one of `days` begins. */
  turnsOf({
    provider,
    model,
  }: Pick<PriceSubject, 'provider' | 'model'>): PriceTurns & { readonly days: readonly Day[] } {
    // A call that names no provider has the prices of its maker, and so has one whose provider lacks an assumed model.
    const tariffs = [...new Set(['', provider])].map((name) => this.catalogue.findTariff(name, model, noTerms).turns());
    const overrides = this.#overrides.filter(({ override }) => isForModel(override, model));
    return {
      instantsMs: tariffs.flatMap(({ instantsMs }) => instantsMs),
      edgesMs: tariffs.flatMap(({ edgesMs }) => edgesMs),
      sizes: tariffs.flatMap(({ sizes }) => sizes),
      days: overrides.flatMap(({ override: { effectiveFrom: from, effectiveTo: to } }) => [
        ...(from === null ? [] : [from]),
        ...(to === null ? [] : [addDays(to, 1)]),
      ]),
    };
  }

  /** Whether the model has a price with any provider and terms and at any time. */
  hasPriceOf(model: string): boolean {
    return this.#overrides.some(({ override }) => isForModel(override, model)) || this.catalogue.hasPriceOf(model);
  }

  /** The list prices of a call. */
  findTariff({ provider, model, terms }: PriceSubject): Tariff {
    return this.catalogue.findTariff(provider, model, terms);
  }

  /** The overrides that match the call, on any day, most specific first. */
  #matching(subject: PriceSubject): readonly OpenedOverride[] {
    const { provider, model, terms } = subject;
    const key = `${provider.length} ${model.length} ${provider}${model}${keyOfTerms(terms)}`;
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    if (this.#candidates.size >= maxRememberedSubjects) this.#candidates.clear();
    const folded = { ...subject, terms: foldTerms(terms) };
    const matching = this.#overrides.filter(({ override }) => isMatch(override, folded));
    this.#candidates.set(key, matching);
    return matching;
  }
}

/** Opens a book with its catalogue, which must be opened from the data of the book's hashes. */
export function openBook(book: Pick<PriceBook, 'overrides'>, catalogue: Catalogue): OpenedBook {
  return new OpenedBook(catalogue, book.overrides);
}
