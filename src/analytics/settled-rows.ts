import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { Clause } from '../clickhouse/clause.ts';

/** How much is kept of what was read, as bytes of JSON; in memory it is about three times as much. */
const maxBytes = 8 * 1_048_576;
/** How much of one statement: a page of 1,000 rows has some 150 KB. */
const maxBytesOfOne = 1_048_576;
/** How long it is kept, in milliseconds: what is erased from the stores shall not be in memory for long. */
const keptMs = 300_000;

type Rows = readonly object[];

/** What a statement reads from, as far as it matters here. */
interface ReadFrom {
  /** Whether it is cells of sealed days alone, which never change. */
  readonly isSettled: boolean;
}

/**
 * What statements have read of sealed days alone, for those who ask the same again. The cells of a seal are never changed, a
 * statement names its seals, and a seal that no longer counts is named by none: so what is kept is what the store would say
 * (docs/decisions/0015). Who asks while another's statement is under way waits for that one.
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
      // Whoever waits gets the rows also when there was no room to keep them.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: { sql, parameters } }) =>
        await this.#store.select<object>(sql, parameters),
    });
  }

  /** The rows of a statement that reads from these cells and nothing else. @throws Problem as the store's `select` does */
  async select<Row extends object>(statement: Clause, cells: readonly ReadFrom[]): Promise<readonly Row[]> {
    const { sql, parameters } = statement;
    if (!cells.every(({ isSettled }) => isSettled)) return await this.#store.select<Row>(sql, parameters);
    // Of one statement all rows are of one type.
    return (await this.#kept.forceFetch(keyOf(statement), { context: statement })) as readonly Row[];
  }
}

/** Units of credits are bigints, which JSON does not have. */
const keyOf = ({ sql, parameters }: Clause): string =>
  hash(
    'sha256',
    JSON.stringify([sql, parameters], (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
