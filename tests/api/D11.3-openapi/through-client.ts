// Sends the requests of a test through a generated client, wherever the document has an operation for them.
import type { Asked, GeneratedClient } from '../../clients/openapi/generated.ts';
import { type Answer, type Farthing, onceCaughtUp, type SendOptions } from '../../support/client.ts';
import type { Operation } from '../../support/openapi.ts';
import type { World } from './world.ts';

/** The answers as they were sent, by the object that a client gives for them. */
const sent = new WeakMap<Response, Answer>();

/** Why the last request had no answer. A client may keep it to itself. */
let lastFailure: unknown;

/**
 * What a client sends with. A GET without an answer is sent once more: on a busy machine the service may have closed the idle
 * connection that it went over.
 */
export const recordingFetch: typeof fetch = async (input, init) => {
  const send = () => fetch(input instanceof Request ? input.clone() : input, init);
  const isRead = (input instanceof Request ? input.method : (init?.method ?? 'GET')) === 'GET';
  const response = await send()
    .catch(async (cause) => (isRead ? await send() : Promise.reject(cause)))
    .catch((cause) => {
      lastFailure = cause;
      throw cause;
    });
  const text = await response.clone().text();
  sent.set(response, { status: response.status, headers: response.headers, text, body: toJson(text) });
  return response;
};

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Through {
  readonly client: GeneratedClient;
  readonly operations: readonly Operation[];
  /** Told of every operation that the client has asked, with what it made of the JSON of a success. */
  readonly note: (key: string, parsed: { readonly data: unknown; readonly body: unknown } | undefined) => void;
}

/** The same world, reached through a client. */
export function worldThrough(world: World, through: Through): World {
  const farthing = farthingThrough(world.farthing, through);
  const { project, internal } = world;
  return { ...world, farthing, project: project.through(farthing), internal: internal.through(farthing) };
}

function farthingThrough(plain: Farthing, { client, operations, note }: Through): Farthing {
  const farthing: Farthing = {
    url: plain.url,
    adminToken: plain.adminToken,
    send: async (method, path, options = {}) => {
      const url = new URL(path, plain.url);
      const found = findOperation(operations, method, url.pathname);
      if (!found || options.contentType === null) return await plain.send(method, path, options);
      const { operation, values } = found;
      const asked = toAsked(url, values, options);
      const parsesJson = answersJson(operation);
      return await onceCaughtUp(async () => {
        const { response, data } = await client.ask(operation, asked, parsesJson);
        const answer = sent.get(response);
        if (!answer)
          throw new Error(`${client.name} gave another answer than it was sent for ${operation.key}`, {
            cause: lastFailure,
          });
        note(operation.key, parsesJson && response.ok && answer.text !== '' ? { data, body: answer.body } : undefined);
        return answer;
      });
    },
    admin: (method, path, body) => farthing.send(method, path, { body, token: plain.adminToken }),
    createProject: async (fields) => (await plain.createProject(fields)).through(farthing),
  };
  return farthing;
}

function toAsked(
  url: URL,
  path: Record<string, string>,
  { body, raw, token, contentType, headers }: SendOptions,
): Asked {
  const names = [...new Set(url.searchParams.keys())];
  const isSent = body !== undefined || raw !== undefined;
  return {
    path,
    query: Object.fromEntries(
      names.map((name) => {
        const values = url.searchParams.getAll(name);
        return [name, values.length === 1 ? (values[0] ?? '') : values];
      }),
    ),
    headers: {
      ...(isSent && { 'content-type': contentType ?? 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: raw ?? body,
  };
}

/** The operation of a path, which may lack the slash at its end, and the values of its parameters. */
function findOperation(operations: readonly Operation[], method: string, path: string) {
  const steps = toSteps(path);
  const matches = operations.flatMap((operation) => {
    const names = toSteps(operation.path);
    if (operation.method !== method || names.length !== steps.length) return [];
    const values: Record<string, string> = {};
    for (const [index, name] of names.entries()) {
      const step = steps[index] ?? '';
      if (name.startsWith('{')) values[name.slice(1, -1)] = decodeURIComponent(step);
      else if (name !== step) return [];
    }
    return [{ operation, values }];
  });
  // A path without parameters comes before one with.
  return matches.toSorted((a, b) => Object.keys(a.values).length - Object.keys(b.values).length)[0];
}

const toSteps = (path: string): string[] => path.split('/').filter((step) => step !== '');

/** Whether every success of an operation with a body is JSON. */
const answersJson = ({ responses }: Operation): boolean =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => Object.keys(content))
    .every((type) => type === 'application/json');
