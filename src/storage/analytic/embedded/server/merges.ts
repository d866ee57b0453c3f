import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The niceness of merges: statements get nine tenths of a busy core beside them, and merges all of an idle one. */
const niceness = 10;
const threads = '/proc/self/task';
/** The engine starts the threads of its merges with its first table. */
const lookEveryMs = 1_000;

/**
 * Lets the engine's merges give way to its statements, for which answers wait: merges take a quarter of the engine's time
 * when many events come. Only Linux gives a thread a priority of its own.
 */
export function letMergesGiveWay(): void {
  if (!existsSync(threads)) return;
  const look = setInterval(() => {
    try {
      const merging = readdirSync(threads).filter((id) =>
        readFileSync(`${threads}/${id}/comm`, 'utf8').startsWith('MergeMutate'),
      );
      for (const id of merging) setPriority(Number(id), niceness);
      if (merging.length > 0) clearInterval(look);
    } catch {
      // A thread ended meanwhile.
    }
  }, lookEveryMs).unref();
}
