import { Readable } from 'node:stream';
import type { FastifyRequest, preValidationHookHandler, RouteHandlerMethod, RouteOptions } from 'fastify';
import { z } from 'zod';
import type { App } from '../../lib/http/app.ts';
import { filesPath } from '../../lib/http/operation-name.ts';
import { listOfPage, type PageList } from '../../lib/http/page-envelope.ts';
import { AnswerTooLarge, type Fault, Problem } from '../../lib/problem.ts';
import { toJsonLine } from '../../lib/stored-json.ts';
import { columnsOf } from './columns.ts';
import { describeFile, describeFormats } from './describe-formats.ts';
import { acceptedFormat, type FormatName, formatNames, formats } from './formats.ts';
import { type RowsRead, readSlices, streamParts, takeStream } from './stream-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The format of the answer; undefined for a page of JSON. */
    answerFormat: FormatName | undefined;
  }
}

/** The rows of a page that a format reads. Clients get fewer at once; here large pages save the cost of each page. */
const pageRows = 10_000;

/** A reader that takes nothing for this long is let go, in milliseconds. */
const stalledMsOfUse = 30_000;

/** Where a request has the fields of its question. */
type Place = 'body' | 'query';

/**
 * Adds all formats to every later route with pages (D24.1): the handler is called page by page, and its rows are
 * streamed. A reader that takes nothing for `stalledMs` milliseconds is let go.
 */
export function offerFormats(app: App, stalledMs = stalledMsOfUse): void {
  app.decorateRequest('answerFormat', undefined);
  app.addHook('onRoute', (route) => {
    const list = listOfAnswer(route);
    if (!list) {
      // A strict query string refuses a format by itself.
      if (route.url.startsWith('/api/') && route.schema?.querystring === undefined)
        route.preValidation = [...[route.preValidation ?? []].flat(), refuseFormat];
      return;
    }
    const place = list.isWhole ? undefined : placeOf(route);
    const pagesItself = mediaTypesOf(route);
    const lineOf = (route.config?.lineOf ?? toJsonLine) as (row: unknown) => string;
    route.preValidation = [
      ...[route.preValidation ?? []].flat(),
      (request, reply, done) => {
        reply.header('vary', 'Accept');
        request.answerFormat = chooseFormat(request, place, pagesItself);
        done();
      },
    ];
    route.handler = answerInFormat(route, route.handler, { list, place, lineOf, stalledMs });
    route.schema = route.config?.isFile ? describeFile(route, list) : describeFormats(route, list);
  });
}

/**
 * Answers all that `offerFormats` does as a file alone too, at a path of its own: a client generated from the document
 * reads an answer by one media type, so what may be JSON is read as JSON. Comes before what changes handlers.
 */
export function offerFiles(app: App): void {
  app.addHook('onRoute', function (this: App, route) {
    const { url, config } = route;
    if (!url.startsWith('/api/') || config?.isFile || route.method === 'HEAD' || !listOfAnswer(route)) return;
    this.route({ ...route, url: url.replace('/api/', filesPath), config: { ...config, isFile: true } as never });
  });
}

/** The list of rows that a route answers, in pages or whole. */
function listOfAnswer({ schema, config }: RouteOptions): (PageList & { readonly isWhole: boolean }) | undefined {
  const answer = answerSchema(schema?.response);
  const paged = listOfPage(answer);
  if (paged) return { ...paged, isWhole: false };
  const { allRows: name } = config ?? {};
  const rows: unknown = name === undefined ? undefined : Object(Object(answer).shape)[name];
  if (name === undefined || !(rows instanceof z.ZodArray)) return undefined;
  return { name, row: rows.element as z.ZodType, isWhole: true };
}

/** @throws Problem for a request that names a format of an answer that has JSON alone */
const refuseFormat: preValidationHookHandler = (request, _reply, done) => {
  if (!Object.hasOwn(Object(request.query), 'format')) return done();
  throw new Problem('invalid_query', 'This answer comes only as JSON: leave out format.', {
    errors: [{ pointer: '/format', code: 'unknown_field', message: 'must be left out: this answer is JSON alone' }],
  });
};

function answerSchema(response: unknown): unknown {
  const answer: unknown = Object(response)[200];
  return answer instanceof z.ZodType ? answer : Object(answer).content?.['application/json']?.schema;
}

/** Where a route takes `limit` and `cursor`. */
function placeOf({ url, schema }: RouteOptions): Place {
  if (hasPageFields(schema?.body)) return 'body';
  if (hasPageFields(schema?.querystring)) return 'query';
  throw new Error(`The route ${url} answers with pages, and takes no limit and cursor`);
}

