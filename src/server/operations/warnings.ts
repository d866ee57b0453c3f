import { type DiskFault, findDiskFault } from '../../lib/disk-fault.ts';

const words: Readonly<Record<DiskFault, string>> = {
  full: 'the disk is full; free some space or enlarge it, and the service goes on by itself',
  'read-only': 'the disk is read-only; mount it writable and restart the service',
  failing: 'the disk fails; move the data folder to another disk, or restore a backup there',
};

const describeCause = (cause: unknown): string => {
  const fault = findDiskFault(cause);
  return fault ? words[fault] : 'the log has the cause';
};

/** A start makes calls of the last events in less time, in milliseconds; after a restore it makes all of them. */
const soonMs = 5_000;

/** For `/readyz`. It must name no path and no project, so only the log has the message of the cause. */
export function describeFailures(failures: {
  readonly intake: unknown;
  /** Whether the service still takes events. */
  readonly takesEvents: boolean;
  readonly assembly: unknown;
  /** How many projects have events that could not be assembled, also not by themselves. */
  readonly failingProjects: number;
  /** How long this start has been making calls of what was stored before it, in milliseconds; 0 once they are made. */
  readonly catchingUpMs: number;
}): string[] {
  const { intake, takesEvents, assembly, failingProjects, catchingUpMs } = failures;
  const meanwhile = takesEvents ? 'wait in the journal' : 'are refused with 503';
  return [
    ...(intake === undefined ? [] : [`events can't be stored, and ${meanwhile}: ${describeCause(intake)}`]),
    ...(assembly === undefined
      ? []
      : [`events can't be made into calls, and answers that need them are refused: ${describeCause(assembly)}`]),
    ...(catchingUpMs < soonMs
      ? []
      : [
          'calls are still being made of the events stored before this start; answers that need them are refused until then',
        ]),
    ...(failingProjects === 0
      ? []
      : [
          `events of ${failingProjects === 1 ? 'one project' : `${failingProjects} projects`} can't be made into calls, and answers about them are refused; all others go on: the log has the cause`,
        ]),
  ];
}
