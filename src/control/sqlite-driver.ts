import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SelectQueryNode } from 'kysely';
import { currentAsker } from '../lib/asker.ts';
import { WriteTurns } from './write-turns.ts';

/** Two connections to one file in WAL mode: readers see the last commit, and wait for no writer. */
export interface SqliteConnections {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
}

/** How long statements run before requests get a turn, in milliseconds: each statement blocks the event loop. */
const turnMs = 4;
/** After how many rows to look at the time. */
const rowsOfLook = 64;

/** Runs the statements of Kysely. Writes and transactions take turns, one project after the other; reads wait for none. */
export class SqliteDriver implements Driver {
  readonly #connections: SqliteConnections;
  readonly #turns = new WriteTurns();
  /** When the statements of this turn of the event loop have run for long enough. */
  #until = 0;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('rollback');
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    this.#connections.reader.close();
    this.#connections.writer.close();
  }

  async takeWriteTurn(): Promise<() => void> {
    return await this.#turns.take(currentAsker()?.lane);
  }

  async run(query: CompiledQuery, on: keyof SqliteConnections): Promise<QueryResult<never>> {
    await this.#yieldWhenDue();
    const database = this.#connections[on];
    // When the disk fails, SQLite rolls back by itself. A second rollback would fail and hide the first error.
    const isOver = query.sql === 'rollback' && !database.isTransaction;
    const statement = database.prepare(isOver ? 'select 1' : query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: await this.#readRows(statement.iterate(...parameters)) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Reads a hundred thousand rows without holding requests up. */
  async #readRows(found: Iterable<unknown>): Promise<never[]> {
    const rows: unknown[] = [];
    for (const row of found) {
      rows.push(row);
      if (rows.length % rowsOfLook === 0) await this.#yieldWhenDue();
    }
    return rows as never[];
  }

  async #yieldWhenDue(): Promise<void> {
    if (performance.now() < this.#until) return;
    await nextTurn();
    this.#until = performance.now() + turnMs;
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #driver: SqliteDriver;
  /** Ends the turn of the transaction under way. */
  #endTurn: (() => void) | undefined;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#endTurn) return await this.#driver.run(query, 'writer');
    if (SelectQueryNode.is(query.query)) return await this.#driver.run(query, 'reader');
    const endTurn = await this.#driver.takeWriteTurn();
    try {
      return await this.#driver.run(query, 'writer');
    } finally {
      endTurn();
    }
  }

  streamQuery(): never {
    throw new Error('The control store is not streamed');
  }

  async begin(): Promise<void> {
    const endTurn = await this.#driver.takeWriteTurn();
    try {
      await this.#driver.run(CompiledQuery.raw('begin'), 'writer');
      this.#endTurn = endTurn;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.#driver.run(CompiledQuery.raw(how), 'writer');
    this.release();
  }

  /** Ends a turn that is not over yet, because not even the rollback was possible. */
  release(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }
}
