import { quoteString } from './literal.ts';
import type { QueryRequest } from './request.ts';
import type { QueryResponse } from './response.ts';
import type { OutputPipe } from './spool.ts';
import { insertFromFile, selectIntoFile } from './statement.ts';
import type { Connection, Store } from './store.ts';

/** Runs a SELECT. Its rows pass through the pipe to the response, at the pace of the reader. */
export async function executeSelect(
  store: Store,
  request: QueryRequest,
  response: QueryResponse,
  pipe: OutputPipe,
  signal: AbortSignal,
): Promise<void> {
  await withConnection(store, request, async (connection) => {
    signal.throwIfAborted();
    const { rows, closeWriter } = await pipe.open();
    // The stream may fail while nothing reads it. An error without a listener would end the process.
    rows.on('error', () => {});
    const sql = selectIntoFile(request.statement.text, pipe.path, request.format);
    const running = connection.run(sql, 'Null').finally(closeWriter);
    // Awaited below in every case; without this line Node would report an unhandled rejection while rows are read.
    running.catch(() => {});
    const stop = () => rows.destroy(new Error('the reader has gone'));
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      for await (const chunk of rows) await response.write(chunk, signal);
    } catch (error) {
      rows.destroy();
      await Promise.all([store.kill(request.queryId, running), pipe.letWriterIn(running)]);
      await pipe.replace();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    await running;
  });
  response.end();
}

/** Runs an INSERT with its rows in the request's body. The rows are stored when this resolves. */
export async function executeInsert(
  store: Store,
  request: QueryRequest,
  rowsPath: string,
  response: QueryResponse,
): Promise<void> {
  await withConnection(store, request, async (connection) => {
    const sql = insertFromFile(request.statement.text, rowsPath, request.format);
    const { rowsRead, bytesRead } = await connection.run(sql, 'Null');
    response.end({ 'X-ClickHouse-Summary': insertSummary(rowsRead, bytesRead) });
  });
}

/** Runs any other statement. A client that disconnects doesn't stop it, so that no change is left half done. */
export async function executeOther(
  store: Store,
  request: QueryRequest,
  response: QueryResponse,
  signal: AbortSignal,
): Promise<void> {
  await withConnection(store, request, async (connection) => {
    const { bytes } = await connection.run(request.statement.sql, request.format);
    if (bytes.length > 0) await response.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), signal);
    response.end();
  });
}

/**
 * Lends a connection to a request. A SELECT or INSERT leaves only settings behind, so its connection is reused for
 * requests on the same database that set the same names. After any other statement, or a failure, the connection is
 * closed.
 */
async function withConnection(
  store: Store,
  request: QueryRequest,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const kind = JSON.stringify([request.database, [...request.settings.keys()], [...request.parameters.keys()]]);
  const connection = store.take(kind);
  try {
    await prepare(connection, request);
    await work(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  if (request.statement.kind === 'other') connection.close();
  else store.giveBack(kind, connection);
}

/** Sets the settings and parameters of the request. All values are literals, so none is ever read as SQL. */
async function prepare(connection: Connection, request: QueryRequest): Promise<void> {
  const assignments = [
    ...Array.from(request.settings, ([name, value]) => `${name} = ${quoteString(value)}`),
    ...Array.from(request.parameters, ([name, value]) => `param_${name} = ${quoteString(value)}`),
    // The engine chooses its own query ids; a running query is found by this comment.
    `log_comment = ${quoteString(request.queryId)}`,
  ];
  await connection.configure(`SET ${assignments.join(', ')}`);
  if (request.database !== undefined) await connection.use(request.database);
}

// A ClickHouse server sends these numbers as strings.
function insertSummary(rows: number, bytes: number): string {
  return JSON.stringify({
    read_rows: String(rows),
    read_bytes: String(bytes),
    written_rows: String(rows),
    written_bytes: String(bytes),
    total_rows_to_read: '0',
    result_rows: String(rows),
    result_bytes: String(bytes),
  });
}
