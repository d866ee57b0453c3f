import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const lookEveryMs = 10_000;
/** The share of the time in which a process at rest works, at most. */
const restShare = 0.1;

/**
 * Gives back unused memory when the process is first at rest: V8 keeps room for the most young objects there were, 64 MiB.
 * It takes a quarter of a second of processor time, so a start does not wait for it.
 */
export function shrinkHeapAtRest(): { close(): void } {
  let before = performance.eventLoopUtilization();
  const looks = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > restShare) return;
    clearInterval(looks);
    shrinkHeap();
  }, lookEveryMs).unref();
  return { close: () => clearInterval(looks) };
}

function shrinkHeap(): void {
  // Node.js offers no other way.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
