import { readRetryAfter } from '../sender.ts';
import { readVariable } from '../settings.ts';
import { FarthingError } from './error.ts';

export interface ApiOptions {
  /** The address of the service; by default `FARTHING_URL`. */
  url?: string | undefined;
  /** An API key of the project; by default `FARTHING_API_KEY`. */
  apiKey?: string | undefined;
  /** The number of retries after a 429 or a 503. Default: 3. */
  retries?: number | undefined;
  /** Sends the requests. By default the runtime's own. */
  fetch?: typeof fetch | undefined;
}

export interface AskOptions {
  /** `relaxed` does not wait for the events of the last second. */
  consistency?: 'relaxed' | undefined;
  signal?: AbortSignal | undefined;
}

export interface Page<Row = unknown> {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

interface Question {
  readonly body?: object;
  readonly query?: object;
}

const defaultPauseMs = 1_000;

/** Asks the service. */
export class Client {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #options: ApiOptions;

  constructor(options: ApiOptions = {}) {
    const url = options.url ?? readVariable('FARTHING_URL');
    const apiKey = options.apiKey ?? readVariable('FARTHING_API_KEY');
    if (!url || !apiKey) throw new TypeError('url and apiKey are needed (FARTHING_URL, FARTHING_API_KEY)');
    this.#url = url.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#options = options;
  }

  protected pages<Answer extends Page>(
    method: string,
    path: string,
    question: Question,
    options?: AskOptions,
  ): Pages<Answer> {
    return makePages((cursor) => {
      const more = cursor === undefined ? {} : { cursor };
      const { body, query } = question;
      const asked = body === undefined ? { query: { ...query, ...more } } : { body: { ...body, ...more } };
      return this.ask<Answer>(method, path, asked, options);
    });
  }

  protected async ask<Answer>(
    method: string,
    path: string,
    { body, query = {} }: Question,
    { consistency, signal }: AskOptions = {},
  ): Promise<Answer> {
    const named = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(
      Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
    ).toString();
    const request: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(consistency && { 'farthing-consistency': consistency }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const { retries = 3, fetch = globalThis.fetch } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await fetch(`${this.#url}${path}${search && `?${search}`}`, request);
      const text = await answer.text();
      if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
      if ((answer.status !== 429 && answer.status !== 503) || attempt >= retries) {
        throw new FarthingError(answer.status, parse(text));
      }
      const pauseMs = readRetryAfter(answer.headers.get('retry-after')) ?? defaultPauseMs;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal?.throwIfAborted();
    }
  }
}

/** The JSON of a text; undefined if it is none, as from a proxy. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer to a question that has pages. Awaited, it is the first page; iterated, it is the rows of all pages. */
export type Pages<Answer extends Page> = Promise<Answer> &
  AsyncIterable<RowOf<Answer>> & {
    /** One page after the other. */
    pages(): AsyncGenerator<Answer, void>;
  };

type RowOf<Answer extends Page> = Answer['rows'][number];

function makePages<Answer extends Page>(ask: (cursor?: string) => Promise<Answer>): Pages<Answer> {
  const first = ask();
  async function* pages(): AsyncGenerator<Answer, void> {
    for (let page = await first; ; page = await ask(page.next_cursor ?? undefined)) {
      yield page;
      if (!page.has_more) return;
    }
  }
  async function* rows(): AsyncGenerator<RowOf<Answer>, void> {
    for await (const page of pages()) for (const row of page.rows) yield row as RowOf<Answer>;
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: rows });
}
