import type { Command } from 'commander';
import { readClientSettings } from '../config.ts';
import { readAdminToken } from '../projects/admin-token.ts';

/** A command that failed for a reason the reader can act on: printed as one line, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Options of every command that asks the service as the admin. */
export interface AdminOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds `--url`, `--token` and `--json`, and an example to the help. */
export function asAdminCommand(command: Command, example: string): Command {
  return command
    .option('--url <url>', 'where the service is (default: FARTHING_URL, else http://127.0.0.1:8787)')
    .option('--token <token>', 'the admin token (default: FARTHING_ADMIN_TOKEN, else the file in FARTHING_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${example}`);
}

/** The service as the admin sees it. */
export class AdminApi {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: AdminOptions) {
    const settings = readClientSettings();
    const found = token ?? settings.adminToken ?? readAdminToken(settings.dataDir);
    if (!found) {
      throw new CommandError(
        `There is no admin token: give --token, set FARTHING_ADMIN_TOKEN, or set FARTHING_DATA_DIR to the service's data folder.`,
      );
    }
    this.#url = (url ?? settings.url).replace(/\/+$/, '');
    this.#token = found;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#ask('GET', path)) as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return (await this.#ask('POST', path, body)) as T;
  }

  async delete(path: string): Promise<void> {
    await this.#ask('DELETE', path);
  }

  async #ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await ask(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 401)
      throw new CommandError('The admin token is not valid: check --token or FARTHING_ADMIN_TOKEN.');
    if (!response.ok) throw new CommandError(describeRefusal(response.status, text));
    return text === '' ? undefined : JSON.parse(text);
  }
}

/** `fetch`, with one clear line when nobody answers. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new CommandError(`No service answers at ${new URL(url).origin}: start it with npm start, or give --url.`, {
      cause,
    });
  }
}

interface Refusal {
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** A problem of the service as one line. */
export function describeRefusal(status: number, text: string): string {
  try {
    const { detail = text, errors = [] } = JSON.parse(text) as Refusal;
    return [detail, ...errors.map(({ pointer, message }) => `${pointer || 'body'}: ${message}`)].join(' ');
  } catch {
    return `The service answered with status ${status}.`;
  }
}
