const firstSlots = 1 << 12;
const [low32, mask] = [32n, 0xffff_ffff_ffff_ffffn];

/** A set of UUIDs at 16 bytes each, for imports of millions: it keeps a 64-bit hash of all 128 bits. */
export class IdSet {
  #slots = new BigUint64Array(firstSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    const key = keyOf(id);
    return this.#slots[placeOf(this.#slots, key)] === key;
  }

  /** Adds an id; false if it was there. */
  add(id: string): boolean {
    const key = keyOf(id);
    const place = placeOf(this.#slots, key);
    if (this.#slots[place] === key) return false;
    this.#slots[place] = key;
    this.#size += 1;
    if (2 * this.#size > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const grown = new BigUint64Array(2 * this.#slots.length);
    for (const key of this.#slots) if (key !== 0n) grown[placeOf(grown, key)] = key;
    this.#slots = grown;
  }
}

/** A hash of an id. It is never 0, because 0 marks an empty slot. */
function keyOf(id: string): bigint {
  const all = BigInt(`0x${id.replaceAll('-', '')}`);
  // The first halves of version 7 ids differ little, so multiplication spreads them.
  return (all & mask) ^ (((all >> 64n) * 0x9e37_79b9_7f4a_7c15n) & mask) || 1n;
}

/** The slot of a key, or the empty slot for it. */
function placeOf(slots: BigUint64Array, key: bigint): number {
  const last = slots.length - 1;
  let place = Number((key ^ (key >> low32)) & BigInt(last));
  for (let found = slots[place]; found !== 0n && found !== key; found = slots[place]) place = (place + 1) & last;
  return place;
}
