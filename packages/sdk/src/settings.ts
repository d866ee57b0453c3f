import type { AttributionStore } from './attribution.ts';
import type { Problem } from './problems.ts';

export interface FarthingOptions {
  /** The address of the service, such as `http://127.0.0.1:8787`; by default `FARTHING_URL`. */
  url?: string | undefined;
  /** By default `FARTHING_CLIENT_ID`. */
  clientId?: string | undefined;
  /** By default `FARTHING_CLIENT_SECRET`. */
  clientSecret?: string | undefined;
  /** An API key of the project, for `guard`; by default `FARTHING_API_KEY`. */
  apiKey?: string | undefined;
  /** The most events that wait to be sent; more are dropped and counted. Default: 10,000. */
  maxQueued?: number | undefined;
  /** The most bytes that wait to be sent. Default: 32 MiB. */
  maxQueuedBytes?: number | undefined;
  /** The most events of a request. Default: 1,000. */
  maxBatch?: number | undefined;
  /** How long an event waits for others to be sent with it, in milliseconds. Default: 200. */
  delayMs?: number | undefined;
  /** How long a request to the service may take, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** Keeps a serverless function running until its calls have ended and their events are sent. */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** Is told of each problem once. By default it goes to `console.warn`. */
  onProblem?: ((problem: Problem) => void) | undefined;
  /** A `new AsyncLocalStorage()`, for runtimes in which this package finds none by itself. */
  asyncLocalStorage?: AttributionStore | undefined;
  /** Sends the requests to the service. By default the runtime's own. */
  fetch?: typeof fetch | undefined;
}

/** A variable of the environment; undefined where the runtime has none. */
export function readVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    // Deno throws where the permission for the environment is missing.
    return undefined;
  }
}
