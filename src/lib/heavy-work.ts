import { askingAs, currentAsker } from './asker.ts';
import { Shares } from './shares.ts';

/** How long heavy work waits for its turn, in milliseconds. */
const patienceMs = 30_000;

/** Heavy work that goes on at once, of all projects. Each may hold up to 200 MB (docs/decisions/0035). */
const heavyWork = new Shares({
  slots: 2,
  mostWaiting: 30,
  refusal:
    'This project asks for more heavy answers at once than its share of the process can work out; ask again when earlier ones are answered, or for fewer days.',
});

/**
 * Work that holds much memory, one at a time of a project; within heavy work it has its turn already.
 * @throws Problem `rate_limited` when too much of the project waits, or for too long
 */
export async function inHeavyTurn<T>(work: () => Promise<T>): Promise<T> {
  const { lane = '', left, weight, hasBegun = false } = currentAsker() ?? {};
  if (weight === 'heavy') return await work();
  const patience = hasBegun ? [] : [AbortSignal.timeout(patienceMs)];
  const giveBack = await heavyWork.take(lane, AbortSignal.any([...patience, ...(left ? [left] : [])]), hasBegun);
  return await askingAs({ weight: 'heavy' }, work).finally(giveBack);
}
