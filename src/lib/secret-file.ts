import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The configured secret, with no path; else the one in a file, or a new one of `make`, stored there with mode 0600. */
export function openSecret(
  configured: string | undefined,
  path: string,
  make: () => string,
): { readonly secret: string; readonly path: string | undefined } {
  if (configured !== undefined) return { secret: configured, path: undefined };
  const kept = readSecretFile(path);
  if (kept !== undefined) return { secret: kept, path };
  const secret = make();
  writeSecretFile(path, `${secret}\n`);
  return { secret, path };
}

/** The secret in a file; undefined when there is none. @throws Error when the file can't be read */
export function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file of mode 0600 atomically: a killed process leaves the old or the new content. Durable on return. */
export function writeSecretFile(path: string, text: string): void {
  const unfinished = `${path}.part`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
