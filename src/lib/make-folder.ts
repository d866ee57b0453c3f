import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDiskFault } from './disk-fault.ts';

/** A folder that cannot be used, and why. */
export class FolderFault extends Error {
  override readonly name = 'FolderFault';
  readonly code = 'bad_folder';
}

/**
 * Makes a folder and those above it, for their owner alone. Node's `recursive` never ends where there is no place for
 * one, as in `/proc`. @throws FolderFault when it is no folder, can't be made or can't be written to
 */
export function makeFolder(path: string): void {
  try {
    makeMissing(path);
    if (!statSync(path).isDirectory()) throw new FolderFault(`${path} is a file, not a folder; name another folder.`);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (cause instanceof FolderFault || findDiskFault(cause) === 'full') throw cause;
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const why = reasons[code] ?? `it cannot be used (${code})`;
    throw new FolderFault(`The folder ${path} can't be used: ${why}; name another folder.`, { cause });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there, and cannot be made here',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'something else has its name, such as a link to nowhere',
  EACCES: 'this user may not make it or write to it',
  EPERM: 'this user may not make it or write to it',
  EROFS: 'the disk is read-only',
  ELOOP: 'its path has links in a circle',
  ENAMETOOLONG: 'its path is too long',
};

function makeMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const parent = dirname(path);
  if (parent !== path) makeMissing(parent);
  mkdirSync(path, { mode: 0o700 });
}
