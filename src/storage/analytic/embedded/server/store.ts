import { setTimeout as sleep } from 'node:timers/promises';
import { quoteIdentifier, quoteString } from './literal.ts';
import type { DetachedPart, EngineLimits } from './messages.ts';
import { loadNativeAddon, type NativeAddon, type NativeResult } from './native.ts';
import { connectionArguments, findUnappliedSettings } from './settings.ts';

const KILL_INTERVAL_MS = 100;
// Parsing a short statement takes microseconds; a long one must not block the event loop.
const SHORT_STATEMENT_LENGTH = 64 * 1024;

// Enough for all recurring kinds of statements. Each connection takes some 0.1 MiB.
const MAX_IDLE_CONNECTIONS = 64;

/** One connection to the store. It runs one statement at a time. */
export class Connection {
  readonly #addon: NativeAddon;
  readonly #handle: unknown;
  #database: string | undefined;

  constructor(addon: NativeAddon, path: string, settings: readonly string[]) {
    this.#addon = addon;
    this.#handle = addon.CreateConnection(path, settings);
  }

  /** Runs a statement on a thread of the pool. */
  run(sql: string, format: string): Promise<NativeResult> {
    return this.#addon.QueryAsyncConnection(this.#handle, sql, format);
  }

  /** Runs a statement that only changes this connection, such as SET. */
  async configure(sql: string): Promise<void> {
    if (sql.length > SHORT_STATEMENT_LENGTH) await this.run(sql, 'Null');
    else this.#addon.QueryWithConnection(this.#handle, sql, 'Null');
  }

  /** Makes a database the default of the connection, unless it is already. */
  async use(database: string): Promise<void> {
    if (database === this.#database) return;
    await this.configure(`USE ${quoteIdentifier(database)}`);
    this.#database = database;
  }

  /** Reads a small answer synchronously; for use before requests are served. */
  read(sql: string): string {
    return this.#addon.QueryWithConnection(this.#handle, sql, 'TabSeparatedRaw');
  }

  close(): void {
    this.#addon.CloseConnection(this.#handle);
  }
}

/** The chDB store in this process. */
export class Store {
  readonly #addon: NativeAddon;
  readonly #path: string;
  readonly #settings: readonly string[];
  // Held open, because the engine unloads the store when its last connection closes.
  readonly #anchor: Connection;
  /** Idle connections, the one idle longest first. */
  readonly #idle: { readonly kind: string; readonly connection: Connection }[] = [];
  /** The queries to kill, until each has ended. */
  readonly #doomed = new Set<string>();
  #isKilling = false;

  private constructor(addon: NativeAddon, path: string, settings: readonly string[]) {
    this.#addon = addon;
    this.#path = path;
    this.#settings = settings;
    this.#anchor = new Connection(addon, path, settings);
  }

  /**
   * Opens the store in its folder.
   * @throws Error when the engine did not apply its settings
   */
  static open(path: string, limits: EngineLimits): Store {
    const store = new Store(loadNativeAddon(), path, connectionArguments(limits));
    const unapplied = findUnappliedSettings(limits, (sql) => store.#anchor.read(sql));
    if (unapplied.length > 0) throw new Error(`the engine did not apply its settings: ${unapplied.join('; ')}`);
    return store;
  }

  connect(): Connection {
    return new Connection(this.#addon, this.#path, this.#settings);
  }

  /** A connection that a statement of this kind has used, or a new one: opening one takes longer than a short query. */
  take(kind: string): Connection {
    const index = this.#idle.findLastIndex((idle) => idle.kind === kind);
    return this.#idle.splice(index === -1 ? this.#idle.length : index, 1)[0]?.connection ?? this.connect();
  }

  /** Keeps a connection for the next statement of this kind, which must set everything that this statement has set. */
  giveBack(kind: string, connection: Connection): void {
    this.#idle.push({ kind, connection });
    if (this.#idle.length > MAX_IDLE_CONNECTIONS) this.#idle.shift()?.connection.close();
  }

  /** The parts that the engine set aside; their rows are missing from every answer. */
  detachedParts(): DetachedPart[] {
    const rows = this.#anchor.read('SELECT database, table, name, reason FROM system.detached_parts');
    return rows
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => {
        const [database = '', table = '', name = '', reason = ''] = row.split('\t');
        return { database, table, name, reason };
      });
  }

  /** Kills a running query and waits until it has ended. */
  async kill(queryId: string, ended: Promise<unknown>): Promise<void> {
    this.#doomed.add(queryId);
    if (!this.#isKilling) void this.#killDoomed();
    await Promise.allSettled([ended]);
    this.#doomed.delete(queryId);
  }

  /**
   * One statement kills all queries that are to be killed. It is repeated, because a query can't be found before the
   * engine has parsed it; ASYNC, because the synchronous form can hang.
   */
  async #killDoomed(): Promise<void> {
    this.#isKilling = true;
    while (this.#doomed.size > 0) {
      const ids = Array.from(this.#doomed, quoteString).join(', ');
      const connection = this.connect();
      try {
        await connection.run(`KILL QUERY WHERE Settings['log_comment'] IN (${ids}) ASYNC`, 'Null');
      } catch {
        // Most likely out of memory; the next attempt follows.
      } finally {
        connection.close();
      }
      await sleep(KILL_INTERVAL_MS);
    }
    this.#isKilling = false;
  }

  close(): void {
    for (const { connection } of this.#idle.splice(0)) connection.close();
    this.#anchor.close();
  }
}
