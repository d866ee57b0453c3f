import { hash } from 'node:crypto';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The UUID of a thing that has a name elsewhere: the same for the same names, always and everywhere. A single name
 * that is a UUID is taken as it is; else it is a UUID of version 8, by a SHA-256 of the namespace and the names
 * (RFC 9562, section 5.8 and appendix B.2).
 */
export function uuidOf(namespace: string, name: string, ...further: readonly string[]): string {
  if (further.length === 0 && uuid.test(name)) return name.toLowerCase();
  const hex = hash('sha256', JSON.stringify([namespace, name, ...further]));
  const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
  const fields = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return `${fields.join('-')}-${hex.slice(20, 32)}`;
}
