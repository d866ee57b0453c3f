import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import Fastify, { type FastifyBaseLogger, type FastifyRequest, type HTTPMethods, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { check, findExcess, mostEntries } from '../faults.ts';
import { parseJsonInSlices, UnwieldyJson } from '../json-in-slices.ts';
import { correctErrors, Problem } from '../problem.ts';
import { runInTurns } from '../slices.ts';
import { version } from '../version.ts';
import type { App } from './app.ts';
import { BodyClock } from './body-clock.ts';
import { checkHeaders } from './check-headers.ts';
import {
  answerBrokenRequest,
  answerWhatNodeKeeps,
  closeConnectionsWhenStopping,
  cutOffUnreadRequests,
  type Patience,
  resolvePatience,
  toServerOptions,
} from './connections.ts';
import { boundHeldBodies } from './held-bodies.ts';
import { leaveNullsOut } from './leave-nulls-out.ts';
import { handleOneAtATime } from './one-at-a-time.ts';
import { describeRoutes } from './openapi.ts';
import { sendProblem, toProblem } from './problem-reply.ts';
import { readBody } from './read-body.ts';
import { RefusalLog } from './refusal-log.ts';

/** The largest body of a dashboard or control route, in bytes (D6.5). */
const maxBodyBytes = 4 * 1_048_576;

/** The largest body of a route that anybody may use: a sign-in has a key. */
const maxPublicBytes = 4_096;

/** The most bytes that the bodies of all requests hold together; parsing them takes several times as much memory. */
const maxHeldBytesOfUse = 128 * 1_048_576;

/** No route has `OPTIONS`. */
const everyMethod: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const routedMethods: ReadonlySet<string> = new Set(everyMethod);

/** Slower answers are logged, in milliseconds. */
const slowMs = 5_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route streams an answer of any length, so it is not logged as slow. */
    mayTakeLong?: boolean;
  }

  interface FastifyInstance {
    /** Reads a body within what all requests, its sender and the route may hold. `maxBytes`: of it, decoded. */
    readBody: (
      request: FastifyRequest,
      payload: Readable,
      options: { readonly maxBytes: number; readonly encoding?: string | undefined },
    ) => Promise<Buffer>;
  }

  interface FastifyRequest {
    /** The answer to this request is streamed and of any length. */
    mayTakeLong: boolean;
  }
}

export interface AppOptions {
  /** Addresses of proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The most bytes that the bodies of all requests hold together. */
  readonly maxHeldBytes?: number;
  readonly patience?: Partial<Patience>;
  /** Refuses a request before anything else, by its URL. */
  readonly refuse?: (url: string) => Problem | undefined;
}

/** An app with what all routes share: problems, JSON, request ids, 404 and 405. `register` adds its routes. */
export function createApp(
  logger: FastifyBaseLogger,
  register: (app: App) => void | Promise<void>,
  { trustedProxies, maxHeldBytes = maxHeldBytesOfUse, patience: givenPatience, refuse }: AppOptions = {},
): App {
  const patience = resolvePatience(givenPatience);
  const app: App = Fastify({
    loggerInstance: logger,
    // The id as callers see it in a problem.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    // Each parser has its own limit, and reads beyond it so that the sender sees the answer.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustedProxies === undefined ? false : [...trustedProxies],
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8_192 },
    // Fastify's own answer is no problem document and has no Retry-After.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node parses some 30 further methods, from ACL to UNSUBSCRIBE. They are refused as OPTIONS is.
    rewriteUrl: (request) => {
      if (!routedMethods.has(request.method ?? '')) request.method = 'OPTIONS';
      return request.url ?? '/';
    },
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded names nothing.
      void sendProblem(request, reply, new Problem('not_found', 'The path is not valid.', { cause: error }));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, patience),
    ...toServerOptions(patience),
  }).withTypeProvider<ZodTypeProvider>();

  app.decorateRequest('mayTakeLong', false);
  handleOneAtATime(app);
  answerWhatNodeKeeps(app, patience);
  // The hooks of this folder take a callback: a promise for each would cost a twentieth of the time of a small request.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('farthing-version', version);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const elapsedMs = Math.round(reply.elapsedTime);
    const { method, routeOptions } = request;
    // A backup, or an answer in a format, takes as long as its reader.
    if (elapsedMs >= slowMs && !routeOptions.config.mayTakeLong && !request.mayTakeLong)
      request.log.warn({ method, route: routeOptions.url, status: reply.statusCode, elapsedMs }, 'an answer took long');
    done();
  });
  const refusals = new RefusalLog(logger);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, toProblem(error, request.log, refusals)));
  app.setValidatorCompiler(
    ({ schema, httpPart }) =>
      (data: unknown) =>
        validate(schema as z.ZodType, httpPart, data),
  );
  // Routes write answers from domain values. The schemas only describe them; tests hold the two equal.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  const held = boundHeldBodies(app, maxHeldBytes);
  const clock = new BodyClock(app, patience);
  app.decorate('readBody', async (request, payload, { maxBytes, encoding }) => {
    const receipt = clock.begin(request.raw);
    try {
      return await readBody(payload, encoding, {
        maxBytes,
        receipt,
        hold: (bytes) => held.hold(request, bytes),
        release: () => held.release(request),
      });
    } finally {
      clock.end(receipt);
    }
  });
  takeJsonOnly(app);
  checkHeaders(app);
  if (refuse) app.addHook('onRequest', (request, _reply, done) => done(refuse(request.url)));
  refuseUnknownPaths(app);

  cutOffUnreadRequests(app, patience);
  closeConnectionsWhenStopping(app, patience);
  describeRoutes(app);

  app.register(async (routes: App) => {
    const methodsByUrl = new Map<string, Set<string>>();
    routes.addHook('onRoute', ({ url, method }) => {
      const methods = methodsByUrl.get(url) ?? new Set();
      for (const one of [method].flat()) methods.add(one);
      methodsByUrl.set(url, methods);
    });
    await register(routes);
    routes.after(() => refuseOtherMethods(routes, methodsByUrl));
  });
  return app;
}

