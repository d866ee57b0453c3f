import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { currentAsker, sharedWithOthers, type Weight } from '../../lib/asker.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';

/** The size of the cache, in bytes of JSON. It takes about three times as much memory. */
const maxBytes = 8 * 1_048_576;
/** The most bytes of JSON for one statement. A page of 1,000 rows has about 150 KB. */
const maxBytesOfOne = 1_048_576;
/** How long rows are cached, in milliseconds. Short, because erased data must leave memory too. */
const keptMs = 300_000;

type Rows = readonly object[];

/**
 * What is known of a statement's rows before it runs: there are `none`, because no day has a call; they are `settled`,
 * from sealed days alone, so the same each time; or `changing`.
 */
export type RowsRead = 'none' | 'settled' | 'changing';

interface ReadFrom {
  /** Only a statement that names its seals reads `settled` rows. */
  readonly rows: RowsRead;
}

/**
 * Caches the rows of statements of sealed days: these name their seals, whose cells never change (docs/decisions/0015).
 * Requests for a statement that is running wait for its rows.
 */
export class AnswerCache {
  readonly #store: Pick<AnalyticStore, 'select'>;
  readonly #kept: LRUCache<string, Rows, Asked>;

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytesOfOne,
      ttl: keptMs,
      sizeCalculation: (rows, key) => key.length + JSON.stringify(rows).length,
      // Waiting requests get the rows even if they were too large to cache.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: { statement, weight } }) =>
        await sharedWithOthers(() => this.#store.select<object>(statement.sql, statement.parameters), weight),
    });
  }

  /**
   * The rows of a statement that reads only from these. Without rows to read, not even a total is asked for.
   * @throws Problem as the store's `select` does
   */
  async select<Row extends object>(
    statement: Clause,
    cells: readonly [ReadFrom, ...ReadFrom[]],
  ): Promise<readonly Row[]> {
    const { sql, parameters } = statement;
    if (cells.every(({ rows }) => rows === 'none')) return [];
    if (cells.some(({ rows }) => rows === 'changing')) return await this.#store.select<Row>(sql, parameters);
    // All rows of one statement are of one type.
    const asked = { statement, weight: currentAsker()?.weight };
    return (await this.#kept.forceFetch(keyOf(asked), { context: asked })) as readonly Row[];
  }
}

/** A statement, and the weight of whoever asks: light work would fail on rows that heavy work takes. */
interface Asked {
  readonly statement: Clause;
  readonly weight: Weight | undefined;
}

/** Writes bigints (units of credits) as text, because JSON cannot hold them. */
const keyOf = ({ statement: { sql, parameters }, weight }: Asked): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters, weight], (_name, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ),
  );
