import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { takesGzip } from '../../../../lib/http/web-page.ts';
import { badRequest, cannotParse, notSupported, queryTooLarge } from './exception.ts';
import { MAX_STATEMENT_BYTES } from './settings.ts';
import { parseStatement, type Statement } from './statement.ts';

/** A request of ClickHouse's HTTP interface. */
export interface QueryRequest {
  readonly statement: Statement;
  /** The rows of an insert, when they come in the body. */
  readonly rows: AsyncIterable<Buffer> | undefined;
  /** Values of `{name:Type}` placeholders, escaped as the interface transports them. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly queryId: string;
  readonly database: string | undefined;
  readonly format: string;
  readonly gzip: boolean;
}

const PARAMETER_PREFIX = 'param_';
const DEFAULT_FORMAT = 'TabSeparated';
// Fields of the interface; every other field of a URL is a setting.
const INTERFACE_FIELDS = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'wait_end_of_query', 'buffer_size'],
]);
const UNSUPPORTED_FIELDS = ['session_id', 'role', 'compress', 'decompress'];
const NAME = /^\w+$/;

/** Reads a request up to, but not including, the rows of an insert. */
export async function parseRequest(message: IncomingMessage): Promise<QueryRequest> {
  const url = new URL(message.url ?? '/', 'http://localhost').searchParams;
  const fields = new Map(url);
  refuseUnsupported(fields);

  const body = decodedBody(message);
  const boundary = multipartBoundary(message.headers['content-type']);
  const urlStatement = parseStatement(fields.get('query') ?? '');
  const hasRows = urlStatement.kind === 'insert' && urlStatement.format !== undefined;
  let sql = fields.get('query') ?? '';
  if (boundary !== undefined) {
    for (const [name, value] of parseMultipart(await readBody(body), boundary)) fields.set(name, value);
    sql = fields.get('query') ?? '';
  } else if (!hasRows) {
    const text = (await readBody(body)).toString('utf8');
    sql = sql === '' ? text : `${sql}\n${text}`;
  }
  // The engine takes statements as C strings, and would run only the part before a NUL.
  if (sql.includes('\0')) throw badRequest('A statement must not contain a NUL character');
  const statement = hasRows ? urlStatement : parseStatement(sql);
  if (statement.text === '') throw badRequest('Empty query');

  return {
    statement,
    rows: hasRows ? body : undefined,
    parameters: collectParameters(fields),
    settings: collectSettings(url),
    queryId: fields.get('query_id') || randomUUID(),
    database: fields.get('database') || undefined,
    format: statement.format ?? namedFormat(fields.get('default_format') ?? message.headers['x-clickhouse-format']),
    gzip: fields.get('enable_http_compression') === '1' && takesGzip(message),
  };
}

function refuseUnsupported(fields: ReadonlyMap<string, string>): void {
  const refused = UNSUPPORTED_FIELDS.filter((name) => !['', '0', undefined].includes(fields.get(name)));
  if (refused.length > 0) throw notSupported(`The embedded engine does not support ${refused.join(', ')}`);
}

function collectParameters(fields: ReadonlyMap<string, string>): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of fields) {
    if (!name.startsWith(PARAMETER_PREFIX)) continue;
    parameters.set(checkedName(name.slice(PARAMETER_PREFIX.length)), value);
  }
  return parameters;
}

function collectSettings(url: URLSearchParams): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [name, value] of url) {
    if (name.startsWith(PARAMETER_PREFIX) || INTERFACE_FIELDS.has(name) || UNSUPPORTED_FIELDS.includes(name)) continue;
    settings.set(checkedName(name), value);
  }
  return settings;
}

// Names become part of a SET statement, where values can be quoted but names can't.
function checkedName(name: string): string {
  if (!NAME.test(name)) throw badRequest(`Not a name of a setting or parameter: ${JSON.stringify(name)}`);
  return name;
}

function namedFormat(format: string | string[] | undefined): string {
  return typeof format === 'string' && NAME.test(format) ? format : DEFAULT_FORMAT;
}

function decodedBody(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding'] ?? 'identity';
  switch (encoding) {
    case 'identity':
      return message;
    case 'gzip':
      return decompress(message, createGunzip());
    case 'zstd':
      return decompress(message, createZstdDecompress());
    case 'br':
      return decompress(message, createBrotliDecompress());
    default:
      throw notSupported(`Content-Encoding ${encoding} is not supported`);
  }
}

function decompress(message: IncomingMessage, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  message.once('error', (error) => decoder.destroy(error));
  decoder.once('error', () => message.resume());
  message.pipe(decoder);
  return decoder;
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_STATEMENT_BYTES) throw queryTooLarge(`A query may have at most ${MAX_STATEMENT_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw cannotParse(`The body can't be decompressed: ${error.message}`);
    }
    throw error;
  }
  return Buffer.concat(chunks, size);
}

const HEADER_END = Buffer.from('\r\n\r\n');
const BOUNDARY = /^multipart\/form-data\s*;\s*(?:.*;\s*)?boundary=(?:"([^"]+)"|([^\s;"]+))/i;
const FIELD_NAME = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im;

/** The boundary in a Content-Type header, or undefined if the body isn't multipart/form-data. */
function multipartBoundary(contentType: string | undefined): string | undefined {
  const match = BOUNDARY.exec(contentType ?? '');
  return match?.[1] ?? match?.[2];
}

/** The text fields of a multipart/form-data body, in one pass over it. Files (external tables) are refused. */
function parseMultipart(body: Buffer, boundary: string): Map<string, string> {
  const fields = new Map<string, string>();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line break in front of it.
  let position = delimiter.length - 2;
  if (!body.subarray(0, position).equals(delimiter.subarray(2))) throw badRequest('Malformed multipart body');
  while (body.toString('latin1', position, position + 2) !== '--') {
    const headerEnd = body.indexOf(HEADER_END, position);
    const valueEnd = headerEnd === -1 ? -1 : body.indexOf(delimiter, headerEnd + 2);
    if (valueEnd === -1) throw badRequest('Malformed multipart body: a part has no end');
    const header = body.toString('utf8', position, headerEnd);
    const name = FIELD_NAME.exec(header)?.[1];
    if (name === undefined) throw badRequest('Malformed multipart body: a part has no name');
    if (/;\s*filename=/i.test(header)) throw badRequest('External tables are not supported');
    fields.set(name, body.toString('utf8', headerEnd + HEADER_END.length, valueEnd));
    position = valueEnd + delimiter.length;
  }
  return fields;
}
