import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { Clause } from '../clickhouse/clause.ts';

/** The most bytes that are kept, as JSON; in memory they take about three times as much. */
const maxBytes = 8 * 1_048_576;
/** The most bytes of one statement: a page of 1,000 rows has about 150 KB. */
const maxBytesOfOne = 1_048_576;
/** How long rows are kept, in milliseconds: what is erased from the stores must not stay in memory for long. */
const keptMs = 300_000;

type Rows = readonly object[];

/** What a statement reads from. */
interface ReadFrom {
  /** Whether it is cells of sealed days alone. */
  readonly isSettled: boolean;
}

/**
 * A cache of rows that statements have read from sealed days alone. The cells of a seal never change, a statement names
 * its seals, and no statement names a seal that no longer counts: so the cached rows are those that the store would
 * return (docs/decisions/0015). Requests for the same rows share a statement that is under way.
 */
export class SettledRows {
  readonly #store: Pick<AnalyticStore, 'select'>;
  readonly #kept: LRUCache<string, Rows, Clause>;

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytesOfOne,
      ttl: keptMs,
      sizeCalculation: (rows, key) => key.length + JSON.stringify(rows).length,
      // A request that waits gets the rows also when they are too large to keep.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: { sql, parameters } }) =>
        await this.#store.select<object>(sql, parameters),
    });
  }

  /**
   * The rows of a statement that reads from these cells and nothing else.
   * @throws Problem as the store's `select` does
   */
  async select<Row extends object>(statement: Clause, cells: readonly ReadFrom[]): Promise<readonly Row[]> {
    const { sql, parameters } = statement;
    if (!cells.every(({ isSettled }) => isSettled)) return await this.#store.select<Row>(sql, parameters);
    // All rows of one statement are of one type.
    return (await this.#kept.forceFetch(keyOf(statement), { context: statement })) as readonly Row[];
  }
}

/** Units of credits are bigints, which JSON does not have. */
const keyOf = ({ sql, parameters }: Clause): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
