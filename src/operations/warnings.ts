import { type DiskFault, findDiskFault } from '../lib/disk-fault.ts';

const words: Readonly<Record<DiskFault, string>> = {
  full: 'the disk is full',
  'read-only': 'the disk is read-only',
  failing: 'the disk fails',
};

const describeCause = (cause: unknown): string => {
  const fault = findDiskFault(cause);
  return fault ? words[fault] : 'the log has the cause';
};

/**
 * What keeps failing, for `/readyz`. It names no path and no project, so the message of the cause is only in the log.
 */
export function describeFailures(failures: { readonly intake: unknown; readonly assembly: unknown }): string[] {
  const { intake, assembly } = failures;
  return [
    ...(intake === undefined ? [] : [`events can't be stored, and are refused with 503: ${describeCause(intake)}`]),
    ...(assembly === undefined
      ? []
      : [`events can't be made into calls, and answers that need them are refused: ${describeCause(assembly)}`]),
  ];
}
