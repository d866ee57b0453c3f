import type { Clock } from './clock.ts';

export interface ExpiringCacheOptions {
  readonly clock: Clock;
  /** How long an entry is valid, in milliseconds. */
  readonly ttlMs: number;
  /** The oldest entry is dropped when there would be more. */
  readonly maxEntries: number;
}

/**
 * Caches rows of a store for a short time. Misses are not cached, since an attacker could fill the cache with them. Those
 * who ask for an entry while it is read share the read: when the entry of a busy client expires, hundreds do.
 */
export class ExpiringCache<K, V> {
  readonly #options: ExpiringCacheOptions;
  readonly #entries = new Map<K, { readonly value: V; readonly until: number }>();
  /** Reads under way, of entries that were not forgotten meanwhile. */
  readonly #reads = new Map<K, Promise<V | undefined>>();
  #forgotten = 0;

  constructor(options: ExpiringCacheOptions) {
    this.#options = options;
  }

  async get(key: K, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const { clock, ttlMs } = this.#options;
    const known = this.#entries.get(key);
    const leftMs = known ? known.until - clock() : 0;
    // More than `ttlMs` left means that the clock was set back.
    if (known && leftMs > 0 && leftMs <= ttlMs) return known.value;

    const underWay = this.#reads.get(key);
    if (underWay) return await underWay;
    this.#entries.delete(key);
    const reading = this.#read(key, read);
    this.#reads.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.#reads.get(key) === reading) this.#reads.delete(key);
    }
  }

  async #read(key: K, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const { clock, ttlMs, maxEntries } = this.#options;
    const token = this.#forgotten;
    const value = await read();
    // An entry forgotten during the read may be out of date already.
    if (value === undefined || token !== this.#forgotten) return value;
    if (this.#entries.size >= maxEntries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, { value, until: clock() + ttlMs });
    return value;
  }

  forget(key: K): void {
    this.#forgotten += 1;
    this.#entries.delete(key);
    this.#reads.delete(key);
  }

  clear(): void {
    this.#forgotten += 1;
    this.#entries.clear();
    this.#reads.clear();
  }
}
