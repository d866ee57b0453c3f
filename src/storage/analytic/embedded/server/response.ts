import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { type EngineException, httpStatusOf } from './exception.ts';

// Answers up to this size are sent whole, so that an error in them still sets the status.
const WHOLE_RESPONSE_BYTES = 256 * 1024;
// A reader that takes nothing for this long is treated as gone, so that it does not hold its query's slot.
const STALLED_READER_MS = 60_000;
const BEFORE_EXCEPTION_MS = 50;

export interface ResponseOptions {
  readonly queryId: string;
  readonly format: string;
  readonly gzip: boolean;
}

/** Writes the answer to one query: whole if it is short, streamed at the reader's pace if it is not. */
export class QueryResponse {
  readonly #response: ServerResponse;
  readonly #options: ResponseOptions;
  readonly #exceptionTag = randomBytes(8).toString('hex');
  #held: Buffer[] = [];
  #heldBytes = 0;
  #stream: NodeJS.WritableStream | undefined;

  constructor(response: ServerResponse, options: ResponseOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Resolves when more can be written; rejects when the signal aborts or the reader has stalled. */
  async write(chunk: Buffer, signal: AbortSignal): Promise<void> {
    if (this.#stream === undefined) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes < WHOLE_RESPONSE_BYTES) return;
      this.#stream = this.#startStream();
      chunk = this.#takeHeld();
    }
    if (this.#stream.write(chunk)) return;
    await once(this.#stream, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(STALLED_READER_MS)]) });
  }

  /** Ends the answer. `headers` are sent only if nothing was streamed. */
  end(headers: Readonly<Record<string, string>> = {}): void {
    if (this.#stream !== undefined) {
      this.#stream.end();
      return;
    }
    const body = this.#takeHeld();
    if (this.#options.gzip && body.length > 0) {
      this.#response.writeHead(200, { ...this.#headers(), ...headers, 'Content-Encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(this.#response);
      gzip.end(body);
    } else {
      this.#response.writeHead(200, { ...this.#headers(), ...headers, 'Content-Length': body.length });
      this.#response.end(body);
    }
  }

  /**
   * Ends the answer with an error: as a status, or, once rows are streamed, as the block that clients look for. After a
   * block the connection is cut, so that clients that don't look for it can't take the part for the whole.
   */
  async fail(exception: EngineException): Promise<void> {
    if (this.#stream === undefined) {
      sendException(this.#response, exception, this.#headers());
      return;
    }
    // The client is gone.
    if (this.#response.destroyed) return;
    // The client looks for the block in the last chunk that it reads. The pause lets it read the rows before that.
    await flush(this.#stream, '');
    await sleep(BEFORE_EXCEPTION_MS);
    await flush(this.#stream, this.#exceptionBlock(exception));
    this.#response.socket?.destroySoon();
  }

  #startStream(): NodeJS.WritableStream {
    const headers = { ...this.#headers(), 'X-ClickHouse-Exception-Tag': this.#exceptionTag };
    if (!this.#options.gzip) {
      this.#response.writeHead(200, headers);
      return this.#response;
    }
    this.#response.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(this.#response);
    return gzip;
  }

  #takeHeld(): Buffer {
    const body = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return body;
  }

  #headers(): Record<string, string> {
    const { queryId, format } = this.#options;
    return {
      'Content-Type': contentTypeOf(format),
      'X-ClickHouse-Query-Id': headerSafe(queryId),
      'X-ClickHouse-Format': format,
    };
  }

  // The length includes the line break after the message.
  #exceptionBlock(exception: EngineException): string {
    const message = `${exception.toResponseText()}\n`;
    const tag = this.#exceptionTag;
    return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`;
  }
}

/** Answers with only an error, unless an answer has begun. */
export function sendException(
  response: ServerResponse,
  exception: EngineException,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const body = `${exception.toResponseText()}\n`;
  response.writeHead(httpStatusOf(exception), {
    ...headers,
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': Buffer.byteLength(body),
    'X-ClickHouse-Exception-Code': String(exception.code),
    // Part of the body may not have been read, so the connection can't be used again.
    ...(response.req.complete ? {} : { Connection: 'close' }),
  });
  response.end(body);
}

function flush(stream: NodeJS.WritableStream, block: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(block, () => {
      // A compressor must be flushed; other streams have written everything.
      if ('flush' in stream && typeof stream.flush === 'function') stream.flush(resolve);
      else resolve();
    });
  });
}

function contentTypeOf(format: string): string {
  if (/^(?:JSON|JSONCompact|JSONStrings)$/.test(format)) return 'application/json; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8';
  if (/^(?:TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  return 'application/octet-stream';
}

function headerSafe(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '?');
}
