import { lookup as lookUp } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './special-addresses.ts';

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  take: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

const systemResolve: Resolve = (host, take) => lookUp(host, { all: true }, take);

/** The hosts that may be requested, in addition to public ones over https. */
export interface Reach {
  /** Names and addresses, as `hostOf` returns them, that may be private and may be requested over http. */
  readonly hosts: ReadonlySet<string>;
  readonly resolve?: Resolve;
}

/** A request that was not sent, or not answered. The message is a predicate and contains no part of the URL. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
}

const notPublic = 'must have a public address';

/** The host of a URL in canonical form: lower case, without the brackets of IPv6 and the trailing dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Why a URL must not be requested, as a predicate: "must start with https://". Undefined if it may. */
export function refusalOf(url: URL, { hosts }: Reach): string | undefined {
  const host = hostOf(url);
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (hosts.has(host)) {
    return url.protocol === 'https:' || url.protocol === 'http:' ? undefined : 'must start with https:// or http://';
  }
  if (url.protocol !== 'https:') return 'must start with https://';
  if (isIP(host) !== 0 && !isPublicAddress(host)) return notPublic;
  return undefined;
}

/** Whether any current address of the host's name is not public; false for a name that cannot be resolved now. */
export async function resolvesToPrivate(url: URL, reach: Reach): Promise<boolean> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return refusalOf(url, reach) !== undefined;
  return await new Promise((resolve) => {
    guardedLookup(reach)(host, { all: true }, (error) => resolve(error instanceof RequestFault));
  });
}

/** Fails if any address is not public. The connection uses the checked ones, so changing them gains nothing. */
function guardedLookup({ hosts, resolve = systemResolve }: Reach): LookupFunction {
  return (host, options, take) => {
    resolve(host, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) {
        take(error ?? new Error('the name has no address'), []);
      } else if (!hosts.has(host.replace(/\.$/, '')) && !addresses.every(({ address }) => isPublicAddress(address))) {
        take(new RequestFault(notPublic), []);
      } else if (options.all) {
        take(null, [...addresses]);
      } else {
        take(null, first.address, first.family);
      }
    });
  };
}

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The time limit of the whole request, including the resolution of its name. */
  readonly timeoutMs: number;
  /** Ends the request early. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** The header `retry-after`. */
  readonly retryAfter: string | undefined;
}

/** The most bytes of an answer's body that are read, so that the sender is not cut off. The body is discarded. */
const maxAnswerBytes = 65_536;

export interface Get extends Omit<Post, 'body'> {
  /** The most bytes of the answer's body. */
  readonly maxBytes: number;
}

export interface ReadAnswer extends Answer {
  readonly body: Buffer;
}

/**
 * Posts to a URL that somebody else has given. Private addresses are not reached except on `hosts`, redirects are not
 * followed, and each request has a connection of its own. @throws RequestFault; the reason of `signal`
 */
export async function postGuarded(url: URL, post: Post, reach: Reach): Promise<Answer> {
  return await guard(url, post, reach, async (signal) => {
    const bytes = Buffer.from(post.body);
    const headers = { ...post.headers, 'content-length': bytes.length };
    const response = await send(url, { method: 'POST', headers, bytes }, reach, signal);
    drain(response);
    return toAnswer(response);
  });
}

/** The same for a GET whose answer's body is read. @throws RequestFault; the reason of `signal` */
export async function getGuarded(url: URL, get: Get, reach: Reach): Promise<ReadAnswer> {
  return await guard(url, get, reach, async (signal) => {
    const response = await send(url, { method: 'GET', headers: get.headers, bytes: undefined }, reach, signal);
    return { ...toAnswer(response), body: await readAll(response, get.maxBytes) };
  });
}

export interface AnyRequest extends Omit<Get, 'signal'> {
  readonly method: 'GET' | 'POST';
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** The same for either, with all headers of the answer. @throws RequestFault; the reason of `signal` */
export async function requestGuarded(
  url: URL,
  { method, headers, body, maxBytes, timeoutMs, signal: given }: AnyRequest,
  reach: Reach,
): Promise<ReadAnswer & { readonly headers: Record<string, string> }> {
  return await guard(url, { timeoutMs, signal: given }, reach, async (signal) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { 'content-length': bytes.length };
    const response = await send(url, { method, headers: { ...headers, ...length }, bytes }, reach, signal);
    const answered = Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    return { ...toAnswer(response), headers: Object.fromEntries(answered), body: await readAll(response, maxBytes) };
  });
}

async function guard<T>(
  url: URL,
  { timeoutMs, signal }: Pick<Post, 'timeoutMs' | 'signal'>,
  reach: Reach,
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const refusal = refusalOf(url, reach);
  if (refusal !== undefined) throw new RequestFault(refusal);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await exchange(AbortSignal.any([timeout, signal]));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof RequestFault) throw cause;
    if (timeout.aborted) throw new RequestFault(`did not answer within ${timeoutMs / 1_000} s`, { cause });
    throw new RequestFault(`could not be reached${codeOf(cause)}`, { cause });
  }
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly bytes: Buffer | undefined;
}

const send = async (
  url: URL,
  { method, headers, bytes }: Sent,
  reach: Reach,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  await new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = open(url, { method, agent: false, lookup: guardedLookup(reach), headers, signal });
    request.once('error', reject);
    request.once('response', resolve);
    request.end(bytes);
  });

const toAnswer = ({ statusCode = 0, headers }: IncomingMessage): Answer => ({
  status: statusCode,
  retryAfter: headers['retry-after'],
});

async function readAll(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RequestFault(`answered with more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads and discards the rest of an answer whose status is known, up to a limit. Errors while reading are ignored. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) response.destroy();
  });
}

/** The code of a cause, such as ENOTFOUND, in brackets. Of several addresses, the first one's. */
function codeOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error && 'code' in first ? ` (${String(first.code)})` : '';
}
