import type { ControlQueries, ControlStore } from '../../storage/control/control-store.ts';
import type { PriceBooks } from '../books/price-books.ts';
import { type Catalogue, installedCatalogue, openCatalogue, type Snapshot } from '../catalogue.ts';
import { readCatalogueInForce } from '../catalogue-updates.ts';
import { currentCorrections } from '../reviewed-prices.ts';

/** List prices that are newer than those in force. */
export interface NewerCatalogue {
  readonly catalogue: Catalogue;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

const rowId = 1;

/** Stores fetched data that is not put in force. It replaces earlier data. */
export async function noteSeenCatalogue(queries: ControlQueries, { hash, data }: Snapshot, now: number): Promise<void> {
  const row = { id: rowId, package_version: installedCatalogue().version, hash, data, fetched_at: now };
  await queries
    .insertInto('seen_catalogue')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** When newer list prices were last fetched; undefined if this version of the package never did. */
export async function readSeenAt(queries: ControlQueries): Promise<number | undefined> {
  const row = await queries
    .selectFrom('seen_catalogue')
    .select('fetched_at')
    .where('id', '=', rowId)
    .where('package_version', '=', installedCatalogue().version)
    .executeTakeFirst();
  return row?.fetched_at;
}

/** Reads the catalogue that was fetched last, and keeps it open. */
export class NewerCatalogues {
  readonly #control: ControlStore;
  readonly #priceBooks: Pick<PriceBooks, 'furtherInForce'>;
  #opened: { readonly key: string; readonly catalogue: Catalogue } | undefined;

  constructor(control: ControlStore, priceBooks: Pick<PriceBooks, 'furtherInForce'>) {
    this.#control = control;
    this.#priceBooks = priceBooks;
  }

  /** Undefined when the catalogue in force is the newest known. */
  async read(): Promise<NewerCatalogue | undefined> {
    const [inForce, seen] = await Promise.all([
      readCatalogueInForce(this.#control),
      this.#control
        .selectFrom('seen_catalogue')
        .select(['hash', 'fetched_at'])
        .where('id', '=', rowId)
        .where('package_version', '=', installedCatalogue().version)
        .executeTakeFirst(),
    ]);
    const isNewer = seen !== undefined && seen.hash !== inForce.hash && seen.fetched_at > (inForce.fetchedAt ?? 0);
    if (!isNewer) return undefined;
    const further = (await this.#priceBooks.furtherInForce())?.snapshot;
    const key = `${seen.hash} ${further?.hash ?? ''}`;
    if (this.#opened?.key !== key) {
      const data = await this.#readData(seen.hash);
      this.#opened = { key, catalogue: openCatalogue(data, currentCorrections().data, further?.data) };
    }
    return { catalogue: this.#opened.catalogue, fetchedAt: seen.fetched_at };
  }

  async #readData(hash: string): Promise<string> {
    const { data } = await this.#control
      .selectFrom('seen_catalogue')
      .select('data')
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow();
    return data;
  }
}
