import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentAsker } from './asker.ts';
import { Shares } from './shares.ts';

/** One slice of the askers' long work runs in a turn of the event loop. */
const slices = new Shares({ slots: 1, mostWaiting: Number.POSITIVE_INFINITY, refusal: '' });

/** Yields between slices of long work. Askers take turns (docs/decisions/0035); the service's own goes on next. */
export async function fairTurn(): Promise<void> {
  const asker = currentAsker();
  if (asker === undefined) await nextTurn();
  else setImmediate(await slices.take(asker.lane));
}
