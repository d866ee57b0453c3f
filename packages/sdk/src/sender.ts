import { isObject } from './json.ts';

/** What became of a request with events. */
export type Outcome =
  /** The events are on disk, except those that the service found invalid. */
  | { readonly kind: 'stored'; readonly refused: number; readonly reason: string }
  /** The request was refused as a whole, and none of it is stored. */
  | { readonly kind: 'too_large'; readonly reason: string }
  /** The same events must be sent again, after this time if the service named one. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number | undefined };

export interface Target {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch | undefined;
}

const longestWaitMs = 3_600_000;

/** Posts events to the intake as one NDJSON request. Never throws. */
export async function sendEvents(target: Target, events: readonly string[]): Promise<Outcome> {
  try {
    const { url, clientId, clientSecret, timeoutMs } = target;
    const answer = await (target.fetch ?? globalThis.fetch)(`${url}/intake/${encodeURIComponent(clientId)}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clientSecret}`, 'content-type': 'application/x-ndjson' },
      body: events.join('\n'),
      // A redirect turns the request into a GET, whose answer says nothing about the events.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    return readOutcome(answer, body, events.length);
  } catch (error) {
    const { message, cause } = error as Error;
    return { kind: 'later', reason: `${message}${cause ? ` (${cause})` : ''}`, afterMs: undefined };
  }
}

function readOutcome({ status, headers }: Response, body: unknown, sent: number): Outcome {
  const { ok, accepted, detail } = isObject(body) ? body : {};
  if (status === 200 && ok === true) return { kind: 'stored', refused: 0, reason: '' };
  const reason = `it answered ${status}${typeof detail === 'string' ? `: ${detail}` : ''}`;
  if (status === 400 && typeof accepted === 'number') return { kind: 'stored', refused: sent - accepted, reason };
  if (status === 400 || status === 413) return { kind: 'too_large', reason };
  return { kind: 'later', reason, afterMs: readRetryAfter(headers.get('retry-after')) };
}

/** Seconds or a date; undefined if it is neither. */
export function readRetryAfter(text: string | null): number | undefined {
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.min(ms, longestWaitMs));
}
