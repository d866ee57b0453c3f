import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../lib/json.ts';
import { CommandError, describeRefusal } from './api.ts';

export interface Posted {
  readonly accepted: number;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

const firstRetryMs = 200;
const lastRetryMs = 5_000;
/** With these pauses a batch waits for five minutes. */
const maxAttempts = 60;
/** A service under load refuses some batches for a moment, which is not worth a line. */
const refusalsUnsaid = 5;

/**
 * What posts batches. A batch is retried while the service is unreachable or answers 429 or 503; the first one that waits
 * says so on standard error.
 */
export function openIntake({ url, secret }: { readonly url: string; readonly secret: string }) {
  const { origin } = new URL(url);
  let isWaiting = false;
  const sayWaiting = (why: string) => {
    if (!isWaiting) console.error(`${process.stderr.isTTY ? '\n' : ''}${why} Trying again for up to 5 minutes.`);
    isWaiting = true;
  };
  return async (body: Buffer): Promise<Posted> => {
    for (let attempt = 1, retryMs = firstRetryMs; ; attempt += 1, retryMs = Math.min(2 * retryMs, lastRetryMs)) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
        body: new Uint8Array(body),
      }).catch((cause: unknown) => {
        const why = `No service answers at ${origin}.`;
        if (attempt >= maxAttempts) throw new CommandError(why, { cause });
        sayWaiting(why);
        return undefined;
      });
      if (response) {
        const text = await response.text();
        if (response.ok) {
          isWaiting = false;
          return { accepted: (parseJson(text) as { accepted: number }).accepted, faults: [] };
        }
        if (response.status === 400) {
          const { accepted, errors = [] } = parseJson(text) as { accepted?: number; errors?: Posted['faults'] };
          if (accepted !== undefined) return { accepted, faults: errors };
        }
        if (response.status === 401) {
          throw new CommandError('The client is unknown or the secret is not valid: check --client-id and --secret.');
        }
        const isPassing = response.status === 429 || response.status === 503;
        const why = describeRefusal(response.status, text);
        if (!isPassing || attempt >= maxAttempts) throw new CommandError(why);
        if (attempt > refusalsUnsaid) sayWaiting(why);
      }
      await sleep(retryMs);
    }
  };
}
