import { hash } from 'node:crypto';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The UUID of a thing that has a name elsewhere: the same for the same names, whoever asks and whenever. A single name
 * that is a UUID is taken as it is; else it is a UUID of version 8, by a SHA-256 of the namespace and the names
 * (RFC 9562, section 5.8 and appendix B.2).
 */
export function uuidOf(namespace: string, name: string, ...further: readonly string[]): string {
  if (further.length === 0 && uuid.test(name)) return name.toLowerCase();
  const bytes = hash('sha256', JSON.stringify([namespace, name, ...further]), 'buffer');
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
