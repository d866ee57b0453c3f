import {
  ColumnNode,
  CompiledQuery,
  type DatabaseConnection,
  DeleteQueryNode,
  type Dialect,
  type Driver,
  DummyDriver,
  InsertQueryNode,
  Kysely,
  type QueryResult,
  RawNode,
  SelectQueryNode,
  TableNode,
  type TransactionSettings,
  UpdateQueryNode,
} from 'kysely';
import { type Actor, currentActor } from '../../../lib/actor.ts';
import { parseJson } from '../../../lib/json.ts';
import type { ControlSchema } from '../schema/schema.ts';
import type { Capture } from './capture.ts';
import { composeEntries, type RowChange } from './compose-entries.ts';
import { listStatedColumns, tablesByName } from './tables-by-name.ts';

type Options = Parameters<DatabaseConnection['executeQuery']>[1];

/** A dialect whose transactions write the audit log themselves (D34.3). */
export const recording = (dialect: Dialect, capture: Capture): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => {
    const compiler = new Kysely<ControlSchema>({
      dialect: {
        createAdapter: () => dialect.createAdapter(),
        createIntrospector: (db) => dialect.createIntrospector(db),
        createQueryCompiler: () => dialect.createQueryCompiler(),
        createDriver: () => new DummyDriver(),
      },
    });
    return new RecordingDriver(dialect.createDriver(), { capture, compiler });
  },
});

interface Recorder {
  readonly capture: Capture;
  /** Makes the text of statements. */
  readonly compiler: Kysely<ControlSchema>;
}

/**
 * A transaction that has changed audited tables writes the entries of its changes before it commits, under the name of its
 * actor. A statement outside a transaction that changes such a table gets its own. So a change and its entry are stored
 * together or not at all.
 */
class RecordingDriver implements Driver {
  readonly #driver: Driver;
  readonly #recorder: Recorder;

  constructor(driver: Driver, recorder: Recorder) {
    this.#driver = driver;
    this.#recorder = recorder;
  }

  async init(options?: Options): Promise<void> {
    await this.#driver.init(options);
  }

  async acquireConnection(options?: Options): Promise<RecordingConnection> {
    return new RecordingConnection(await this.#driver.acquireConnection(options), this.#driver, this.#recorder);
  }

  async beginTransaction(connection: RecordingConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings);
  }

  async commitTransaction(connection: RecordingConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: RecordingConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: RecordingConnection, options?: Options): Promise<void> {
    await this.#driver.releaseConnection(connection.inner, options);
  }

  async destroy(options?: Options): Promise<void> {
    await this.#driver.destroy(options);
  }
}

class RecordingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #driver: Driver;
  readonly #recorder: Recorder;
  /** The transaction under way: who began it, undefined if nobody is to be recorded, and whether it may have entries. */
  #transaction: { readonly actor: Actor | undefined; hasChanges: boolean } | undefined;

  constructor(inner: DatabaseConnection, driver: Driver, recorder: Recorder) {
    this.inner = inner;
    this.#driver = driver;
    this.#recorder = recorder;
  }

  async executeQuery<Row>(query: CompiledQuery, options?: Options): Promise<QueryResult<Row>> {
    const changes = mayChangeAudited(query);
    if (this.#transaction) {
      this.#transaction.hasChanges ||= changes;
      return await this.inner.executeQuery(query, options);
    }
    if (!changes) return await this.inner.executeQuery(query, options);
    await this.begin({}, { hasChanges: true });
    try {
      const result = await this.inner.executeQuery<Row>(query, options);
      await this.commit();
      return result;
    } catch (error) {
      // The statement's error says what went wrong, even if the rollback fails too.
      await this.rollback().catch(() => undefined);
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error('The control store is not streamed');
  }

  async begin(settings: TransactionSettings, { hasChanges } = { hasChanges: false }): Promise<void> {
    const actor = currentActor();
    await this.#driver.beginTransaction(this.inner, settings);
    this.#transaction = { actor, hasChanges };
    if (!actor) await this.#run(this.#recorder.capture.pause);
  }

  async commit(): Promise<void> {
    const { actor, hasChanges = false } = this.#transaction ?? {};
    const { resume } = this.#recorder.capture;
    if (!actor && resume !== undefined) await this.#run(resume);
    if (actor && hasChanges) await this.#record(actor);
    await this.#driver.commitTransaction(this.inner);
    this.#transaction = undefined;
  }

  async rollback(): Promise<void> {
    this.#transaction = undefined;
    await this.#driver.rollbackTransaction(this.inner);
  }

  async #record(actor: Actor): Promise<void> {
    const { capture } = this.#recorder;
    const taken = await this.#run<Taken>(capture.take);
    if (taken.length === 0) return;
    if (capture.clear !== undefined) await this.#run(capture.clear);
    const changes = taken.sort((a, b) => a.seq - b.seq).map(toRowChange);
    const [{ at } = { at: 0 }] = taken;
    const entries = composeEntries(changes, {
      actor,
      at,
      projectOfClient: await this.#readClients(changes),
      emailOfMember: await this.#readMembers(changes),
    });
    for (const query of capture.write(entries)) await this.inner.executeQuery(query);
  }

  /** The projects of the clients whose secrets have changed. */
  async #readClients(changes: readonly RowChange[]): Promise<ReadonlyMap<unknown, string>> {
    const ids = changes.flatMap(({ table, before, after }) =>
      table === 'client_secrets' ? [String((after ?? before)?.client_id)] : [],
    );
    if (ids.length === 0) return new Map();
    const query = this.#recorder.compiler
      .selectFrom('clients')
      .select(['id', 'project_id'])
      .where('id', 'in', [...new Set(ids)])
      .compile();
    const { rows } = await this.inner.executeQuery<{ id: string; project_id: string }>(query);
    return new Map(rows.map(({ id, project_id }) => [id, project_id]));
  }

  /** The e-mail addresses of the members whose roles or links have changed: also of those who are removed with them. */
  async #readMembers(changes: readonly RowChange[]): Promise<ReadonlyMap<unknown, string>> {
    const of = (table: string) =>
      changes.flatMap((change) => (change.table === table ? [change.after ?? change.before] : []));
    const emails = new Map(of('members').map((row) => [row?.id, String(row?.email)]));
    const ids = [...of('member_roles'), ...of('invitations')].map((row) => String(row?.member_id));
    const others = [...new Set(ids)].filter((id) => !emails.has(id));
    if (others.length === 0) return emails;
    const query = this.#recorder.compiler
      .selectFrom('members')
      .select(['id', 'email'])
      .where('id', 'in', others)
      .compile();
    const { rows } = await this.inner.executeQuery<{ id: string; email: string }>(query);
    for (const { id, email } of rows) emails.set(id, email);
    return emails;
  }

  async #run<Row>(statement: string): Promise<Row[]> {
    return (await this.inner.executeQuery<Row>(CompiledQuery.raw(statement))).rows;
  }
}

interface Taken {
  readonly seq: number;
  readonly table: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly at: number;
}

const readRow = (text: string | null): RowChange['before'] =>
  text === null ? null : (parseJson(text) as RowChange['before']);

const toRowChange = ({ table, before, after }: Taken): RowChange => ({
  table,
  before: readRow(before),
  after: readRow(after),
});

const statedColumns: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...tablesByName].map(([name, table]) => [name, new Set(listStatedColumns(table))]),
);

/** Whether a statement may set off the trigger of an audited table. */
function mayChangeAudited({ query, sql }: CompiledQuery): boolean {
  if (SelectQueryNode.is(query)) return false;
  if (InsertQueryNode.is(query)) return query.into === undefined || isAudited(query.into.table.identifier.name);
  if (DeleteQueryNode.is(query))
    return query.from.froms.some((from) => !TableNode.is(from) || isAudited(from.table.identifier.name));
  if (UpdateQueryNode.is(query)) return mayUpdateAudited(query);
  return RawNode.is(query) && /^\s*(?:insert|update|delete)\b/i.test(sql) && namesAudited(sql);
}

const isAudited = (table: string): boolean => statedColumns.has(table);

function mayUpdateAudited({ table, updates = [] }: UpdateQueryNode): boolean {
  if (!table || !TableNode.is(table)) return true;
  const stated = statedColumns.get(table.table.identifier.name);
  return stated !== undefined && updates.some(({ column }) => !ColumnNode.is(column) || stated.has(column.column.name));
}

const namesAudited = (text: string): boolean => [...text.matchAll(/\w+/g)].some(([word]) => isAudited(word));
