import type { Progress } from '../../src/calls/assembly/progress.ts';
import { Problem } from '../../src/lib/problem.ts';
import { backgroundWithin, poll } from '../support/poll.ts';

/** Waits until answers of a project have all its events. On a busy machine that may take longer than an answer waits. */
export async function untilCaughtUp(progress: Progress, projectId: string): Promise<void> {
  await poll('assembly has caught up', { within: backgroundWithin }, async () => {
    try {
      await progress.waitFor(projectId, 'strict');
      return true;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'catching_up')) throw error;
      return undefined;
    }
  });
}
