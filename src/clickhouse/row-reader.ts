import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { ClickHouseError, parseError } from '@clickhouse/client';
import { parseJson } from '../lib/json.ts';

/** A value that is bound to a `{name:Type}` placeholder. */
export type Parameter = string | number | bigint | boolean | null | undefined | readonly Parameter[];

/** Values bound to `{name:Type}` placeholders. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** Connections that are open at once; further statements wait for one. */
const maxConnections = 16;
/** Parameters longer than this in a URL go into the body: proxies refuse long URLs. */
const maxUrlLength = 4_096;

/**
 * Reads the rows of a query whole, as columns of JSON over HTTP. ClickHouse's own driver reads them line by line through streams
 * of Node.js, after a pause of a millisecond before each request: of a short statement that was half of the time (ADR 0016).
 */
export class RowReader {
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #request: typeof requestHttp;
  readonly #authorization: string;
  readonly #settings: readonly [string, string][];

  constructor({
    url,
    credentials,
    settings,
    ca,
  }: {
    readonly url: string;
    readonly credentials: { readonly username: string; readonly password: string } | undefined;
    readonly settings: Readonly<Record<string, string | number>>;
    readonly ca: Buffer | undefined;
  }) {
    const given = new URL(url);
    const database = decodeURIComponent(given.pathname.slice(1));
    const username = credentials?.username ?? (decodeURIComponent(given.username) || 'default');
    const password = credentials?.password ?? decodeURIComponent(given.password);
    const options = { keepAlive: true, maxSockets: maxConnections };
    const isTls = given.protocol === 'https:';
    this.#agent = isTls ? new HttpsAgent({ ...options, ...(ca && { ca }) }) : new HttpAgent(options);
    this.#request = isTls ? requestHttps : requestHttp;
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    this.#settings = [
      ...Object.entries(settings).map(([name, value]): [string, string] => [name, String(value)]),
      ...(database === '' || database === 'default' ? [] : [['database', database] as [string, string]]),
    ];
    this.#url = new URL('/', given);
    this.#url.username = '';
    this.#url.password = '';
  }

  /**
   * The rows of a query, which has at most so many seconds on the server.
   * @throws ClickHouseError what the server says
   * @throws Error with a `code` when the connection is lost, an AbortError when the signal says so
   */
  async read<Row>(query: string, parameters: Parameters, seconds: number, signal: AbortSignal): Promise<Row[]> {
    const values = Object.entries(parameters).map(([name, value]): [string, string] => [
      `param_${name}`,
      parameterText(value),
    ]);
    const isLong = isLongerThanUrl(values);
    const fields = new URLSearchParams(isLong ? undefined : values);
    for (const [name, value] of this.#settings) fields.set(name, value);
    fields.set('max_execution_time', String(seconds));
    fields.set('query_id', randomUUID());
    const sql = `${query}\nFORMAT JSONColumns`;
    const body = isLong ? multipart([['query', sql], ...values]) : { text: sql, type: 'text/plain; charset=utf-8' };
    const answer = await this.#post(`/?${fields}`, body, signal);
    return toRows(answer);
  }

  /** Closes the connections that are kept open. */
  close(): void {
    this.#agent.destroy();
  }

  async #post(path: string, body: Body, signal: AbortSignal): Promise<string> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname, port } = this.#url;
      this.#request(
        {
          agent: this.#agent,
          host: hostname.replace(/^\[(.*)\]$/, '$1'),
          ...(port !== '' && { port }),
          method: 'POST',
          path,
          signal,
          headers: { authorization: this.#authorization, 'content-type': body.type },
        },
        resolve,
      )
        .on('error', reject)
        .end(body.text);
    });
    const chunks: Buffer[] = [];
    const text = () => Buffer.concat(chunks).toString();
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    } catch (cause) {
      throw faultIn(text()) ?? cause;
    }
    if (response.statusCode !== 200 || 'x-clickhouse-exception-code' in response.headers) throw parseError(text());
    return text();
  }
}

/** Long ones are not written as a URL to see how long they would be. */
const isLongerThanUrl = (values: [string, string][]): boolean =>
  values.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > maxUrlLength ||
  new URLSearchParams(values).toString().length > maxUrlLength;

interface Body {
  readonly text: string;
  readonly type: string;
}

/** Values with a boundary between them that none can hold, for it is new. */
function multipart(parts: readonly (readonly [name: string, value: string])[]): Body {
  const boundary = randomUUID();
  const texts = parts.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { text: `${texts.join('')}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

/**
 * What went wrong after an answer had begun, which ends with it then. A server from 25.11 on, and the embedded engine, mark the place,
 * by line breaks that JSON has none of, and break the connection; one before goes on as if it were a part of the answer.
 */
function faultIn(answer: string): Error | undefined {
  const marked = answer.indexOf('\r\n__exception__\r\n');
  const fault = parseError(answer.slice(marked === -1 ? answer.lastIndexOf('Code: ') : marked));
  return fault instanceof ClickHouseError ? fault : undefined;
}

/** The rows of columns. */
function toRows<Row>(answer: string): Row[] {
  let columns: [string, unknown[]][];
  try {
    columns = Object.entries(parseJson(answer) as Record<string, unknown[]>);
  } catch {
    throw faultIn(answer) ?? new Error('The store broke off in the middle of its answer.');
  }
  return (columns[0]?.[1] ?? []).map((_value, index) => {
    const row: Record<string, unknown> = {};
    for (const [name, values] of columns) row[name] = values[index];
    return row as Row;
  });
}

/** A value as it is bound: texts as in tab-separated rows, and in quotes inside arrays. */
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
