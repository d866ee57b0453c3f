import { setTimeout as sleep } from 'node:timers/promises';
import type { RebuildWire } from '../server/operations/rebuild-routes.ts';
import { CommandError } from './api.ts';
import { startBar } from './progress-bar.ts';

type Followed = Pick<RebuildWire, 'state' | 'progress' | 'failure'>;

const firstPauseMs = 50;
const lastPauseMs = 1_000;

/** Polls until `isDone`, with pauses that grow from 50 ms to 1 s. */
export async function poll<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
    const value = await read();
    if (isDone(value)) return value;
    await sleep(pauseMs);
  }
}

/**
 * Follows a rebuild or a reprice to its end, with a progress bar on a terminal.
 * @throws CommandError when it failed
 */
export async function follow<T extends Followed>(name: string, read: () => Promise<T>): Promise<T> {
  const bar = startBar(1, `Interrupted. The ${name} goes on in the service.`);
  try {
    const done = await poll(read, ({ state, progress }) => {
      bar.update(progress);
      return state === 'done' || state === 'failed';
    });
    if (done.state === 'failed')
      throw new CommandError(`The ${name} failed and nothing has changed: ${done.failure ?? 'see the log'}.`);
    return done;
  } finally {
    bar.stop();
  }
}
