import { LRUCache } from 'lru-cache';

/** The most entries of a cache; beyond them the least recently used one is dropped. */
const maxEntries = 10_000;

/** Caches rows of a store, and shares reads under way. Misses are not cached: attackers could fill it with them. */
export class ExpiringCache<V> {
  readonly #reads: LRUCache<string, Promise<V | undefined>>;

  /** @param ttlMs how long an entry is used after its read began, in milliseconds, whatever the clock does */
  constructor(ttlMs: number) {
    this.#reads = new LRUCache({ max: maxEntries, ttl: ttlMs, ttlResolution: 0 });
  }

  async get(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    let underWay = this.#reads.get(key);
    if (!underWay) {
      underWay = read();
      this.#reads.set(key, underWay);
    }
    let value: V | undefined;
    try {
      value = await underWay;
      return value;
    } finally {
      if (value === undefined && this.#reads.peek(key) === underWay) this.#reads.delete(key);
    }
  }

  /** An entry that is being read is read again by those who ask from now on: it may be out of date already. */
  forget(key: string): void {
    this.#reads.delete(key);
  }

  clear(): void {
    this.#reads.clear();
  }
}
