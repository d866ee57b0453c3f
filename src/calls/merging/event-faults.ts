import { findDiskFault } from '../../lib/disk-fault.ts';
import { Problem } from '../../lib/problem.ts';
import { isOfStatement } from '../../storage/analytic/analytic-store.ts';
import { LeaseLost } from '../../storage/control/lease.ts';

/**
 * Whether a batch failed because of its events: they need too much memory or time, or the code or the engine can't take
 * them. Otherwise a store or the disk is out of order, or the lease is lost, and any events would fail.
 */
export function isBecauseOfEvents(error: unknown): boolean {
  if (error instanceof LeaseLost || findDiskFault(error) !== undefined) return false;
  if (error instanceof Problem) return isBecauseOfEvents(error.cause);
  if (!(error instanceof Error)) return false;
  if (isOfStatement(error) || error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  const { code } = error as NodeJS.ErrnoException;
  // Faults of our own code have no code; those of Node.js, such as a text that is too long, have one like this.
  return code === undefined || (/^ERR_/.test(code) && !/^ERR_SQLITE/.test(code));
}
