import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file of mode 0600 which, whenever the process is killed, is whole or as it was before; durable on return. */
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