function validate(schema: z.ZodType, httpPart: string | undefined, data: unknown) {
  const excess = httpPart === 'body' ? findExcess(data) : undefined;
  if (httpPart === 'body' && !excess) leaveNullsOut(schema, data);
  const checked = excess ? ({ ok: false, faults: [excess], total: 1 } as const) : check(schema, data);
  if (checked.ok) return { value: checked.value };
  const { faults, total } = checked;
  if (httpPart === 'params') {
    const why = faults.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join(', ');
    return { error: new Problem('not_found', `Nothing has this path: ${why}.`) };
  }
  const isCut = total > faults.length;
  const what = httpPart === 'querystring' ? 'query string' : 'body';
  const many = total === 1 ? 'one fault' : `${isCut ? 'at least ' : ''}${total} faults`;
  const detail = `The ${what} has ${many}; ${correctErrors}`;
  return {
    error: new Problem(httpPart === 'querystring' ? 'invalid_query' : 'invalid_body', detail, {
      errors: faults,
      ...(isCut && { members: { errors_total: total } }),
    }),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function parseBody(body: Buffer): Promise<unknown> {
  try {
    return await runInTurns(parseJsonInSlices(utf8.decode(body), { mostKeys: mostEntries }));
  } catch (cause) {
    if (cause instanceof UnwieldyJson)
      throw new Problem('invalid_body', `The body can't be read: ${cause.message}.`, {
        errors: [{ pointer: '', code: 'too_many', message: 'must have fewer values' }],
        cause,
      });
    throw new Problem('invalid_json', `The body is not valid JSON: ${whyNotJson(cause)}.`, { cause });
  }
}

/** Only the place of the fault is passed on, because the parser's message also quotes the text. */
function whyNotJson(cause: unknown): string {
  if (!(cause instanceof SyntaxError)) return 'it is not valid UTF-8';
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(cause.message)?.[0];
  return place ? `there is a fault ${place}` : 'it ends too early';
}

function takeJsonOnly(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding; only the intake decodes.');
    }
    const isPublic = request.routeOptions.config.access === 'public';
    const body = await app.readBody(request, payload, { maxBytes: isPublic ? maxPublicBytes : maxBodyBytes });
    // Many clients send a Content-Type without a body.
    if (body.length === 0 && mayBeMissing(request.routeOptions.schema?.body)) return undefined;
    return await parseBody(body);
  });
}

const mayBeMissing = (schema: unknown): boolean =>
  schema === undefined || (schema instanceof z.ZodType && schema.safeParse(undefined).success);

/** Whether a browser opens an address that is not of the API: the dashboard says that there is nothing. */
const isForDashboard = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  (headers.accept ?? '').includes('text/html') &&
  !/^\/(?:admin|api|assets|intake|session)\b/.test(url);

/** Refused before the body is read. */
function refuseUnknownPaths(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 || isForDashboard(request)) return done();
    done(new Problem('not_found', `There is no route ${request.url.split('?')[0]}.`));
  });
}

/** A known path with another method is a 405 that names the right methods, never a 404 (D11.2). */
function refuseOtherMethods(app: App, methodsByUrl: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, methods] of [...methodsByUrl]) {
    const allowed = [...methods].sort().join(', ');
    const others = everyMethod.filter((method) => !methods.has(method));
    if (others.length === 0) continue;
    app.route({
      method: others,
      url,
      schema: { hide: true },
      config: { access: 'public', isMethodRefusal: true },
      // Refused before the body is read.
      onRequest: async () => {
        throw new Problem('method_not_allowed', `Use ${allowed} here.`, { headers: { allow: allowed } });
      },
      handler: async () => undefined,
    });
  }
}