const hasPageFields = (schema: unknown): boolean =>
  schema instanceof z.ZodObject && 'limit' in schema.shape && 'cursor' in schema.shape;

/** The media types in which a route itself sends pages. */
const mediaTypesOf = ({ schema }: RouteOptions): ReadonlySet<string> => {
  const answer: unknown = Object(schema?.response)[200];
  return new Set(answer instanceof z.ZodType ? [] : Object.keys(Object(answer).content ?? {}));
};

/** The format in the query string, or else in `Accept`. @throws Problem when it asks for one page in a format */
function chooseFormat(
  request: FastifyRequest,
  place: Place | undefined,
  pagesItself: ReadonlySet<string>,
): FormatName | undefined {
  const { format: named } = Object(request.query);
  const accepted = named === undefined ? acceptedFormat(request.headers.accept) : undefined;
  // The schema of the query string refuses all other values.
  const byDefault = request.routeOptions.config.isFile ? 'csv' : undefined;
  const format = formatNames.find((name) => name === (named ?? accepted ?? byDefault));
  if (format === undefined) return undefined;
  if (place === undefined) return format;
  // In a body, null is as if left out.
  const given = ['limit', 'cursor'].filter((name) => (Object(request[place])[name] ?? null) !== null);
  if (given.length === 0) return format;
  if (accepted !== undefined && pagesItself.has(formats[accepted].mediaType)) return undefined;
  const errors = given.map(
    (name): Fault => ({
      pointer: `/${name}`,
      code: 'unknown_field',
      message: `must be left out: ${format} has all rows`,
    }),
  );
  throw new Problem(
    place === 'body' ? 'invalid_body' : 'invalid_query',
    `An answer as ${format} is whole: leave out limit and cursor, or ask for pages of JSON.`,
    { errors },
  );
}

const ifTooLarge = (error: unknown): AnswerTooLarge => {
  if (error instanceof AnswerTooLarge) return error;
  throw error;
};

interface Paged {
  readonly list: PageList;
  /** Undefined for a list that is whole. */
  readonly place: Place | undefined;
  readonly lineOf: (row: unknown) => string;
  readonly stalledMs: number;
}

/** Wraps the handler of a route. If a format is requested, it sends the rows of all pages of `handler`. */
function answerInFormat(
  route: RouteOptions,
  handler: RouteHandlerMethod,
  { list, place, lineOf, stalledMs }: Paged,
): RouteHandlerMethod {
  const file = fileNameOf(route.url);
  const { namesOf = {} } = route.config ?? {};
  return async function answer(request, reply) {
    if (request.answerFormat === undefined) return await handler.call(this, request, reply);
    request.mayTakeLong = true;
    // Make the handler answer pages of JSON.
    request.headers.accept = 'application/json';
    const format = formats[request.answerFormat];
    const fields = place && { ...Object(request[place]) };
    let limit = pageRows;
    const readPage = async (cursor?: string): Promise<RowsRead> => {
      if (place) request[place] = { ...fields, limit, ...(cursor !== undefined && { cursor }) };
      const answered = await Promise.resolve(handler.call(this, request, reply)).catch(ifTooLarge);
      if (answered instanceof AnswerTooLarge) {
        // Rows can be of any size.
        if (limit === 1 || !place) throw answered;
        limit = Math.ceil(limit / 8);
        return await readPage(cursor);
      }
      const page = Object(answered);
      return { rows: page[list.name], next: page.next_cursor ?? null };
    };
    const names = Object.fromEntries(
      await Promise.all(Object.entries(namesOf).map(async ([field, read]) => [field, await read(request)] as const)),
    );
    const giveBack = await takeStream(reply);
    // Read the first page before anything is sent, so that a refusal can be answered as a problem.
    const first = await readPage().catch((error: unknown) => {
      giveBack();
      throw error;
    });
    reply
      .type(format.contentType)
      .header('content-disposition', `attachment; filename="${file}.${request.answerFormat}"`);
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const rows = format.encode(readSlices(first, readPage), {
      columns: columnsOf(list.row, { fields: { ...Object(request.query), ...Object(request.body) }, names }),
      lineOf,
    });
    return reply.send(streamParts(rows, { request, reply, stalledMs }));
  };
}

/** The last step of a path that is no parameter: `costs` for `/api/costs/`. */
const fileNameOf = (url: string): string =>
  url
    .split('/')
    .filter((step) => step !== '' && !step.startsWith(':'))
    .at(-1) ?? 'rows';
