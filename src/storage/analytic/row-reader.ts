import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { ClickHouseError, parseError } from '@clickhouse/client';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import { parseJson } from '../../lib/json.ts';
import { parseJsonInSlices, UnwieldyJson } from '../../lib/json-in-slices.ts';
import { AnswerTooLarge, NeedsHeavyTurn } from '../../lib/problem.ts';

/** A value that is bound to a `{name:Type}` placeholder. */
export type Parameter = string | number | bigint | boolean | null | undefined | readonly Parameter[];

/** Values bound to `{name:Type}` placeholders. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** A name and a value, as a URL or a form holds them. */
type Field = [name: string, value: string];

export interface RowReaderOptions {
  /** Has the user name and password, unless `credentials` has them. */
  readonly url: string;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly database: string;
  /** Sent with every statement. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** CA certificates in PEM that verify the server; Node's own when unset. */
  readonly ca: Buffer | undefined;
  /** The most bytes of an answer; without it, an answer may have any length. */
  readonly mostBytes?: number | undefined;
}

export interface Run {
  /** How long it may take on the server. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly queryId: string;
  /** Whether its rows must be few (docs/decisions/0035). */
  readonly isLight: boolean;
}

/** Connections that are open at once; further statements wait for one. */
const maxConnections = 16;
/** Parameters longer than this in a URL go into the body: proxies refuse long URLs. */
const maxUrlLength = 4_096;
/** The most bytes of the rows of a light statement. */
const mostLightBytes = 2 * 1_048_576;
/** Answers with more characters are parsed in slices where they are bounded: others would wait for tens of milliseconds. */
const shortAnswer = 262_144;

/**
 * Reads all rows of a query at once, as JSON columns over HTTP. ClickHouse's own driver reads them line by line through
 * Node.js streams, and pauses for a millisecond before each request. That takes half the time of a short statement.
 */
export class RowReader {
  readonly #request: typeof requestHttp;
  readonly #target: RequestOptions & { readonly agent: HttpAgent };
  /** The settings of every statement, as a part of a URL. */
  readonly #settings: string;
  readonly #mostBytes: number;

  constructor({ url, credentials, database, settings, ca, mostBytes }: RowReaderOptions) {
    const given = new URL(url);
    const isTls = given.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: maxConnections };
    const { hostname, port, auth = 'default:' } = urlToHttpOptions(given);
    this.#mostBytes = mostBytes ?? Number.POSITIVE_INFINITY;
    this.#request = isTls ? requestHttps : requestHttp;
    this.#target = {
      agent: isTls ? new HttpsAgent({ ...options, ...(ca && { ca }) }) : new HttpAgent(options),
      hostname,
      port,
      auth: credentials ? `${credentials.username}:${credentials.password}` : auth,
      method: 'POST',
    };
    this.#settings = inUrl([
      ...Object.entries(settings).map(([name, value]): Field => [name, String(value)]),
      ...(database === 'default' ? [] : [['database', database] satisfies Field]),
    ]);
  }

  /**
   * Returns the rows of a query.
   * @throws ClickHouseError with the message of the server
   * @throws AnswerTooLarge when the rows have more bytes or values than the reader takes, NeedsHeavyTurn when they have
   * more than those of a light statement may
   * @throws Error with a `code` when the connection is lost, an AbortError when the signal aborts
   */
  async read<Row>(query: string, parameters: Parameters, { seconds, signal, queryId, isLight }: Run): Promise<Row[]> {
    const values = Object.entries(parameters).map(([name, value]): Field => [`param_${name}`, parameterText(value)]);
    const sql = `${query}\nFORMAT JSONColumns`;
    const own = inUrl([
      ['max_execution_time', String(seconds)],
      ['query_id', queryId],
    ]);
    const bound = shortInUrl(values);
    const path = `/?${[this.#settings, own, bound].filter((part) => part).join('&')}`;
    const body =
      bound === undefined ? multipart([['query', sql], ...values]) : { text: sql, type: 'text/plain; charset=utf-8' };
    const answer = await this.#post(path, body, { signal, isLight });
    const isShort = answer.length <= shortAnswer || this.#mostBytes === Number.POSITIVE_INFINITY;
    return isShort ? toRows(answer) : await toRowsInTurns(answer);
  }

  /** Waits until the embedded engine no longer runs a query, which takes a while after its reader has gone. */
  async awaitEnd(queryId: string): Promise<void> {
    const path = `/ended?${inUrl([['query_id', queryId]])}`;
    const asking = this.#request({ ...this.#target, path, method: 'GET' }).end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    await once(response.resume(), 'close');
  }

  /** Closes the connections that are kept open. */
  close(): void {
    this.#target.agent.destroy();
  }

  async #post(path: string, { text: body, type }: Body, { signal, isLight }: Pick<Run, 'signal' | 'isLight'>) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      this.#request({ ...this.#target, path, signal, headers: { 'content-type': type } }, resolve)
        .on('error', reject)
        .end(body);
    });
    const chunks: Buffer[] = [];
    const text = () => Buffer.concat(chunks).toString();
    let bytes = 0;
    try {
      for await (const chunk of response) {
        chunks.push(chunk as Buffer);
        bytes += chunk.length;
        // Ends the connection, and with it the query.
        if (bytes > this.#mostBytes) throw tooLarge(this.#mostBytes);
        if (isLight && bytes > mostLightBytes) throw new NeedsHeavyTurn(`The rows have more bytes than light ones.`);
      }
    } catch (cause) {
      if (cause instanceof AnswerTooLarge) throw cause;
      throw markedFault(text()) ?? cause;
    }
    if (response.statusCode !== 200 || 'x-clickhouse-exception-code' in response.headers) throw parseError(text());
    return text();
  }
}

