let lastMs = 0;
let counter = 0;

/** A UUID of version 7: 48 bits of time, a counter of 12 bits within the millisecond, 62 random bits. */
export function makeEventId(): string {
  const nowMs = Date.now();
  counter = nowMs === lastMs ? (counter + 1) & 0xfff : 0;
  lastMs = nowMs;
  const view = new DataView(crypto.getRandomValues(new Uint8Array(16)).buffer);
  view.setBigUint64(0, BigInt(nowMs) << 16n);
  view.setUint16(6, 0x7000 | counter);
  return toUuid(view);
}

/** The UUID, of version 8, that always stands for this text: four hashes of it. */
export function eventIdOf(text: string): string {
  const view = new DataView(new ArrayBuffer(16));
  for (let part = 0; part < 4; part += 1) {
    let hash = 0x9e3779b9 * (part + 1);
    for (const letter of text)
      hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x5bd1e995 + 2 * part) ^ (hash >>> 13);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    view.setUint32(part * 4, hash ^ (hash >>> 13));
  }
  view.setUint8(6, 0x80 | (view.getUint8(6) & 0x0f));
  return toUuid(view);
}

function toUuid(view: DataView): string {
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = Array.from(new Uint8Array(view.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
