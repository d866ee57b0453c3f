import { createHash } from 'node:crypto';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { Snapshot } from '../catalogue.ts';
import type { FurtherList } from '../further-list.ts';
import { type FiledListName, installedLists } from './installed-lists.ts';

/** A list as the product shows it. */
export interface ListInForce {
  readonly list: string;
  readonly version: string;
  /** The day of its data. */
  readonly date: string;
  /** Milliseconds since 1970; null for a list that came with this version of Farthing. */
  readonly fetchedAt: number | null;
}

/** A list that was fetched, or given as a file, as it is stored: its prices are in `price_data`. */
interface FetchedList extends ListInForce {
  readonly list: FiledListName;
  readonly hash: string;
}

/** The further lists that new price books use: their text by content (D5.7), and what they are. */
export interface FurtherInForce {
  readonly snapshot: Snapshot;
  readonly lists: readonly ListInForce[];
}

/** The last lists in force that were made, which every project's next book has too. */
let made: { readonly key: string; readonly inForce: FurtherInForce } | undefined;

/** The installed lists. A fetched list stands in for all editions of the installed one that are not newer (D27.2). */
export async function readFurtherInForce(queries: ControlQueries): Promise<FurtherInForce> {
  const installed = await installedLists();
  const fetched = (await readFetched(queries)).filter(
    ({ list, date }) => !installed.some((own) => own.list === list && own.date > date),
  );
  const key = fetched.map(({ hash }) => hash).join(' ');
  if (made?.key !== key) {
    const parts = await Promise.all(
      installed.map(async (own) => {
        const newer = fetched.find(({ list }) => list === own.list);
        if (newer === undefined) return { text: JSON.stringify(own), list: { ...own, fetchedAt: null } };
        return { text: await readText(queries, newer.hash), list: newer };
      }),
    );
    // A list that has several installed editions is fetched as one.
    const distinct = parts.filter(({ list }, index) => parts.findIndex((other) => other.list === list) === index);
    const data = `[${distinct.map(({ text }) => text).join(',')}]`;
    const hash = createHash('sha256').update(data).digest('hex');
    const lists = distinct.map(({ list: { list, version, date, fetchedAt } }) => ({ list, version, date, fetchedAt }));
    made = { key, inForce: { snapshot: { data, hash }, lists } };
  }
  return made.inForce;
}

async function readFetched(queries: ControlQueries): Promise<FetchedList[]> {
  const rows = await queries.selectFrom('price_list_updates').selectAll().orderBy('list').execute();
  return rows.map(({ fetched_at: fetchedAt, list, ...row }) => ({ ...row, list: list as FiledListName, fetchedAt }));
}

async function readText(queries: ControlQueries, hash: string): Promise<string> {
  const { data } = await queries
    .selectFrom('price_data')
    .select('data')
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return data;
}

/** Puts a fetched list in force for new price books. False when it was in force already. */
export async function storeList(
  queries: ControlQueries,
  list: FurtherList & { readonly list: FiledListName },
  now: number,
): Promise<boolean> {
  const data = JSON.stringify(list);
  const hash = createHash('sha256').update(data).digest('hex');
  const before = (await readFetched(queries)).find((known) => known.list === list.list);
  await queries
    .insertInto('price_data')
    .values({ hash, data, created_at: now })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
  const row = { list: list.list, version: list.version, date: list.date, hash, fetched_at: now };
  await queries
    .insertInto('price_list_updates')
    .values(row)
    .onConflict((conflict) => conflict.column('list').doUpdateSet(row))
    .execute();
  return before?.hash !== hash;
}
