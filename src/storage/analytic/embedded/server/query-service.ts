import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { authenticate, type Credentials } from './authentication.ts';
import { findBrokenPart, notSupported, queryIdInUse, shuttingDown, toException } from './exception.ts';
import { executeInsert, executeOther, executeSelect } from './execute.ts';
import type { BrokenPart } from './messages.ts';
import { parseRequest, type QueryRequest } from './request.ts';
import { QueryResponse, sendException } from './response.ts';
import type { SlotPool } from './slots.ts';
import type { OutputPipe, Spool } from './spool.ts';
import type { Store } from './store.ts';

// The query and parameters of an INSERT are in its URL.
const MAX_HEADER_BYTES = 1024 * 1024;
// Longer than clients keep an idle connection, so that it is never closed while a request is on its way.
const KEEP_ALIVE_MS = 60_000;

export interface QueryServiceParts {
  readonly store: Store;
  readonly spool: Spool;
  readonly slots: SlotPool<OutputPipe>;
  readonly credentials: Credentials;
  /** Called with a part that a query could not read. */
  readonly onBroken: (part: BrokenPart) => void;
}

/** The part of ClickHouse's HTTP interface that its own client uses. */
export class QueryService {
  readonly server: Server;
  readonly #parts: QueryServiceParts;
  readonly #running = new Map<string, Promise<void>>();
  #stopping = false;

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
    this.server = createServer(
      { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 },
      (message, response) => this.#handle(message, response),
    );
  }

  /** Refuses new queries, waits for the running ones, and kills those that take longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.server.close();
    const running = [...this.#running];
    const killing = setTimeout(() => {
      // A query that waits for a slow reader notices that its connection closes, but no KILL.
      this.server.closeAllConnections();
      for (const [queryId, ended] of running) void this.#parts.store.kill(queryId, ended);
    }, graceMs);
    await Promise.allSettled(running.map(([, ended]) => ended));
    clearTimeout(killing);
    this.server.closeAllConnections();
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    // A client may disconnect at any moment, also before its request is read.
    const disconnected = disconnectSignal(response);
    try {
      if (message.url === '/ping') {
        response.end('Ok.\n');
        return;
      }
      authenticate(message, this.#parts.credentials);
      const ended = endAskedFor(message);
      if (ended !== undefined) {
        await Promise.allSettled([this.#running.get(ended)]);
        response.end();
        return;
      }
      if (this.#stopping) throw shuttingDown();
      if (message.method !== 'POST' && message.method !== 'GET') throw notSupported(`Method ${message.method}`);
      await this.#answer(await parseRequest(message), response, disconnected);
    } catch (error) {
      sendException(response, toException(error));
    }
  }

  async #answer(request: QueryRequest, response: ServerResponse, disconnected: AbortSignal): Promise<void> {
    const { queryId, format, gzip } = request;
    const queryResponse = new QueryResponse(response, { queryId, format, gzip });
    try {
      if (this.#running.has(queryId)) throw queryIdInUse(`Query with id = ${queryId} is already running`);
      const running = this.#run(request, queryResponse, disconnected);
      this.#running.set(queryId, running);
      await running.finally(() => this.#running.delete(queryId));
    } catch (error) {
      const exception = toException(error);
      const broken = findBrokenPart(exception);
      if (broken) this.#parts.onBroken(broken);
      await queryResponse.fail(exception);
    }
  }

  async #run(request: QueryRequest, response: QueryResponse, disconnected: AbortSignal): Promise<void> {
    const { store, spool, slots } = this.#parts;
    // Before a slot is taken, so that a slow upload does not hold one.
    const rowsPath = request.rows && (await spool.receive(request.rows, disconnected));
    try {
      const pipe = await slots.acquire(disconnected);
      try {
        if (rowsPath !== undefined) await executeInsert(store, request, rowsPath, response);
        else if (request.statement.kind === 'select') await executeSelect(store, request, response, pipe, disconnected);
        else await executeOther(store, request, response, disconnected);
      } finally {
        slots.release(pipe);
      }
    } finally {
      if (rowsPath !== undefined) await spool.discard(rowsPath);
    }
  }
}

/** `GET /ended?query_id=…` is answered when no query of this id runs any more: the id. */
function endAskedFor({ url = '/' }: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return pathname === '/ended' ? (searchParams.get('query_id') ?? '') : undefined;
}

/** Aborts when the client disconnects before it has its answer. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has disconnected'));
  });
  return controller.signal;
}
