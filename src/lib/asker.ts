import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom work is done. What is shared fairly is shared by lane. */
export interface Asker {
  /** A project, or what else has a share of its own. */
  readonly lane: string;
  /** Aborts when whoever asked no longer waits for the answer. */
  readonly left?: AbortSignal | undefined;
}

const askers = new AsyncLocalStorage<Asker>();

/** Does work, and all that it starts, for an asker. */
export const askingFor = <T>(asker: Asker, work: () => T): T => askers.run(asker, work);

/** For whom the current work is done; undefined for work of the service itself. */
export const currentAsker = (): Asker | undefined => askers.getStore();

/** Does work that others may wait for too, so it goes on when its asker leaves. */
export function sharedWithOthers<T>(work: () => T): T {
  const asker = askers.getStore();
  return asker === undefined ? work() : askers.run({ lane: asker.lane }, work);
}
