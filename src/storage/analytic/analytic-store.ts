import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { currentAsker } from '../../lib/asker.ts';
import { parseJson } from '../../lib/json.ts';
import { AnswerTooLarge, Problem } from '../../lib/problem.ts';
import type { Shares } from '../../lib/shares.ts';
import { type Cluster, onCluster, seeingAllReplicas } from './cluster.ts';
import { type Column, column, encodeBlocks, text } from './native-block.ts';
import { type Parameters, RowReader, type Run } from './row-reader.ts';
import { type StoreMigration, storeMigrations } from './schema.ts';
import { isSupportedVersion, oldestVersion, settingsFor } from './settings.ts';
import { durable } from './tables/columns.ts';

export interface AnalyticStoreOptions {
  /** `http://host:port`, with a database as its path when it is not the default one. */
  readonly url: string;
  /** For the embedded engine; a server's credentials are in its URL. */
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  /** The cluster that holds the tables; a single server when unset. */
  readonly cluster?: string | undefined;
  /** CA certificates in PEM that verify the server; Node's own when unset. */
  readonly ca?: Buffer | undefined;
  /** Receives the duration of each statement, and each failed attempt. */
  readonly observer?: StoreObserver;
  /** The slots that SELECTs share fairly, by the lane of their asker; without them every SELECT runs at once. */
  readonly shares?: Shares | undefined;
  /** The most bytes of the rows of one `select`; without it, any number. */
  readonly mostBytes?: number | undefined;
}

export interface StoreObserver {
  onStatement(kind: 'select' | 'insert' | 'command', elapsedMs: number): void;
  onError(): void;
}

/** The time limit of a query, in milliseconds; no client waits longer for an answer. */
const answerWithinMs = 15_000;
/** How long a statement is retried while the engine restarts, in milliseconds. */
const reconnectMs = 10_000;
const firstRetryMs = 50;
const lastRetryMs = 1_000;
/**
 * Transient errors, which are retried: a lost connection; too many queries at once (202); a server that is stopping
 * (236) or has lost other shards (209, 210, 279), its keeper (242, 999), or other replicas (285); another quorum insert
 * under way (286); a replica that does not have all data yet (289).
 */
const passingCodes: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['202', '209', '210', '236', '242', '279', '285', '286', '289', '999'],
]);

/** Error codes of invalid rows: such an INSERT has stored nothing and never will. */
const refusedRowCodes = new Set('6 25 26 27 32 38 41 53 62 69 70 72 117 130 376'.split(' '));

const noteColumns = [column('id', text, (id: string) => id)];

/** The tables have migrations that this release does not know. */
export class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`The analytic store has migrations that this release does not know: ${ids.join(', ')}`);
    this.ids = ids;
  }
}

/** ClickHouse, embedded or a server: the same statements over the same HTTP interface. */
export class AnalyticStore {
  readonly #client: ClickHouseClient;
  readonly #reader: RowReader;
  readonly #cluster: Cluster | undefined;
  readonly #observer: StoreObserver | undefined;
  readonly #shares: Shares | undefined;
  readonly #isEmbedded: boolean;
  readonly #isBounded: boolean;

