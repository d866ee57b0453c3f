// Random requests to every route of the OpenAPI document: valid ones, nearly valid ones and garbage.
import fc from 'fast-check';
import { garbage, hostileText, valuesOf } from '../support/arbitraries/json-schema.ts';
import { invalidUtf8, JsonText, writeJson } from '../support/hostile.ts';
import type { Operation } from '../support/openapi.ts';

/** A request before it is known who sends it, and with which of the cursors that were answered. */
export interface FuzzRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly caller: Caller;
}

/** Who sends it: `right` is whoever the route is for. */
export type Caller = 'right' | 'nobody' | 'wrong' | 'reader' | 'writer' | 'other' | 'admin' | 'session';

/** Values that name something, so that a request gets past the first look-up. */
export interface Known {
  /** Ids by the name of the path's parameter, for a route: what it may destroy is not among them. */
  readonly ids: (operation: Operation, parameter: string) => readonly string[];
  readonly projectId: string;
  readonly cursors: readonly string[];
}

/** Routes that answer slowly, or start work for a long time. */
const seldom: ReadonlySet<string> = new Set([
  'GET /metrics',
  'GET /openapi.json',
  'GET /docs/',
  'GET /docs/reference.js',
  'POST /admin/prices/update/',
  'POST /api/prices/',
  'POST /admin/projects/',
  'POST /admin/projects/{id}/rebuilds/',
  'DELETE /admin/projects/{id}/',
]);
const often: ReadonlySet<string> = new Set([
  'POST /intake/{client_id}/',
  'POST /api/costs/',
  'POST /api/calls/',
  'POST /api/margin/',
  'POST /api/performance/',
]);

export function fuzzRequests(operations: readonly Operation[], known: Known): fc.Arbitrary<FuzzRequest> {
  return fc
    .oneof(
      ...operations.map((operation) => ({
        weight: seldom.has(operation.key) ? 1 : often.has(operation.key) ? 40 : 12,
        arbitrary: fc.constant(operation),
      })),
    )
    .chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        path: pathsOf(operation, known),
        headers: headersOf(operation, known),
        body: bodiesOf(operation, known),
        caller: callers,
      }),
    );
}

const callers: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 40, arbitrary: fc.constant<Caller>('right') },
  { weight: 3, arbitrary: fc.constantFrom<Caller>('nobody', 'wrong', 'reader', 'writer', 'other') },
  { weight: 4, arbitrary: fc.constantFrom<Caller>('admin', 'session') },
);

function pathsOf(operation: Operation, known: Known): fc.Arbitrary<string> {
  const steps = operation.path.split(/(\{[^}]*\})/).map((part): fc.Arbitrary<string> => {
    if (!part.startsWith('{')) return fc.constant(part);
    const ids = known.ids(operation, part.slice(1, -1));
    return fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...ids).map(encode) },
      { weight: 2, arbitrary: hostileText.map(encode) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('%', '%zz', '%ff', '%c0%af', '%00', '%ed%a0%80', '..', '%2e%2e', '%2F', '*'),
      },
    );
  });
  const queries = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) =>
      fc
        .tuple(
          fc.nat(2),
          name === 'cursor'
            ? cursors(known)
            : fc.oneof({ weight: 6, arbitrary: valuesOf(schema) }, { weight: 1, arbitrary: hostileText }),
        )
        .map(([die, value]) => (die === 0 ? [`${name}=${encode(textOf(value))}`] : [])),
    );
  const oddities = fc.oneof(
    { weight: 30, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ['limit=1&limit=2'],
        ['%00=1'],
        ['__proto__=1'],
        ['a[b]=1'],
        ['&&='],
        ['%ff=%ff'],
        ['x'],
      ),
    },
  );
  return fc.tuple(fc.tuple(...steps), fc.tuple(...queries), oddities).map(([path, asked, odd]) => {
    const query = [...asked.flat(), ...odd].join('&');
    return path.join('') + (query === '' ? '' : `?${query}`);
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : writeJson(value));

/** Percent-encoded, lone surrogates too: as the bytes that a careless client would make of them. */
const encode = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : text.replaceAll(/[\ud800-\udfff]/g, '%ed%a0%80').replaceAll(/[^\x21-\x7e]|[?#/]/g, '%20');

function cursors({ cursors: answered }: Known): fc.Arbitrary<string> {
  const damaged = fc
    .tuple(fc.constantFrom(...answered), fc.nat(400), fc.constantFrom('A', 'z', '_', '='))
    .map(
      ([cursor, at, letter]) => cursor.slice(0, at % cursor.length) + letter + cursor.slice((at % cursor.length) + 1),
    );
  return fc.oneof(fc.constantFrom(...answered), damaged, hostileText);
}

function headersOf(operation: Operation, known: Known): fc.Arbitrary<Record<string, string>> {
  const project = operation.parameters.some(({ name }) => name === 'Farthing-Project');
  const own: fc.Arbitrary<Record<string, string>> = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constant<Record<string, string>>(project ? { 'farthing-project': known.projectId } : {}),
    },
    { weight: 1, arbitrary: fc.constantFrom({ 'farthing-project': 'prj_none' }, { 'farthing-project': '\xff' }, {}) },
  );
  const more: fc.Arbitrary<Record<string, string>> = fc.oneof(
    { weight: 20, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { 'farthing-consistency': 'relaxed' },
        { 'farthing-consistency': 'nonsense' },
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'nonsense' },
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-type': '\xff' },
        { 'content-type': 'application/x-ndjson' },
        { 'content-type': '' },
        { accept: 'application/x-ndjson' },
        { 'accept-encoding': 'gzip' },
        { cookie: 'farthing_session=x; farthing_session=%; a=b; =' },
        { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'evil', 'x-forwarded-proto': 'https' },
        { range: 'bytes=0-1', 'if-none-match': '*' },
        { expect: '100-continue' },
        { 'x-http-method-override': 'DELETE' },
      ),
    },
  );
  return fc.tuple(own, more).map(([first, second]) => ({ ...first, ...second }));
}

const encoder = new TextEncoder();

function bodiesOf(operation: Operation, known: Known): fc.Arbitrary<Uint8Array<ArrayBuffer> | undefined> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (!schema) {
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('', '{}', '{"').map((text) => encoder.encode(text)) },
    );
  }
  const withCursor = valuesOf(schema).chain((value) =>
    isObject(value) && 'cursor' in value ? cursors(known).map((cursor) => ({ ...value, cursor })) : fc.constant(value),
  );
  const texts = withCursor.map(writeJson);
  return fc.oneof(
    { weight: 25, arbitrary: texts.map((text) => encoder.encode(text)) },
    { weight: 2, arbitrary: fc.tuple(texts, fc.nat(200)).map(([text, at]) => encoder.encode(text.slice(0, at))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(texts, fc.constantFrom(...invalidUtf8), fc.nat(200))
        .map(([text, bytes, at]) => concat(encoder.encode(text.slice(0, at)), bytes, encoder.encode(text.slice(at)))),
    },
    { weight: 1, arbitrary: fc.tuple(texts, texts).map(([a, b]) => encoder.encode(`${a}\n${b}\n`)) },
    { weight: 1, arbitrary: texts.map((text) => encoder.encode(text.replace(/^\{("[^"]*"):/, '{$1:null,$1:'))) },
    { weight: 1, arbitrary: garbage.map((value) => encoder.encode(writeJson(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)) },
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonText);

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
