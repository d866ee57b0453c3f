import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { readClientSettings } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Document } from '../lib/http/openapi-document.ts';
import { parseJson } from '../lib/json.ts';
import type { RouteReply } from '../reports/mcp/call-tool.ts';
import { createServer, type ServerSources } from '../reports/mcp/create-server.ts';
import { type AdminOptions, ask, CommandError, describeRefusal, readRefusal, serviceUrl } from './api.ts';
import { calledFromAnywhere } from './called-as.ts';
import { openProject } from './project-option.ts';

interface McpOptions extends Omit<AdminOptions, 'json'> {
  readonly apiKey?: string;
  readonly project?: string;
}

/** `farthing mcp`: the tools of `POST /mcp` over stdio, for assistants that start a program. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'Answer an assistant over stdin and stdout, by the Model Context Protocol. It needs a running service.',
    )
    .option('--url <url>', 'address of the service (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--api-key <key>', 'a key with the scope read (default: FARTHING_API_KEY)')
    .option('--token <token>', 'or the admin token (default: FARTHING_ADMIN_TOKEN, else the file in FARTHING_DATA_DIR)')
    .option('--project <id>', 'with the admin token, the project (default: the only one)')
    .addHelpText(
      'after',
      `\nExample:\n  claude mcp add farthing --env FARTHING_API_KEY=fk_… -- ${calledFromAnywhere} mcp`,
    )
    .action(runMcp);
}

async function runMcp(options: McpOptions): Promise<void> {
  const caller = await openCaller(options);
  await requireAccess(caller);
  const sources = toServerSources(caller);
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  // The server ends when the assistant closes stdin. It needs no subscriptions, because the tools stay the same.
  serveStdio(() => createServer(sources), { maxSubscriptions: 0 });
}

/** The credentials of the questions: an API key, or the admin token with a project. */
interface Caller {
  /** The address of the service, without a trailing slash. */
  readonly url: string;
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
  readonly project: string | undefined;
}

async function openCaller(options: McpOptions): Promise<Caller> {
  const namesAdmin = options.token !== undefined || options.project !== undefined;
  const apiKey = options.apiKey ?? (namesAdmin ? undefined : readClientSettings().apiKey);
  if (apiKey === undefined) {
    const { id, api } = await openProject(options);
    return { url: api.url, send: (path, init) => api.ask(path, init), project: id };
  }
  const url = serviceUrl(options);
  const send: Caller['send'] = (path, init = {}) =>
    ask(`${url}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${apiKey}` } });
  return { url, send, project: undefined };
}

/** Reports a wrong key or address before the assistant asks. @throws CommandError */
async function requireAccess({ send }: Caller): Promise<void> {
  const answer = await send('/api/project/');
  if (answer.status === 401) throw new CommandError('The API key is not valid: check --api-key or FARTHING_API_KEY.');
  if (!answer.ok) throw new CommandError(describeRefusal(answer.status, await answer.text()));
}

function toServerSources({ url, send, project }: Caller): ServerSources {
  let document: Promise<Document> | undefined;
  return {
    clock: systemClock,
    origin: url,
    project,
    requestId: randomUUID(),
    onFault: (error) => console.error(error),
    readDocument: async () => {
      document ??= readDocument(send);
      try {
        return await document;
      } catch (error) {
        // The next question retries.
        document = undefined;
        throw error;
      }
    },
    ask: async ({ method, url: path, body }) => {
      try {
        return await toReply(
          await send(path, {
            method,
            ...(body !== undefined && {
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            }),
          }),
        );
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return { status: 503, text: toProblem(503, error.message), asOf: undefined };
      }
    },
  };
}

async function readDocument(send: Caller['send']): Promise<Document> {
  const answer = await send('/openapi.json');
  if (!answer.ok) throw new CommandError(describeRefusal(answer.status, await answer.text()));
  return parseJson(await answer.text()) as Document;
}

/** A refusal without a problem comes from a proxy in front of the service. */
async function toReply(answer: Response): Promise<RouteReply> {
  const { status } = answer;
  const text = await answer.text();
  const isOfService = answer.ok || readRefusal(text).detail !== undefined;
  return {
    status,
    text: isOfService ? text : toProblem(status, describeRefusal(status, '')),
    asOf: answer.headers.get('farthing-as-of') ?? undefined,
  };
}

const toProblem = (status: number, detail: string): string =>
  JSON.stringify({ title: 'The service cannot answer now', status, detail });
