import { dayOf } from '../lib/days.ts';
import type { Catalogue, NoEntryReason } from './catalogue.ts';
import { resolveRates } from './catalogue-entry.ts';
import { isMatch, isValidOn, type PriceOverride, readOverrideRates, sortBySpecificity } from './overrides.ts';
import type { UnitPrice, UnitRates } from './rates.ts';

/** An immutable snapshot of everything that prices a project's calls (D5.7). */
export type PriceBook = {
  id: string;
  projectId: string;
  /** Milliseconds since 1970. The book prices calls whose first outcome is received at or after this. */
  activatedAt: number;
  /** SHA-256 of the catalogue data and of the corrections, which all books share. */
  catalogueHash: string;
  correctionsHash: string;
  overrides: readonly PriceOverride[];
  /** The timezone of the overrides' effective days: the project's when the book was made. */
  timezone: string;
};

/** A reprice in force: its book prices the calls of its days that were received before it was applied (D5.5). */
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
 * The latest reprice that covers a call: the call's day is in its range, and the call was received before it was applied (D5.7). A
 * reprice keeps the timezone of its days, so changing the project's timezone moves no price.
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
 * The book that prices a call: the newest that was active when its first outcome was received (milliseconds since 1970, D5.7). A call
 * received before the first book, which only disagreeing clocks can produce, gets the first. Undefined when there is no book.
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
  serviceTier: string;
  /** The call's time, milliseconds since 1970. The catalogue's dates and hours are UTC. */
  time: number;
  /** The call's day, YYYY-MM-DD in the timezone of the book, which is that of the overrides' days. */
  day: string;
  /** Tokens of the whole prompt, cached ones included, for prices that depend on its size. */
  inputTokens: number;
};

/** Clients choose service tiers and models, so each book's cache is bounded: it is cleared at this many. */
const maxRememberedSubjects = 1000;

/** A price book ready to price calls. Books with the same hashes share one opened catalogue. */
export class OpenedBook {
  readonly catalogue: Catalogue;
  readonly #overrides: readonly OpenedOverride[];
  readonly #candidates = new Map<string, readonly OpenedOverride[]>();

  constructor(catalogue: Catalogue, overrides: readonly PriceOverride[]) {
    this.catalogue = catalogue;
    this.#overrides = sortBySpecificity(overrides).map((override) => ({
      override,
      rates: readOverrideRates(override),
    }));
  }

  /** The unit prices of a call, an override's before the catalogue's (D5.3), or why it has none. */
  resolvePrice(subject: PriceSubject): UnitPrice | NoEntryReason {
    const valid = this.#matching(subject).find(({ override }) => isValidOn(override, subject.day));
    if (valid !== undefined) {
      return { rates: valid.rates, source: { kind: 'override', overrideId: valid.override.id } };
    }
    const entry = this.catalogue.findEntry(subject.provider, subject.model);
    if (typeof entry === 'string') return entry;
    return {
      rates: resolveRates(entry, subject.time, subject.inputTokens),
      source: {
        kind: 'catalogue',
        version: this.catalogue.version,
        provider: entry.provider,
        entry: entry.id,
        correctionSource: entry.correctionSource,
      },
    };
  }

  /** The overrides that match the call, on any day, most specific first. */
  #matching(subject: PriceSubject): readonly OpenedOverride[] {
    if (this.#overrides.length === 0) return this.#overrides;
    const { provider, model, serviceTier } = subject;
    const key = `${provider.length} ${model.length} ${provider}${model}${serviceTier}`;
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    if (this.#candidates.size >= maxRememberedSubjects) this.#candidates.clear();
    const matching = this.#overrides.filter(({ override }) => isMatch(override, subject));
    this.#candidates.set(key, matching);
    return matching;
  }
}

type OpenedOverride = { readonly override: PriceOverride; readonly rates: UnitRates };

/** Opens a book with its catalogue, which was opened from the data that the book's hashes name. */
export function openBook(book: Pick<PriceBook, 'overrides'>, catalogue: Catalogue): OpenedBook {
  return new OpenedBook(catalogue, book.overrides);
}
