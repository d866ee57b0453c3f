import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '../../lib/chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import { dayMs } from '../../lib/days.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import {
  type ControlQueries,
  type ControlStore,
  deleteRows,
  requireRow,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import { type Catalogue, installedCatalogue, openCatalogue } from '../catalogue.ts';
import { keepPriceData, readCatalogueInForce } from '../catalogue-updates.ts';
import { ageOfList } from '../further-list.ts';
import { type FurtherInForce, readFurtherInForce } from '../lists/lists-in-force.ts';
import type { NewOverride, PriceOverride } from '../overrides.ts';
import {
  type AppliedReprice,
  type CallTimes,
  type OpenedBook,
  openBook,
  type PriceBook,
  resolveBook,
  resolveReprice,
} from '../price-book.ts';
import { currentCorrections } from '../reviewed-prices.ts';

/** A price book ready to cost calls. Its id is stored with each call that it costs. */
export interface BookInForce {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly activatedAt: number;
  /** The timezone of the overrides' effective days. */
  readonly timezone: string;
  readonly opened: OpenedBook;
}

/** The books of one project at the time of reading. */
export interface BooksOfProject {
  /** The book that costs a call (D5.7). */
  of(call: CallTimes): BookInForce;
  find(id: string): BookInForce | undefined;
  /** The newest book, which prices new calls. */
  readonly newest: BookInForce;
}

/**
 * How far in the future a new book is activated, in milliseconds. So a book is committed before it is active, and every
 * rebuild gives a call the same book again. `#activate` waits until the book is active.
 */
const activationDelayMs = 250;
/** The longest wait until a book is active, in milliseconds. If it would be longer, the clock was set back. */
const maxActivationMs = 10_000;
const activatedAtOnce = 20;

/** The most overrides of a project. Each book holds all overrides in force. */
export const maxOverrides = 1_000;

/** A stored book without its overrides. These are read when the book is opened. */
type StoredBook = Omit<PriceBook, 'overrides'>;
/** The number of books whose overrides one statement reads. */
const openedAtOnce = 50;

export interface PriceBooksOptions {
  readonly usesFurtherLists?: boolean;
}

/** By the hashes of what they are opened from, so what one project has opened serves all. */
const catalogues = new Map<string, Catalogue>();

/** The projects' overrides, and the price books made from them, in the control store. */
export class PriceBooks {
  readonly #control: ControlStore;
  readonly #clock: Clock;
  readonly #opened = new Map<string, BookInForce>();
  readonly #usesFurtherLists: boolean;

  /** @param options `usesFurtherLists`: whether new books price with further lists what the catalogue lacks (D27.1) */
  constructor(control: ControlStore, clock: Clock, { usesFurtherLists = true }: PriceBooksOptions = {}) {
    this.#control = control;
    this.#clock = clock;
    this.#usesFurtherLists = usesFurtherLists;
  }

  /** The further lists that new books use; null when they are left out. */
  async furtherInForce(queries: ControlQueries = this.#control): Promise<FurtherInForce | null> {
    return this.#usesFurtherLists ? await readFurtherInForce(queries) : null;
  }

  /**
   * The age in days of the data of a list in force, the catalogue being `genai-prices`; undefined for one that isn't used.
   * Of a list with several editions, the newest counts.
   */
  async ageOf(list: string): Promise<number | undefined> {
    const now = this.#clock();
    if (list === 'genai-prices') {
      const { fetchedAt } = await readCatalogueInForce(this.#control);
      return fetchedAt === null
        ? ageOfList(installedCatalogue().date, now)
        : Math.max(0, Math.floor((now - fetchedAt) / dayMs));
    }
    const found = (await this.furtherInForce())?.lists.find((known) => known.list === list);
    return found && ageOfList(found.date, now);
  }

  async list(projectId: string): Promise<PriceOverride[]> {
    return await readOverrides(this.#control, projectId);
  }

  /**
   * Adds an override and returns it when it is in force. Null when the project already has `maxOverrides`.
   * @throws Problem `unavailable` when the clock is far behind the newest book
   */
  async add(projectId: string, override: NewOverride): Promise<PriceOverride | null> {
    const made: PriceOverride = { ...override, id: newId('prc'), createdAt: this.#clock() };
    const isAdded = await this.#activate(projectId, 'soon or not at all', async (transaction) => {
      const { count } = await transaction
        .selectFrom('price_overrides')
        .select((row) => row.fn.countAll().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxOverrides) return false;
      const row = {
        id: made.id,
        project_id: projectId,
        created_at: made.createdAt,
        definition: JSON.stringify(override),
      };
      await transaction.insertInto('price_overrides').values(row).execute();
      return true;
    });
    return isAdded ? made : null;
  }

  /**
   * Deletes an override. Calls that it priced keep their costs (D5.5). False when it doesn't exist.
   * @throws Problem `unavailable` when the clock is far behind the newest book
   */
  async remove(projectId: string, id: string): Promise<boolean> {
    return await this.#activate(projectId, 'soon or not at all', (transaction) =>
      deleteRows(transaction, 'price_overrides', { project_id: projectId, id }),
    );
  }

  /**
   * Gives every project a book with the catalogue in force and its timezone, unless its newest book has both. Needed at
   * start-up, after a catalogue update, and after an interrupted change of timezone.
   */
  async activateCurrentCatalogue(): Promise<void> {
    const { hash } = await readCatalogueInForce(this.#control);
    const corrections = currentCorrections();
    const further = (await this.furtherInForce())?.snapshot.hash ?? null;
    const projects = await this.#control
      .selectFrom('projects')
      .select(['id', 'timezone'])
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    const activate = async ({ id, timezone }: { readonly id: string; readonly timezone: string }) => {
      const newest = (await this.#readBooks(id)).at(-1);
      const isCurrent =
        newest?.catalogueHash === hash && newest.correctionsHash === corrections.hash && newest.furtherHash === further;
      if (!isCurrent || newest.timezone !== timezone) await this.activateFor(id);
    };
    // Each one waits until its book is active, so run many at once.
    for (const chunk of chunksOf(projects, activatedAtOnce)) {
      await Promise.all(chunk.map(activate));
    }
  }

  /** Gives a project a book with the catalogue in force and its overrides. */
  async activateFor(projectId: string): Promise<void> {
    await this.#activate(projectId, 'whenever it is', async () => true);
  }

  /**
   * Inserts a new project by `insert` and makes its first book, in one transaction, because calls can't be costed
   * without a book. `insert` returns false when it made no project.
   */
  async activateForNew(projectId: string, insert: (transaction: ControlQueries) => Promise<boolean>): Promise<boolean> {
    return await this.#activate(projectId, 'whenever it is', insert);
  }

  /** The books of a project. Books never change, so opened ones are cached for good. */
  async ofProject(projectId: string): Promise<BooksOfProject> {
    const books = await this.#readBooks(projectId);
    const reprices = await readAppliedReprices(this.#control, projectId);
    const unopened = books.filter(({ id }) => !this.#opened.has(id));
    for (const chunk of chunksOf(unopened, openedAtOnce)) {
      await this.#open(chunk);
    }
    const get = (id: string | undefined): BookInForce => {
      const opened = id === undefined ? undefined : this.#opened.get(id);
      if (!opened) throw new Error(`The project ${projectId} lacks a price book`);
      return opened;
    };
    return {
      of: (call) => get(resolveReprice(reprices, call)?.bookId ?? resolveBook(books, call.firstReceivedAt)?.id),
      find: (id) => (books.some((book) => book.id === id) ? get(id) : undefined),
      newest: get(books.at(-1)?.id),
    };
  }

  async #open(books: readonly StoredBook[]): Promise<void> {
    const ids = books.map(({ id }) => id);
    const rows = await this.#control
      .selectFrom('price_books')
      .select(['id', 'overrides'])
      .where('id', 'in', ids)
      .execute();
    const overridesOf = new Map(rows.map(({ id, overrides }) => [id, overrides]));
    for (const { id, activatedAt, timezone, ...data } of books) {
      const overrides = overridesOf.get(id);
      if (overrides === undefined) throw new Error(`The price book ${id} was deleted while it was read`);
      const catalogue = await this.#openCatalogue(data);
      this.#opened.set(id, {
        id,
        activatedAt,
        timezone,
        opened: openBook({ overrides: parseJson(overrides) as PriceOverride[] }, catalogue),
      });
    }
  }

  async #openCatalogue({
    catalogueHash,
    correctionsHash,
    furtherHash,
  }: Pick<PriceBook, 'catalogueHash' | 'correctionsHash' | 'furtherHash'>): Promise<Catalogue> {
    const key = `${catalogueHash} ${correctionsHash} ${furtherHash ?? ''}`;
    const known = catalogues.get(key);
    if (known) return known;
    const catalogue = openCatalogue(
      await this.#readData(catalogueHash),
      await this.#readData(correctionsHash),
      furtherHash === null ? undefined : await this.#readData(furtherHash),
    );
    catalogues.set(key, catalogue);
    return catalogue;
  }

  async #readData(hash: string): Promise<string> {
    const row = await this.#control
      .selectFrom('price_data')
      .select('data')
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow();
    return row.data;
  }

  async #readBooks(projectId: string): Promise<StoredBook[]> {
    const rows = await this.#control
      .selectFrom('price_books')
      .select(['id', 'project_id', 'activated_at', 'catalogue_hash', 'corrections_hash', 'further_hash', 'timezone'])
      .where('project_id', '=', projectId)
      .orderBy('activated_at')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      projectId: row.project_id,
      activatedAt: row.activated_at,
      catalogueHash: row.catalogue_hash,
      correctionsHash: row.corrections_hash,
      furtherHash: row.further_hash,
      timezone: row.timezone,
    }));
  }

  /**
   * Changes overrides and makes a book from those in force, in one transaction. Then waits until the book is active. If
   * the clock was set back, this would take long. Then `whenever it is` doesn't wait, and `soon or not at all` throws.
   * @throws Problem `unavailable`; nothing has changed
   */
  async #activate(
    projectId: string,
    when: 'soon or not at all' | 'whenever it is',
    change: (transaction: ControlQueries) => Promise<boolean>,
  ): Promise<boolean> {
    const corrections = currentCorrections();
    let activatedAt = 0;
    const changed = await withProjectLock(this.#control, projectId, async (transaction) => {
      if (!(await change(transaction))) return false;
      const catalogue = await readCatalogueInForce(transaction);
      const further = (await this.furtherInForce(transaction))?.snapshot;
      for (const snapshot of [catalogue, corrections, ...(further ? [further] : [])])
        await keepPriceData(transaction, snapshot, this.#clock());
      const overrides = await readOverrides(transaction, projectId);
      const { timezone } = await requireRow(transaction, 'projects', { id: projectId });
      const { newest } = await transaction
        .selectFrom('price_books')
        .select((book) => book.fn.max('activated_at').as('newest'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      // The newest book must have all changes, so it is activated last, even if another instance's clock is ahead.
      activatedAt = Math.max(this.#clock() + activationDelayMs, Number(newest ?? 0) + 1);
      if (when === 'soon or not at all') refuseFarAhead(activatedAt, this.#clock());
      await transaction
        .insertInto('price_books')
        .values({
          id: newId('pbk'),
          project_id: projectId,
          catalogue_hash: catalogue.hash,
          corrections_hash: corrections.hash,
          further_hash: further?.hash ?? null,
          overrides: JSON.stringify(overrides),
          timezone,
          activated_at: activatedAt,
        })
        .execute();
      return true;
    });
    const leftMs = activatedAt - this.#clock();
    if (changed && leftMs > 0 && leftMs <= maxActivationMs) await sleep(leftMs);
    return changed;
  }
}

/** @throws Problem `unavailable` when the activation is more than `maxActivationMs` ahead of the clock */
function refuseFarAhead(activatedAt: number, now: number): void {
  if (activatedAt - now <= maxActivationMs) return;
  throw new Problem(
    'unavailable',
    `The newest prices of the project are from ${new Date(activatedAt - 1).toISOString()}, and the clock of the service is behind that time: correct the clock, or try again later.`,
    { headers: { 'retry-after': String(Math.ceil((activatedAt - now) / 1_000)) } },
  );
}

async function readOverrides(queries: ControlQueries, projectId: string): Promise<PriceOverride[]> {
  const rows = await queries
    .selectFrom('price_overrides')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...(parseJson(row.definition) as NewOverride),
    id: row.id,
    createdAt: row.created_at,
  }));
}

async function readAppliedReprices(queries: ControlQueries, projectId: string): Promise<AppliedReprice[]> {
  const rows = await queries
    .selectFrom('rebuilds')
    .select(['price_book_id', 'date_from', 'date_to', 'timezone', 'finished_at'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'reprice')
    .where('state', '=', 'done')
    .where('dry_run', '=', 0)
    .execute();
  return rows.flatMap(
    ({ price_book_id: bookId, date_from: dateFrom, date_to: dateTo, timezone, finished_at: appliedAt }) =>
      bookId === null || dateFrom === null || dateTo === null || appliedAt === null
        ? []
        : [{ bookId, dateFrom, dateTo, timezone, appliedAt }],
  );
}
