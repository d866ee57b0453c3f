// The parts of the embedded engine's tables, as folders of its store, and ways to break them.
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface PartOnDisk {
  readonly name: string;
  readonly path: string;
}

/** The parts of a table of a store that nobody has open; those that a merge has replaced may be among them. */
function listParts(dataDir: string, table: string): PartOnDisk[] {
  const store = join(dataDir, 'clickhouse');
  const definition = readFileSync(join(store, 'metadata', 'default', `${table}.sql`), 'utf8');
  const [, uuid = ''] = /UUID '([0-9a-f-]+)'/.exec(definition) ?? [];
  const folder = join(store, 'store', uuid.slice(0, 3), uuid);
  return readdirSync(folder)
    .filter((name) => /^[0-9a-z]+_\d+_\d+_\d+(_\d+)?$/.test(name))
    .map((name) => ({ name, path: join(folder, name) }));
}

/**
 * The parts of a table that count. Those that a merge has replaced are deleted, as the engine would in a few minutes: until
 * then they take the place of one that is broken or gone, and nothing is missing.
 */
export function clearReplaced(dataDir: string, table: string): PartOnDisk[] {
  const parts = listParts(dataDir, table);
  const current = withoutReplaced(parts);
  for (const part of parts) if (!current.includes(part)) rmSync(part.path, { recursive: true });
  return current;
}

/** Of parts of which one has been merged from others, the last. */
function withoutReplaced(parts: readonly PartOnDisk[]): PartOnDisk[] {
  const known = parts.map((part) => {
    const [partition = '', first, last, level, mutation = '0'] = part.name.split('_');
    return { part, partition, first: Number(first), last: Number(last), age: Number(level) * 1e9 + Number(mutation) };
  });
  return known.flatMap((one) => {
    const isReplaced = known.some(
      (other) =>
        other !== one &&
        other.partition === one.partition &&
        other.first <= one.first &&
        other.last >= one.last &&
        (other.age > one.age || other.last - other.first > one.last - one.first),
    );
    return isReplaced ? [] : [one.part];
  });
}

/** The kinds of damage to a part. */
export const harms = ['bytes changed', 'a file cut off', 'a file gone', 'the folder gone'] as const;
export type Harm = (typeof harms)[number];

/** Damages a part; `at`, from 0 to 1, chooses the place. */
export function harm({ path }: PartOnDisk, how: Harm, at: number): void {
  if (how === 'the folder gone') {
    rmSync(path, { recursive: true });
    return;
  }
  const files = readdirSync(path)
    .filter((name) => name.endsWith('.bin') && statSync(join(path, name)).size > 0)
    .sort();
  const file = join(path, files[Math.floor(at * files.length)] ?? '');
  const { size } = statSync(file);
  if (how === 'a file gone') rmSync(file);
  else if (how === 'a file cut off') truncateSync(file, Math.floor(at * size));
  else {
    const handle = openSync(file, 'r+');
    const length = Math.min(size, 16);
    const place = Math.floor(at * (size - length));
    const bytes = Buffer.from(
      readFileSync(file)
        .subarray(place, place + length)
        .map((byte) => byte ^ 0xa5),
    );
    writeSync(handle, bytes, 0, length, place);
    closeSync(handle);
  }
}
