import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** When a file was changed last, or the newest file of a folder, in milliseconds. */
function changedAt(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(...readdirSync(path).map((name) => changedAt(join(path, name))));
}

/** Whether a file is there, and none of the files and folders that it is made of is newer. A package has none of these. */
export function isBuilt(file, sources) {
  if (!existsSync(file)) return false;
  const { mtimeMs } = statSync(file);
  return sources.every((path) => !existsSync(path) || changedAt(path) <= mtimeMs);
}
