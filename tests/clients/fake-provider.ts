// A provider of models on this machine: it answers the requests of the providers' own clients as the providers do.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../support/client.ts';
import { furtherReply, type Reply } from './further-answers.ts';
import {
  chatAnswer,
  chatChunks,
  embeddingsAnswer,
  geminiAnswer,
  geminiChunks,
  messagesAnswer,
  messagesEvents,
  mistralAnswer,
  mistralChunks,
  responsesAnswer,
  responsesEvents,
} from './recorded-answers.ts';

/**
 * - `ok`: answers.
 * - `limited`: refuses with a 429.
 * - `cut`: breaks the connection after the second event of a stream.
 * - `endless`: sends the first two events of a stream, and nothing more.
 * - `plain`: does not know `stream_options`, and refuses them.
 */
export type Manner = 'ok' | 'limited' | 'cut' | 'endless' | 'plain';

export interface FakeProvider {
  /** The address for a client of this family. */
  url(family: 'openai' | 'anthropic' | 'google' | 'mistral', manner?: Manner): string;
  /** The bodies of the requests so far. */
  readonly bodies: Json[];
  /** How many streams were given up by the client. */
  readonly abandoned: () => number;
  close(): Promise<void>;
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const bodies: Json[] = [];
  let abandoned = 0;
  let asked = 0;
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    bodies.push(body);
    const [, manner = '', family = '', ...rest] = (request.url ?? '').split('/');
    response.on('close', () => {
      if (!response.writableEnded) abandoned += 1;
    });
    if (manner === 'limited') return sendJson(response, 429, refusal('rate_limit_exceeded', 'Slow down.'));
    if (manner === 'plain' && 'stream_options' in body) {
      return sendJson(response, 400, refusal('unknown_parameter', 'Unrecognized request argument: stream_options'));
    }
    const base = `http://${request.headers.host}/${manner}/${family}`;
    const further = furtherReply(family, rest.join('/'), body, base);
    const usual = () => (request.method === 'GET' ? retrieved(++asked) : replyOf(family, rest.join('/'), body));
    const reply = further ?? usual();
    if (reply === undefined) sendJson(response, 404, refusal('not_found', `There is no ${request.url}`));
    else if ('whole' in reply) sendJson(response, 200, reply.whole);
    else if ('text' in reply) response.writeHead(200, { 'content-type': reply.contentType }).end(reply.text);
    else sendEvents(response, reply.events, reply.isNamed === true, manner, family);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (family, manner = 'ok') => {
      const version = family === 'openai' ? '/v1' : '';
      return `http://127.0.0.1:${port}/${manner}/${family}${version}`;
    },
    bodies,
    abandoned: () => abandoned,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const refusal = (code: string, message: string): Json => ({
  type: 'error',
  error: { type: 'invalid_request_error', code, message },
});

/** An answer of the Responses API that is made in the background: the first time it is asked for, it is not there yet. */
const retrieved = (asked: number): Reply => ({ whole: asked > 1 ? responsesAnswer('gpt-5') : inBackground('gpt-5') });

const inBackground = (model: unknown): Json => ({
  ...responsesAnswer(model),
  status: 'in_progress',
  output: [],
  usage: null,
});

function replyOf(family: string, path: string, body: Json): Reply | undefined {
  const { model, stream } = body;
  if (family === 'google') {
    const [, name = '', verb = ''] = /models\/([^:]+):(\w+)/.exec(path) ?? [];
    if (verb === 'generateContent') return { whole: geminiAnswer(name) };
    if (verb === 'streamGenerateContent') return { events: geminiChunks(name) };
    return verb.endsWith('mbedContents') ? { whole: { embeddings: [{ values: [0.5] }] } } : undefined;
  }
  switch (`${family} ${path.replace(/\?.*/, '')}`) {
    case 'openai v1/chat/completions': {
      const { include_usage: asked } = (body.stream_options ?? {}) as { include_usage?: boolean };
      return stream ? { events: chatChunks(model, asked === true) } : { whole: chatAnswer(model) };
    }
    case 'openai v1/responses':
      if (stream) return { events: responsesEvents(model), isNamed: true };
      return { whole: body.background === true ? inBackground(model) : responsesAnswer(model) };
    case 'openai v1/embeddings':
      return { whole: embeddingsAnswer(model) };
    case 'mistral v1/embeddings':
      return { whole: { id: 'emb-1', ...embeddingsAnswer(model) } };
    case 'anthropic v1/messages':
      return stream ? { events: messagesEvents(model), isNamed: true } : { whole: messagesAnswer(model) };
    case 'mistral v1/chat/completions':
      return stream ? { events: mistralChunks(model) } : { whole: mistralAnswer(model) };
    default:
      return undefined;
  }
}

/** The body of a request: JSON, or the texts of a form. */
async function readBody(request: IncomingMessage): Promise<Json> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  if (text === '' || text.startsWith('{')) return text === '' ? {} : (JSON.parse(text) as Json);
  return Object.fromEntries(
    [...text.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(([, name, value]) => [name, value]),
  );
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1', 'request-id': 'req_1' };
  // The clients try again on their own; they are told not to.
  response.writeHead(status, { ...headers, 'x-should-retry': 'false' }).end(JSON.stringify(body));
}

function sendEvents(
  response: ServerResponse,
  events: readonly Json[],
  isNamed: boolean,
  manner: string,
  family: string,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1', 'request-id': 'req_1' });
  const isBroken = manner === 'cut' || manner === 'endless';
  for (const event of isBroken ? events.slice(0, 2) : events) {
    response.write(`${isNamed ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  }
  if (manner === 'endless') return;
  if (manner === 'cut') {
    // The written events arrive first.
    setTimeout(() => response.destroy(), 50);
    return;
  }
  response.end(family === 'openai' || (family === 'mistral' && !isNamed) ? 'data: [DONE]\n\n' : '');
}
