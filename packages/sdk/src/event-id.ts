let lastMs = 0;
let counter = 0;

/** A UUID of version 7: 48 bits of time, a counter of 12 bits within the millisecond, 62 random bits. */
export function makeEventId(): string {
  const nowMs = Date.now();
  counter = nowMs === lastMs ? (counter + 1) & 0xfff : 0;
  lastMs = nowMs;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(nowMs / 2 ** 32));
  view.setUint32(2, nowMs >>> 0);
  view.setUint16(6, 0x7000 | counter);
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
