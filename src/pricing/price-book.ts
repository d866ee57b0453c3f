import { dayOf } from '../lib/days.ts';
import type { Catalogue, NoEntryReason } from './catalogue.ts';
import { resolveRates } from './catalogue-entry.ts';
import { isMatch, isValidOn, type PriceOverride, readOverrideRates, sortBySpecificity } from './overrides.ts';
import type { UnitPrice, UnitRates } from './rates.ts';

/** An immutable snapshot of everything that prices a project's calls (D5.7). */
export type PriceBook = {
  id: string;
  projectId: string;
  /** Milliseconds since 1970; the book prices calls whose first outcome was received from then on. */
  activatedAt: number;
  /** SHA-256 of the catalogue data and of the corrections, which are stored once for all books. */
  catalogueHash: string;
  correctionsHash: string;
  overrides: readonly PriceOverride[];
  /** The timezone that the overrides' effective days are in: the project's when the book was made. */
  timezone: string;
};

/** A reprice that is in force: its book prices what was known of its days when it was applied (D5.5). */
export type AppliedReprice = {
  bookId: string;
  /** First and last day, in `timezone`. */
  dateFrom: string;
  dateTo: string;
  timezone: string;
  /** Milliseconds since 1970. */
  appliedAt: number;
};

/** When a call was first heard to have ended, and when it was made, in milliseconds since 1970. */
export type CallTimes = { firstReceivedAt: number; time: number };

/**
 * The latest reprice that covers a call: its day, and nothing that was received after it was applied (D5.7). A reprice keeps the
 * timezone that its days were meant in, so that another timezone moves no price.
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
 * The book that prices a call: the newest that was active when its first outcome event was received (milliseconds since 1970, D5.7). A
 * call from before the first book, which only clocks that disagree can produce, has the first. Undefined when there is no book.
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

/** Of two books that became active at once, the one with the later id is newer: ids ascend. */
function isNewer(book: BookStart, other: BookStart): boolean {
  return book.activatedAt > other.activatedAt || (book.activatedAt === other.activatedAt && book.id > other.id);
}

/** What of a call decides its unit prices. Absent names are empty strings. */
export type PriceSubject = {
  provider: string;
  model: string;
  serviceTier: string;
  /** The call's time, milliseconds since 1970 (UTC, which the catalogue's dates and hours are in). */
  time: number;
  /** The call's day, YYYY-MM-DD in the timezone of the book (which the overrides' days are in). */
  day: string;
  /** Tokens of the whole prompt, cached ones included, for prices that depend on its size. */
  inputTokens: number;
};

/** Service tiers and models are named by clients, so what each book remembers of them is bounded: beyond this it starts anew. */
const maxRememberedSubjects = 1000;

/** A price book that is ready to price calls. Open one catalogue for all books that share its hashes. */
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

  /** The overrides meant for the call, on whatever day, most specific first. */
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

/** Opens a book over its opened catalogue (`openCatalogue` of the data that its hashes name). */
export function openBook(book: Pick<PriceBook, 'overrides'>, catalogue: Catalogue): OpenedBook {
  return new OpenedBook(catalogue, book.overrides);
}
