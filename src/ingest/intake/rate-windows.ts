import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { LRUCache } from 'lru-cache';

interface Window {
  readonly endsAtMs: number;
  requests: number;
}

/** The most clients whose requests are counted at once; beyond them the one that posted least recently is dropped. */
const mostClients = 10_000;

/**
 * Counts the requests of each client in its current window (D3.7). The plugin's own store answers requests that wait
 * for the same secret with one object, in which each of them then reads the count of them all, so that none is within
 * the rate; and it measures windows by a clock that an operator can set back.
 */
export class RateWindows implements FastifyRateLimitStore {
  readonly #windows = new LRUCache<string, Window>({ max: mostClients });

  incr(client: string, answer: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
    const now = performance.now();
    let window = this.#windows.get(client);
    if (window === undefined || window.endsAtMs <= now) {
      window = { endsAtMs: now + windowMs, requests: 0 };
      this.#windows.set(client, window);
    }
    window.requests += 1;
    answer(null, { current: window.requests, ttl: window.endsAtMs - now });
  }

  /** The plugin asks for one where a route has a rate of its own. */
  child(): RateWindows {
    return new RateWindows();
  }
}
