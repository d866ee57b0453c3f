import { parseJson } from '../../../src/lib/json.ts';
import { noteReached, whileAnswering } from '../state/connection.ts';

/** A refusal of the API: `detail` says what to do (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];

  constructor(status: number, body: Partial<Omit<ApiProblem, 'requestId'>> & { readonly request_id?: string }) {
    const detail = body.detail ?? `The service answered with status ${status}.`;
    super(detail);
    this.status = status;
    this.detail = detail;
    this.code = body.code ?? 'unknown';
    this.requestId = body.request_id;
    this.errors = body.errors ?? [];
  }
}

/** Whether a failure passes by itself: the service is away, or busy. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiProblem && [0, 429, 503].includes(error.status);

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** The project of the request, for the admin token. */
  readonly project?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The secret of a client, only for the intake. */
  readonly secret?: string;
}

/**
 * Sends one request to the service, with the session of the page.
 * @throws ApiProblem; status 0 when the service can't be reached
 */
export async function askApi<T>(
  path: string,
  { method = 'GET', body, project, signal, secret }: Asked = {},
): Promise<T> {
  const answer = await whileAnswering((silence) =>
    fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(project !== undefined && { 'farthing-project': project }),
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, silence]) : silence,
    }),
  ).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    noteReached(false);
    throw new ApiProblem(0, {
      detail:
        'The service cannot be reached. Check that it runs and that you are connected. This page retries automatically.',
      code: 'offline',
    });
  });
  noteReached(true);
  const text = await answer.text();
  const value: unknown = text === '' ? undefined : parseJson(text);
  if (!answer.ok) throw new ApiProblem(answer.status, typeof value === 'object' && value !== null ? value : {});
  return value as T;
}