const tooLarge = (mostBytes: number) =>
  new AnswerTooLarge(`The rows of this answer have more than ${mostBytes / 1_048_576} MiB; ${whatToAsk}`);

const whatToAsk = 'ask for a shorter range, for fewer names, or with a smaller limit.';

const inUrl = (fields: Field[]): string => new URLSearchParams(fields).toString();

/** Undefined when too long, by raw length first: to encode many values for nothing takes long. */
function shortInUrl(values: Field[]): string | undefined {
  if (values.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > maxUrlLength) return undefined;
  const text = inUrl(values);
  return text.length > maxUrlLength ? undefined : text;
}

interface Body {
  readonly text: string;
  readonly type: string;
}

/** Values as multipart/form-data. The boundary is random, so no value contains it. */
function multipart(parts: readonly Field[]): Body {
  const boundary = randomUUID();
  const texts = parts.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { text: `${texts.join('')}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

/**
 * The error of an answer that failed midway. Servers from 25.11 on and the embedded engine mark it between line breaks
 * that JSON never contains, and close the connection.
 */
function markedFault(answer: string): ClickHouseError | undefined {
  const place = answer.indexOf('\r\n__exception__\r\n');
  return place === -1 ? undefined : toFault(answer.slice(place));
}

/** Servers before 25.11 append the error to the answer. */
const lastFault = (answer: string): ClickHouseError | undefined => toFault(answer.slice(answer.lastIndexOf('Code: ')));

function toFault(text: string): ClickHouseError | undefined {
  const fault = parseError(text);
  return fault instanceof ClickHouseError ? fault : undefined;
}

type Columns = Readonly<Record<string, unknown[]>>;

/**
 * Converts columns to rows.
 * @throws ClickHouseError, or an Error when the answer was cut off without one
 */
function toRows<Row>(answer: string): Row[] {
  let columns: Columns;
  try {
    columns = parseJson(answer) as Columns;
  } catch {
    throw faultOf(answer);
  }
  const rows: Row[] = [];
  for (const row of rowsOf<Row>(columns)) rows.push(row);
  return rows;
}

/** As `toRows`; others are answered meanwhile. @throws AnswerTooLarge for millions of values */
async function toRowsInTurns<Row>(answer: string): Promise<Row[]> {
  let columns: Columns;
  try {
    columns = (await stepsInTurns(parseJsonInSlices(answer))) as Columns;
  } catch (cause) {
    if (cause instanceof UnwieldyJson) throw new AnswerTooLarge(`This answer has too many values; ${whatToAsk}`);
    throw faultOf(answer);
  }
  const rows: Row[] = [];
  await inTurns(rowsOf<Row>(columns), (row) => rows.push(row));
  return rows;
}

function* rowsOf<Row>(columns: Columns): Generator<Row> {
  const named = Object.entries(columns);
  const length = named[0]?.[1].length ?? 0;
  for (let index = 0; index < length; index += 1) {
    const row: Record<string, unknown> = {};
    for (const [name, values] of named) row[name] = values[index];
    yield row as Row;
  }
}

const faultOf = (answer: string): Error =>
  markedFault(answer) ?? lastFault(answer) ?? new Error('The answer of the store was cut off.');

/** A value in the format of bound parameters: texts as in tab-separated rows, and in quotes inside arrays. */
function parameterText(value: Parameter): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? `[${value.map(elementText).join(',')}]` : escapeText(String(value));
}

function elementText(value: Parameter): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? `'${escapeText(value)}'` : parameterText(value);
}

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};
const escapeText = (text: string): string =>
  text.replace(/[\t\n\r'\\]/g, (character) => escapes[character] ?? character);
