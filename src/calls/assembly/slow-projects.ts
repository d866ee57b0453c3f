import type { ReadBatch } from './batch.ts';

/** Of how many months the calls of a project in a batch may be. Each is a part of a table, and takes milliseconds. */
const mostMonths = 24;

/**
 * The projects of a batch whose calls would take so long to write that other projects of the batch must not wait for them:
 * an import of decades by turns, or ill will.
 */
export function findSlowProjects({ slice, calls }: Pick<ReadBatch, 'slice' | 'calls'>): ReadonlySet<string> {
  const slow = new Set<string>();
  const [first] = slice;
  if (first === undefined || slice.every(({ projectId }) => projectId === first.projectId)) return slow;
  const months = new Map<string, Set<string>>();
  for (const { projectId, timeMs } of calls) {
    const ofProject = months.get(projectId) ?? new Set();
    months.set(projectId, ofProject.add(new Date(timeMs).toISOString().slice(0, 7)));
    if (ofProject.size > mostMonths) slow.add(projectId);
  }
  return slow;
}
