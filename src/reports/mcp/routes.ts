import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { currentAsker } from '../../lib/asker.ts';
import type { Clock } from '../../lib/clock.ts';
import { bearerToken } from '../../lib/http/access.ts';
import type { App } from '../../lib/http/app.ts';
import type { Document } from '../../lib/http/openapi-document.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { Shares } from '../../lib/shares.ts';
import { version } from '../../lib/version.ts';
import type { RouteReply } from './call-tool.ts';
import { createServer, type ServerSources } from './create-server.ts';
import type { RouteRequest } from './to-request.ts';

export interface McpSources {
  readonly clock: Clock;
  /** The address of the web page, if it is configured. */
  readonly publicUrl: string | undefined;
}

const messageBody = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number().int()]).optional().describe('Absent in a notification, which has no answer.'),
    method: z.string().min(1),
    params: z.looseObject({}).optional(),
  })
  .meta({
    examples: [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'costs', arguments: { date_from: '2026-11-01', aggregate: 'all', group_by: 'customer' } },
      },
    ],
  });

const messageAnswer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable().optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number().int(), message: z.string() }).optional(),
});

const exampleAnswer = {
  jsonrpc: '2.0' as const,
  id: 1,
  result: { serverInfo: { name: 'farthing', version }, protocolVersion: '2025-11-25', capabilities: { tools: {} } },
};

/** A refusal by the protocol, or by the service before the protocol sees the message. */
const refusal = (description: string) => ({
  description,
  content: {
    'application/json': { schema: messageAnswer.meta({ description: 'An error of the protocol.' }) },
    'application/problem+json': { schema: problemWith() },
  },
});

/** Messages answered at once, of all projects: each takes a few milliseconds of the process besides its question. */
const messages = new Shares({
  slots: 8,
  mostWaiting: 100,
  refusal:
    'This project sends more messages at once than can be answered; send this one again when earlier ones have their answer.',
});

/** `POST /mcp` (D24.3): the Model Context Protocol over streamable HTTP, without sessions. */
export function registerMcp(app: App, sources: McpSources): void {
  app.post('/mcp', {
    config: { access: 'read' },
    schema: {
      summary: 'Tools for an assistant',
      description:
        'The Model Context Protocol over streamable HTTP, without sessions: each request is answered by itself, as JSON. ' +
        'Every tool is a route that reads. A refused question is a result with `isError` and the problem of the route.',
      tags: ['Assistants'],
      security: [{ apiKey: ['read'] }, { adminToken: [] }],
      body: messageBody,
      response: {
        200: messageAnswer.meta({ description: 'The answer to the message.', examples: [exampleAnswer] }),
        202: z.null().meta({ description: 'A notification is accepted.' }),
        400: refusal('The body is no message, or not one of a known version of the protocol.'),
        404: refusal('The protocol has no such method, or there is no such project.'),
      },
    },
    handler: async (request, reply) => {
      refuseOthers(request);
      const giveBack = await messages.take(currentAsker()?.lane ?? '');
      const answer = await answerMessage(request, toServerSources(app, request, sources)).finally(giveBack);
      const text = await answer.text();
      // The package answers with no other status.
      reply.code(answer.status as 200 | 202 | 400 | 404);
      if (text === '') return reply.send(undefined as never);
      return reply
        .type('application/json; charset=utf-8')
        .serializer(String)
        .send(text as never);
    },
  });
}

/** @throws Problem for a session, which only the web page may use, and for a page of another site */
function refuseOthers(request: FastifyRequest): void {
  if (bearerToken(request) === undefined) {
    throw new Problem('unauthenticated', 'Send an API key of the project: Authorization: Bearer <API key>.', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const { origin } = request.headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host.toLowerCase())) {
    throw new Problem('forbidden', 'Pages of other sites may not ask: send the request without the header Origin.');
  }
}

/** Answers in both forms of the protocol: versions before 2026-07-28 begin with a handshake, later ones have none. */
async function answerMessage(request: FastifyRequest, sources: ServerSources): Promise<Response> {
  const sdk = await import('@modelcontextprotocol/server');
  const { body } = request;
  const message = toWebRequest(request);
  const factory = () => createServer(sources);
  if (!(await sdk.isLegacyRequest(message, body))) {
    // The tools never change, so there is nothing to subscribe to.
    const handler = sdk.createMcpHandler(factory, { legacy: 'reject', maxSubscriptions: 0 });
    return await handler.fetch(message, { parsedBody: body });
  }
  const server = await factory();
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(message, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name.startsWith('mcp-')) headers.set(name, value);
  }
  headers.set('content-type', 'application/json');
  // The answer is one message, so it is never a stream. But the protocol requires clients to accept both.
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(`http://farthing${request.routeOptions.url}`, { method: 'POST', headers });
}

function toServerSources(app: App, request: FastifyRequest, { clock, publicUrl }: McpSources): ServerSources {
  return {
    clock,
    origin: (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/+$/, ''),
    project: request.principal?.kind === 'key' ? undefined : request.project?.id,
    requestId: request.id,
    onFault: (error) => request.log.error({ err: error }, 'a question of an assistant failed'),
    readDocument: async () => app.swagger() as Document,
    ask: (question) => askRoute(app, request, question),
  };
}

/** The headers that decide what a caller may ask, and how fresh the answer is. */
const callersHeaders = ['authorization', 'farthing-project', 'farthing-consistency'] as const;

/** Calls a route of this service with the caller's key, as if the caller had called it. */
async function askRoute(app: App, request: FastifyRequest, { method, url, body }: RouteRequest): Promise<RouteReply> {
  const headers = Object.fromEntries(
    callersHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  try {
    const reply = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    const asOf = reply.headers['farthing-as-of'];
    return { status: reply.statusCode, text: reply.body, asOf: typeof asOf === 'string' ? asOf : undefined };
  } catch (cause) {
    if (!isClosing(cause)) throw cause;
    throw new Problem('unavailable', 'The service is stopping; ask again in a moment.', {
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

const isClosing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER';
