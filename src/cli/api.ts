import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { readAdminToken } from '../accounts/admin-token.ts';
import { readClientSettings } from '../config.ts';
import { parseJson } from '../lib/json.ts';
import { correctErrors, noProject } from '../lib/problem.ts';
import { calledAs } from './called-as.ts';

/** A failure that the user can fix: printed as one line, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** The code of the service's problem, if it answered with one. */
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { readonly code?: string | undefined } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Converts any error to one line: what failed, and why. */
export const toCommandError =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof CommandError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`${what}: ${why.split('\n')[0]}`, { cause });
  };

export interface AdminOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** The commands that list the ids which an example only begins, by how they begin. */
const listedBy: Readonly<Record<string, string>> = {
  ...{ '4f0c…': 'clients', prj_: 'projects', key_: 'keys', prc_: 'prices', cls_: 'closes', shk_: 'stripe' },
  pva_: 'providers',
};

function sayWhereIdsAre(example: string): string {
  const group = Object.entries(listedBy).find(([begin]) => example.includes(begin))?.[1];
  return group === undefined ? '' : `\n\nGive a whole id in place of one with "…": farthing ${group} list shows them.`;
}

/** Adds `--url`, `--token` and `--json`, and an example to the help. */
export function asAdminCommand(command: Command, example: string): Command {
  return command
    .option('--url <url>', 'address of the service (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--token <token>', 'the admin token (default: FARTHING_ADMIN_TOKEN, else the file in FARTHING_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${example}${sayWhereIdsAre(example)}`);
}

/**
 * An id or a name as one segment of a path. `fetch` resolves `.` and `..` in paths even when they are encoded, so
 * revoking the key `..` would delete the project.
 * @throws CommandError for an empty text, `.` and `..`
 */
export function pathStep(text: string): string {
  if (['', '.', '..'].includes(text)) throw new CommandError(`"${text}" is not an id or a name: give one.`);
  return encodeURIComponent(text);
}

/** The address of the service, without a trailing slash. */
export const serviceUrl = ({ url }: Pick<AdminOptions, 'url'>): string =>
  (url ?? readClientSettings().url).replace(/\/+$/, '');

interface Sent {
  readonly body?: unknown;
  readonly accept?: string;
}

interface Answered {
  readonly text: string;
  readonly headers: Headers;
}

/** How often a request is sent while the service is catching up with its events. */
const maxAttempts = 5;

/** The API of a service with the admin token, or of one of its projects. */
export class AdminApi {
  readonly #token: string;
  /** The address of the service, without a trailing slash. */
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: AdminOptions, project?: string) {
    const settings = readClientSettings();
    const found = options.token ?? settings.adminToken ?? readAdminToken(settings.dataDir);
    if (!found) {
      throw new CommandError(
        `There is no admin token: give --token, set FARTHING_ADMIN_TOKEN, or set FARTHING_DATA_DIR to the service's data folder.`,
      );
    }
    this.#token = found;
    this.url = serviceUrl(options);
    this.#headers = {
      authorization: `Bearer ${found}`,
      ...(project !== undefined && { 'farthing-project': project }),
    };
  }

  /** The API-key routes of this project, with the same token. */
  ofProject(id: string): AdminApi {
    return new AdminApi({ url: this.url, token: this.#token }, id);
  }

  async get<T>(path: string): Promise<T> {
    return this.#parse(await this.#send('GET', path)) as T;
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return this.#parse(await this.#send('POST', path, { body })) as T;
  }

  async patch<T>(path: string, body: unknown): Promise<T> {
    return this.#parse(await this.#send('PATCH', path, { body })) as T;
  }

  async put<T = void>(path: string, body: unknown): Promise<T> {
    return this.#parse(await this.#send('PUT', path, { body })) as T;
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  /** The text of an answer, unparsed, in the given media type. */
  async getText(path: string, accept: string): Promise<Answered> {
    return await this.#send('GET', path, { accept });
  }

  /** The text of the answer to a request, unparsed. */
  async answer({ method, path, body }: { method: string; path: string; body?: unknown }): Promise<string> {
    return (await this.#send(method, path, { body })).text;
  }

  /** An answer with any status, unread. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    return await ask(`${this.url}${path}`, { ...init, headers: { ...init.headers, ...this.#headers } });
  }

  /** An answer of any length, as a stream. */
  async stream(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}): Promise<Readable> {
    const answer = await this.#open(method, path, { body });
    // The types of fetch and node:stream are incompatible.
    return answer.body ? Readable.fromWeb(answer.body as WebStream) : Readable.from([]);
  }

  async #send(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    const answer = await this.#open(method, path, sent);
    return { text: await readText(answer), headers: answer.headers };
  }

  /** The answer to a request that the service accepts. @throws CommandError for any other */
  async #open(method: string, path: string, { body, accept }: Sent): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.ask(path, {
        method,
        headers: {
          ...(accept !== undefined && { accept }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status, ok, headers } = answer;
      if (ok) return answer;
      const text = await readText(answer);
      if (status === 401)
        throw new CommandError('The admin token is not valid: check --token or FARTHING_ADMIN_TOKEN.');
      const { code } = readRefusal(text);
      if (code !== 'catching_up' || attempt >= maxAttempts)
        throw new CommandError(describeRefusal(status, text), { code });
      await sleep(1_000 * (Number(headers.get('retry-after')) || 1));
    }
  }

  #parse({ text }: Answered): unknown {
    if (text === '') return undefined;
    try {
      return parseJson(text);
    } catch (cause) {
      throw new CommandError(`The server at ${this.url} is not Farthing: check --url.`, { cause });
    }
  }
}