  constructor({ url, credentials, cluster, ca, observer, shares, mostBytes }: AnalyticStoreOptions) {
    const database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'default';
    this.#cluster = cluster === undefined ? undefined : { name: cluster, database };
    this.#observer = observer;
    this.#shares = shares;
    this.#isEmbedded = credentials !== undefined;
    this.#isBounded = mostBytes !== undefined;
    this.#reader = new RowReader({ url, credentials, database, settings: settingsFor(cluster), ca, mostBytes });
    this.#client = createClient({
      url,
      ...credentials,
      max_open_connections: 16,
      request_timeout: 35_000,
      use_multipart_params_auto: true,
      ...(ca && { tls: { ca_cert: ca } }),
      clickhouse_settings: settingsFor(cluster),
      // The client's log lines would contain queries. Errors are thrown, and logged where they are handled.
      log: { level: ClickHouseLogLevel.OFF },
      json: { parse: <T>(text: string) => parseJson(text) as T, stringify: JSON.stringify },
    });
  }

  /**
   * Returns the rows of a query; retries on transient errors. Values are bound, never part of the SQL.
   * @throws Problem `unavailable` when the store does not answer within `withinMs` milliseconds, or can't run the query;
   * `rate_limited` when the share of its asker is used up; with `mostBytes`, `answer_too_large` when the rows have more,
   * or when a statement alone needs more memory than it may take
   */
  async select<Row>(query: string, parameters: Parameters = {}, withinMs: number = answerWithinMs): Promise<Row[]> {
    return await this.#read(query, withinMs, (sql, how) => this.#reader.read<Row>(sql, parameters, how));
  }

  /**
   * Passes each row of a query to the function that `start` returns, without holding all rows in memory. After a
   * transient error the query starts over with a new function; discard the rows that the old one received.
   * @throws Problem as `select` does
   */
  async selectEach<Row>(query: string, parameters: Parameters, start: () => (row: Row) => void): Promise<void> {
    await this.#read(query, answerWithinMs, async (sql, { seconds, signal, queryId }) => {
      const result = await this.#client.query({
        query: sql,
        query_params: { ...parameters },
        query_id: queryId,
        format: 'JSONEachRow',
        abort_signal: signal,
        clickhouse_settings: { max_execution_time: seconds },
      });
      const take = start();
      for await (const rows of result.stream<Row>()) for (const row of rows) take(row.json());
    });
  }

  async #read<T>(query: string, withinMs: number, run: (sql: string, how: Run) => Promise<T>): Promise<T> {
    const { lane = '', left, weight, hasBegun = false } = (this.#shares && currentAsker()) ?? {};
    const sql = this.#cluster ? seeingAllReplicas(query, this.#cluster) : query;
    const within = () => AbortSignal.any([AbortSignal.timeout(withinMs), ...(left ? [left] : [])]);
    const beforehand = hasBegun ? left : within();
    const giveBack = await this.#shares?.take(lane, beforehand, hasBegun);
    // Of an answer that has begun, the time spent waiting does not count.
    const giveUp = hasBegun || !beforehand ? within() : beforehand;
    let ended: Promise<void> | undefined;
    let queryId = '';
    try {
      return await this.#retry(() => {
        queryId = randomUUID();
        const isLight = weight === 'light';
        const how = { seconds: Math.ceil(withinMs / 1_000), signal: giveUp, queryId, isLight };
        return this.#observe('select', () => run(sql, how));
      }, giveUp);
    } catch (cause) {
      ended = this.#awaitEnd(queryId);
      if (this.#isBounded && needsTooMuchMemory(cause)) throw new Problem('answer_too_large', tooMuchMemory);
      if (giveUp.aborted || isPassing(cause) || isTooHeavy(cause) || isUnreadable(cause)) {
        throw new Problem('unavailable', 'The store cannot answer this now; ask again later, or for a shorter range.', {
          headers: { 'retry-after': '2' },
          cause,
        });
      }
      throw cause;
    } finally {
      if (giveBack) void Promise.resolve(ended).then(giveBack);
    }
  }

  /**
   * Waits until a statement whose reader has gone has really ended: until then it keeps its slot. Otherwise those who ask
   * and leave would have more statements run than there are slots. A server ends them by itself, and has more of them.
   */
  async #awaitEnd(queryId: string): Promise<void> {
    // Without an answer the engine has died, and the statement with it.
    if (this.#isEmbedded) await this.#reader.awaitEnd(queryId).catch(() => undefined);
  }

  /** Runs a statement that returns no rows. It must be repeatable, because it is retried on transient errors. */
  async command(query: string, parameters: Parameters = {}): Promise<void> {
    for (const statement of this.#cluster ? onCluster(query, this.#cluster) : [query]) {
      await this.#retry(() => this.commandOnce(statement, parameters));
    }
  }

  /**
   * Runs a statement that returns no rows, without retries. When this throws, the statement may have run, in whole or
   * in part.
   */
  async commandOnce(query: string, parameters: Parameters = {}): Promise<void> {
    await this.#observe('command', async () => {
      if (Object.keys(parameters).length === 0) {
        await this.#client.command({ query });
        return;
      }
      // The client sends large parameters in the body only for queries; in the URL they would be refused.
      const answer = await this.#client.query({ query, query_params: { ...parameters }, format: 'JSONEachRow' });
      await answer.text();
    });
  }

  /** Streams the rows of a query in Native format, without a time limit. A stream that is cut off ends with an error. */
  async streamNative(query: string, parameters: Parameters, signal: AbortSignal): Promise<Readable> {
    const { stream } = await this.#client.exec({
      query: `${query} FORMAT Native`,
      query_params: { ...parameters },
      abort_signal: signal,
      clickhouse_settings: { max_execution_time: 0 },
    });
    return stream;
  }

  /**
   * Inserts rows. Rows of one partition become one part. There are no retries: only the caller knows whether one is
   * safe. Encoding yields to the event loop between blocks.
   */
  async insertRows<Row>(
    table: string,
    columns: readonly Column<Row>[],
    rows: readonly Row[],
    { deduplicationToken }: { deduplicationToken?: string } = {},
  ): Promise<void> {
    const names = columns.map(({ name }) => name);
    await this.#observe('insert', () =>
      this.#insertNative(table, names, Readable.from(encodeBlocks(columns, rows), { objectMode: false }), {
        ...(deduplicationToken !== undefined && { insert_deduplication_token: deduplicationToken }),
      }),
    );
  }

  /** Records in `migrations` that some work is done or under way. */
  async noteMigration(id: string): Promise<void> {
    await this.insertRows('migrations', noteColumns, [id]);
  }

  /** Inserts rows in Native format. Rows of one partition become one part, so all or none of them are stored. */
  async insertNative(table: string, columns: readonly string[], rows: Readable): Promise<void> {
    await this.#insertNative(table, columns, rows, { max_execution_time: 0 });
  }

  async #insertNative(
    table: string,
    columns: readonly string[],
    rows: Readable,
    settings: ClickHouseSettings,
  ): Promise<void> {
    const { stream } = await this.#client.exec({
      query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`,
      values: rows,
      clickhouse_settings: {
        // Limits that no INSERT reaches, so that all its blocks become one part.
        min_insert_block_size_rows: '1000000000',
        min_insert_block_size_bytes: '1000000000000',
        max_insert_threads: '1',
        // Rows of one key are merged on read and when parts merge. Merging them in each INSERT too takes a sixth of the
        // engine's time for assembly. Few INSERTs have such rows: only those of a run with two days in a batch.
        optimize_on_insert: 0,
        ...settings,
      },
    });
    await finished(stream.resume());
  }

  /** Whether an INSERT failed because of its rows, so that a retry is of no use. */
  isRefusedRow(cause: unknown): boolean {
    return cause instanceof ClickHouseError && refusedRowCodes.has(cause.code);
  }

  async isReachable(): Promise<boolean> {
    return (await this.#client.ping({ select: true })).success;
  }

  /**
   * Brings the schema up to date: runs what comes after the last recorded migration.
   * @throws Error when the server is older than the oldest supported version
   * @throws UnknownMigrations when a newer release has changed the tables
   */
  async migrate(migrations: readonly StoreMigration[] = storeMigrations): Promise<void> {
    const [server] = await this.select<{ version: string }>('SELECT version() AS version');
    if (server && !isSupportedVersion(server.version)) {
      throw new Error(`ClickHouse ${server.version} is too old: Farthing needs ${oldestVersion} or newer`);
    }
    await this.command(
      `CREATE TABLE IF NOT EXISTS migrations (id String, applied_at DateTime64(3) DEFAULT now64(3)) ENGINE = MergeTree ORDER BY id SETTINGS ${durable}`,
    );
    const applied = new Set((await this.select<{ id: string }>('SELECT id FROM migrations')).map(({ id }) => id));
    const known = new Set(migrations.map(({ id }) => id));
    // Ids of work under way do not begin with a digit.
    const unknown = [...applied].filter((id) => /^\d/.test(id) && !known.has(id)).sort();
    if (unknown.length > 0) throw new UnknownMigrations(unknown);
    const done = migrations.findLastIndex(({ id }) => applied.has(id)) + 1;
    for (const { id, statements } of migrations.slice(done)) {
      for (const statement of statements) await this.command(statement);
      await this.noteMigration(id);
    }
  }

  async isDeleting(tables: readonly string[]): Promise<boolean> {
    const rows = await this.select(
      'SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND table IN (SELECT arrayJoin({tables:Array(String)})) AND NOT is_done LIMIT 1',
      { tables },
    );
    return rows.length > 0;
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#client.close();
  }

  async #observe<T>(kind: 'select' | 'insert' | 'command', run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) this.#observer?.onError();
      throw error;
    } finally {
      this.#observer?.onStatement(kind, performance.now() - startedAt);
    }
  }

  async #retry<T>(action: () => Promise<T>, giveUp?: AbortSignal): Promise<T> {
    const until = Date.now() + reconnectMs;
    for (let pauseMs = firstRetryMs; ; pauseMs = Math.min(2 * pauseMs, lastRetryMs)) {
      try {
        return await action();
      } catch (cause) {
        if (!isPassing(cause) || Date.now() >= until || giveUp?.aborted) throw cause;
        // Random, so that statements do not all retry at once.
        await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
      }
    }
  }
}

const isPassing = (cause: unknown): boolean =>
  cause instanceof Error && passingCodes.has((cause as NodeJS.ErrnoException).code ?? '');

/** Whether it failed for what it asks: too much time or memory, or values that the engine can't take. */
export const isOfStatement = (cause: unknown): boolean =>
  cause instanceof ClickHouseError && !isPassing(cause) && !isUnreadable(cause);

/** A data part is broken. The embedded engine sets it aside, and repair restores its rows. */
const isUnreadable = (cause: unknown): boolean =>
  cause instanceof ClickHouseError && cause.message.includes('while reading from part');

/** More than one query may take, so asking again is of no use. The engine and servers word it differently. */
const needsTooMuchMemory = (cause: unknown): boolean =>
  cause instanceof ClickHouseError &&
  cause.code === '241' &&
  /^(Query memory limit|Memory limit \(for query\)) exceeded/i.test(cause.message);

const tooMuchMemory =
  'This answer needs more memory than the store gives to one; ask for a shorter range, for fewer names, or without group_by.';

/** The query takes too long (159), too much memory (241), or returns more than the statement allows (396). */
const isTooHeavy = (cause: unknown): boolean =>
  cause instanceof ClickHouseError && ['159', '241', '396'].includes(cause.code);
