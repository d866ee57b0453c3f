import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  RawNode,
  SelectQueryNode,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { currentAsker } from '../../lib/asker.ts';
import { WriteTurns } from './write-turns.ts';

/** Connections to one file in WAL mode: readers see the last commit, and wait for no writer. */
export interface SqliteConnections {
  readonly writer: DatabaseSync;
  /** Reads at once, while all of `slicers` are busy. */
  readonly reader: DatabaseSync;
  /** Each reads in slices: until it has all rows, every read of its connection would see the same older commit. */
  readonly slicers: readonly DatabaseSync[];
}

/** How long statements run before requests get a turn, in milliseconds: each statement blocks the event loop. */
const turnMs = 4;
/** After how many rows to look at the time. */
const rowsOfLook = 64;

/** Runs the statements of Kysely. Writes and transactions take turns, one project after the other; reads wait for none. */
export class SqliteDriver implements Driver {
  readonly #connections: SqliteConnections;
  readonly #idleSlicers: DatabaseSync[];
  readonly #turns = new WriteTurns();
  /** Statements of the writer, by their text: one runs at a time. A statement takes some twenty times its text. */
  readonly #prepared = new LRUCache<string, StatementSync>({
    maxSize: 500_000,
    sizeCalculation: (_statement, text) => text.length,
  });
  /** When the statements of this turn of the event loop have run for long enough. */
  #until = 0;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
    this.#idleSlicers = [...connections.slicers];
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
    const { writer, reader, slicers } = this.#connections;
    for (const database of [reader, ...slicers, writer]) database.close();
  }

  async takeWriteTurn(): Promise<() => void> {
    return await this.#turns.take(currentAsker()?.lane);
  }

  async read(query: CompiledQuery): Promise<QueryResult<never>> {
    await this.#yieldWhenDue();
    const slicer = this.#idleSlicers.pop();
    const statement = (slicer ?? this.#connections.reader).prepare(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (slicer === undefined) return { rows: statement.all(...parameters) as never[] };
    try {
      return { rows: await this.#readRows(statement.iterate(...parameters)) };
    } finally {
      this.#idleSlicers.push(slicer);
    }
  }

  /** Runs a statement on the connection that writes. */
  async write(query: CompiledQuery): Promise<QueryResult<never>> {
    await this.#yieldWhenDue();
    const { writer } = this.#connections;
    // When the disk fails, SQLite rolls back by itself. A second rollback would fail and hide the first error.
    const isOver = query.sql === 'rollback' && !writer.isTransaction;
    const text = isOver ? 'select 1' : query.sql;
    const statement = this.#prepared.get(text) ?? writer.prepare(text);
    this.#prepared.set(text, statement);
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

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/.test(sql));

class SqliteConnection implements DatabaseConnection {
  readonly #driver: SqliteDriver;
  /** Ends the turn of the transaction under way. */
  #endTurn: (() => void) | undefined;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#endTurn) return await this.#driver.write(query);
    if (isRead(query)) return await this.#driver.read(query);
    const endTurn = await this.#driver.takeWriteTurn();
    try {
      return await this.#driver.write(query);
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
      await this.#driver.write(CompiledQuery.raw('begin'));
      this.#endTurn = endTurn;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.#driver.write(CompiledQuery.raw(how));
    this.release();
  }

  /** Ends a turn that is not over yet, because not even the rollback was possible. */
  release(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }
}
