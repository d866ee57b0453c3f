import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom work is done. What is shared fairly is shared by lane. */
export interface Asker {
  /** A project, or what else has a share of its own. */
  readonly lane: string;
  /** Aborts when whoever asked no longer waits for the answer. */
  readonly left?: AbortSignal | undefined;
  /** `light` work reads little, or is done again in a heavy turn, where it is `heavy`; other work has no turns. */
  readonly weight?: Weight | undefined;
  /** A part of the answer is sent already: what comes next waits for its turn, however long, and is not refused. */
  readonly hasBegun?: boolean | undefined;
}

export type Weight = 'light' | 'heavy';

const askers = new AsyncLocalStorage<Asker>();

/** Does work, and all that it starts, for an asker. */
export const askingFor = <T>(asker: Asker, work: () => T): T => askers.run(asker, work);

/** Does work for the current asker, of whom more is known. */
export function askingAs<T>(more: Pick<Asker, 'weight' | 'hasBegun'>, work: () => T): T {
  const { lane = '', left, weight, hasBegun } = askers.getStore() ?? {};
  return askers.run({ lane, left, weight, hasBegun, ...more }, work);
}

/** For whom the current work is done; undefined for work of the service itself. */
export const currentAsker = (): Asker | undefined => askers.getStore();

/** Does work that others may wait for too, so it goes on when its asker leaves. Only others of this weight may. */
export function sharedWithOthers<T>(work: () => T, weight?: Weight): T {
  const asker = askers.getStore();
  return asker === undefined ? work() : askers.run({ lane: asker.lane, weight }, work);
}