/** A query string of the fields that have a value. */
export const toQuery = (fields: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );

/** The pages of an answer, one after another. `ask` adds what it is given to its question. */
export async function* readPages<Page extends { readonly next_cursor: string | null }>(
  ask: (after: { readonly limit: number; readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  const limit = 1_000;
  let page = await ask({ limit });
  for (;;) {
    yield page;
    const { next_cursor: cursor } = page;
    if (cursor === null) return;
    page = await ask({ limit, cursor });
  }
}

/** `fetch` with a clear message when no service answers. @throws CommandError */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  if (!URL.canParse(url)) throw new CommandError(`${url} is not a URL: check --url.`);
  try {
    return await fetch(url, init);
  } catch (cause) {
    // As where an example's shortened id is given.
    if (String(cause).includes('ByteString'))
      throw new CommandError(
        'An id or a token has a character that cannot be sent, such as the … of an example: give all of it.',
        { cause },
      );
    throw new CommandError(
      `No service answers at ${new URL(url).origin}: start it with ${calledAs} serve, or give --url.`,
      { cause },
    );
  }
}

const readText = (answer: Response): Promise<string> => answer.text().catch(connectionLost);

/** Reports that an answer has ended too early. @throws CommandError */
export function connectionLost(cause: unknown): never {
  throw new CommandError('The connection was lost in the middle of an answer: run the command again.', { cause });
}

interface Refusal {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** The fields of a problem of the service; none for any other text. */
export function readRefusal(text: string): Refusal {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A problem of the service as one line, by the names that a command has. */
export function describeRefusal(status: number, text: string): string {
  const { detail, errors = [] } = readRefusal(text);
  if (detail === undefined) return `The service answered with status ${status}.`;
  if (detail.startsWith(noProject)) return `${noProject}; ${calledAs} projects list shows all.`;
  const faults = errors.map(({ pointer, message }) => {
    const [, option] = /^\/(?:date_)?(from|to|since)$/.exec(pointer) ?? [];
    return option === undefined
      ? `${pointer || 'body'}: ${message}`
      : `--${option} ${message.replaceAll(/\bdate_(?=from|to)/g, '--')}`;
  });
  // The sentence may only send to the list, or say what one fault says by the API's names.
  const [only] = errors;
  const isSaid = errors.length === 1 && faults[0]?.startsWith('--') && only && detail.includes(only.message);
  return detail.endsWith(correctErrors) || isSaid ? `${faults.join('; ')}.` : [detail, ...faults].join(' ');
}
