import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { parseJson } from '../lib/json.ts';
import { CommandError } from './api.ts';

/** Why the system has refused something, such as `no such file or directory`. */
export function whyOf(cause: unknown): string {
  const { errno } = Object(cause) as NodeJS.ErrnoException;
  return errno === undefined ? String(cause) : getSystemErrorMessage(errno);
}

/** @throws CommandError when one of them is a folder, or cannot be read */
export function checkFiles(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      accessSync(path, constants.R_OK);
    } catch (cause) {
      throw new CommandError(`${path} cannot be read: ${whyOf(cause)}.`, { cause });
    }
    if (statSync(path).isDirectory()) throw new CommandError(`${path} is a folder: give a file.`);
  }
}

export function readTextFile(path: string): string {
  checkFiles([path]);
  return readFileSync(path, 'utf8');
}

/** The value in the text of a file. @throws CommandError */
export function parseJsonFile(path: string, text = readTextFile(path)): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new CommandError(`${path} is not JSON.`, { cause });
  }
}
