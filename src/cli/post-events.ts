import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../lib/json.ts';
import { CommandError, describeRefusal } from './api.ts';

export interface Posted {
  readonly accepted: number;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

const firstRetryMs = 200;
const lastRetryMs = 5_000;
const maxAttempts = 60;

/** Posts one batch, and retries while the service is unreachable or answers 429 or 503. */
export async function postEvents(
  { url, secret }: { readonly url: string; readonly secret: string },
  body: Buffer,
): Promise<Posted> {
  for (let attempt = 1, retryMs = firstRetryMs; ; attempt += 1, retryMs = Math.min(2 * retryMs, lastRetryMs)) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
      body: new Uint8Array(body),
    }).catch((cause: unknown) => {
      if (attempt >= maxAttempts) throw new CommandError(`No service answers at ${new URL(url).origin}.`, { cause });
      return undefined;
    });
    if (response) {
      const text = await response.text();
      if (response.ok) return { accepted: (parseJson(text) as { accepted: number }).accepted, faults: [] };
      if (response.status === 400) {
        const { accepted, errors = [] } = parseJson(text) as { accepted?: number; errors?: Posted['faults'] };
        if (accepted !== undefined) return { accepted, faults: errors };
      }
      if (response.status === 401) {
        throw new CommandError('The client is unknown or the secret is not valid: check --client-id and --secret.');
      }
      const isPassing = response.status === 429 || response.status === 503;
      if (!isPassing || attempt >= maxAttempts) throw new CommandError(describeRefusal(response.status, text));
    }
    await sleep(retryMs);
  }
}
