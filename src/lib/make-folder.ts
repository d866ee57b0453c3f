import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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
    accessSync(path, constants.R_OK | constants.X_OK);
    tryToWrite(path);
  } catch (cause) {
    if (cause instanceof FolderFault || findDiskFault(cause) === 'full') throw cause;
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const why = reasons[code] ?? `it cannot be used (${code})`;
    throw new FolderFault(`The folder ${path} can't be used: ${why}; name another folder.`, { cause });
  }
}

/**
 * As `makeFolder`, closed to others: unless it is another user's, such as root's volume that is mounted for a group.
 * @throws FolderFault also when others use it
 */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  if (isShared(path)) throw new FolderFault(`${path} is shared with others, who would lose it; name a folder in it.`);
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Whether it is the root, or one like `/tmp` that has files. */
const isShared = (path: string): boolean =>
  dirname(resolve(path)) === resolve(path) || ((statSync(path).mode & sticky) !== 0 && readdirSync(path).length > 0);

/** The mode of a folder in which each user may change only their own files. */
const sticky = 0o1000;

/** Rights do not tell: root may write to `/proc`, and makes no file there. */
function tryToWrite(path: string): void {
  const probe = join(path, `.probe-${process.pid}`);
  closeSync(openSync(probe, 'w', 0o600));
  rmSync(probe, { force: true });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'nothing can be made here',
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
