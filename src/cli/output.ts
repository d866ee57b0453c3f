import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { CommandError } from './api.ts';
import { whyOf } from './files.ts';
import { whenInterrupted } from './interrupt.ts';

/** The target of an export: a file or standard output. */
export interface Output {
  write(part: string | Uint8Array): Promise<void>;
}

/**
 * Runs an export to a file, or to standard output without one. The file gets its name only when it is complete.
 * @throws CommandError when the file can't be written
 */
export async function writeTo(file: string | undefined, run: (output: Output) => Promise<void>): Promise<void> {
  if (file === undefined) return await run(standardOutput());
  const unfinished = `${file}.part`;
  let handle: FileHandle | undefined;
  const letGo = whenInterrupted(() => {
    if (handle) rmSync(unfinished, { force: true });
    return `Interrupted: ${file} was not written. Run the same command again.`;
  });
  try {
    const opened = await open(unfinished, 'w').catch(notWritable(file));
    handle = opened;
    await run({
      write: async (part) => {
        await opened.writeFile(part).catch(notWritable(file));
      },
    });
    await opened.close();
    await rename(unfinished, file).catch(notWritable(file));
  } catch (error) {
    await handle?.close().catch(() => undefined);
    if (handle) await rm(unfinished, { force: true });
    throw error;
  } finally {
    letGo();
  }
}

const notWritable = (file: string) => (cause: unknown) => {
  throw new CommandError(`${file} cannot be written: ${whyOf(cause)}.`, { cause });
};

function standardOutput(): Output {
  const { stdout } = process;
  // The reader may close the pipe early, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return {
    write: async (part) => {
      if (!stdout.write(part)) await once(stdout, 'drain');
    },
  };
}
