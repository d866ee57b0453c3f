import { type DiskFault, findDiskFault } from '../lib/disk-fault.ts';

/** Each fault and what to do about it. */
const words: Readonly<Record<DiskFault, string>> = {
  full: 'the disk is full; free some space or enlarge it, and the service goes on by itself',
  'read-only': 'the disk is read-only; mount it writable and restart the service',
  failing: 'the disk fails; move the data folder to another disk, or restore a backup there',
};

const describeCause = (cause: unknown): string => {
  const fault = findDiskFault(cause);
  return fault ? words[fault] : 'the log has the cause';
};

/**
 * What keeps failing and what to do about it, for `/readyz`. It must name no path and no project, so only the log has
 * the message of the cause.
 */
export function describeFailures(failures: {
  readonly intake: unknown;
  /** Whether the service still takes events. */
  readonly takesEvents: boolean;
  readonly assembly: unknown;
  /** How many projects have events that could not be assembled, also not by themselves. */
  readonly failingProjects: number;
}): string[] {
  const { intake, takesEvents, assembly, failingProjects } = failures;
  const meanwhile = takesEvents ? 'wait in the journal' : 'are refused with 503';
  return [
    ...(intake === undefined ? [] : [`events can't be stored, and ${meanwhile}: ${describeCause(intake)}`]),
    ...(assembly === undefined
      ? []
      : [`events can't be made into calls, and answers that need them are refused: ${describeCause(assembly)}`]),
    ...(failingProjects === 0
      ? []
      : [
          `events of ${failingProjects === 1 ? 'one project' : `${failingProjects} projects`} can't be made into calls, and answers about them are refused; all others go on: the log has the cause`,
        ]),
  ];
}
