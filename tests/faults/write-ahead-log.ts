// SQLite's write-ahead log, by its file format.
import { readFileSync } from 'node:fs';

/** The bytes before the first frame of a write-ahead log. */
export const headerBytes = 32;
const frameHeaderBytes = 24;

/** Where the transactions of a write-ahead log end, by SQLite's file format; what an earlier log has left behind it is none. */
export function readCommits(path: string): { readonly salt: string; readonly ends: readonly number[] } {
  const bytes = readFileSync(path);
  const frameBytes = frameHeaderBytes + bytes.readUInt32BE(8);
  const salt = bytes.toString('hex', 16, 24);
  const ends: number[] = [];
  for (let at = headerBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    if (bytes.toString('hex', at + 8, at + 16) !== salt) break;
    if (bytes.readUInt32BE(at + 4) > 0) ends.push(at + frameBytes);
  }
  return { salt, ends };
}
