import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Several times what all data folders of a run hold at once. */
const enoughBytes = 4 * 2 ** 30;

/**
 * Where data folders lie: in memory where there is room, since tests that write wait half of their time for a disk. A kill
 * loses no more there than on a disk; tests of disks that fail make their own (tests/faults/disk.ts).
 */
export const dataRoot: string = roomOf(memory) > enoughBytes ? memory : tmpdir();

function roomOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
