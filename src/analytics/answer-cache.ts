import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { Clause } from '../clickhouse/clause.ts';

/** The size of the cache, in bytes of JSON; memory use is about three times as much. */
const maxBytes = 8 * 1_048_576;
/** The most bytes of JSON for one statement: a page of 1,000 rows has about 150 KB. */
const maxBytesOfOne = 1_048_576;
/** How long rows are cached, in milliseconds: short, because erased data must leave memory too. */
const keptMs = 300_000;

type Rows = readonly object[];

/** What a statement reads from. */
interface ReadFrom {
  /** Whether it is cells or calls of sealed days alone, whose seals the statement names. */
  readonly isCacheable: boolean;
}

/**
 * Caches the rows of statements that read only sealed days. The cells of a seal never change, a statement names its
 * seals, and no statement names a seal that is not in force. So the cached rows are what the store would return
 * (docs/decisions/0015). A request for a statement that is already running waits for its rows.
 */
export class AnswerCache {
  readonly #store: Pick<AnalyticStore, 'select'>;
  readonly #kept: LRUCache<string, Rows, Clause>;

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytesOfOne,
      ttl: keptMs,
      sizeCalculation: (rows, key) => key.length + JSON.stringify(rows).length,
      // Waiting requests get the rows even if they were too large to cache.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: { sql, parameters } }) =>
        await this.#store.select<object>(sql, parameters),
    });
  }

  /**
   * The rows of a statement that reads from these cells or calls, and nothing else.
   * @throws Problem as the store's `select` does
   */
  async select<Row extends object>(statement: Clause, cells: readonly ReadFrom[]): Promise<readonly Row[]> {
    const { sql, parameters } = statement;
    if (!cells.every(({ isCacheable }) => isCacheable)) return await this.#store.select<Row>(sql, parameters);
    // All rows of one statement are of one type.
    return (await this.#kept.forceFetch(keyOf(statement), { context: statement })) as readonly Row[];
  }
}

/** Units of credits are bigints, which JSON cannot hold. */
const keyOf = ({ sql, parameters }: Clause): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
