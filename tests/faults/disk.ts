// A disk of its own, in a file, which can be full, slow or broken down to read-only.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { usualOrLong } from '../support/effort.ts';
import { whenThisProcessEnds } from '../support/leash.ts';
import { makeMigratedDataDir } from '../support/service.ts';

const bytes = usualOrLong(256, 768) * 1_048_576;
const filling = Buffer.alloc(1_048_576);

export class Disk {
  /** A folder on it. */
  readonly dataDir: string;
  readonly #folder: string;
  readonly #mount: string;
  readonly #image: string;
  #isMounted = false;

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'farthing-disk-'));
    this.#image = join(this.#folder, 'image');
    this.#mount = join(this.#folder, 'mounted');
    this.dataDir = join(this.#mount, 'data');
  }

  /** @throws Error where this process may not mount: these tests need root and loop devices */
  static open(): Disk {
    const disk = new Disk();
    mkdirSync(disk.#mount);
    writeFileSync(disk.#image, '');
    truncateSync(disk.#image, bytes);
    whenThisProcessEnds(
      'fsfreeze -u "$0/mounted" 2>/dev/null; umount -l "$0/mounted" 2>/dev/null; rm -rf -- "$0"',
      disk.#folder,
    );
    run('mkfs.ext4', '-q', '-F', '-m', '0', disk.#image);
    disk.mount();
    cpSync(makeMigratedDataDir(), disk.dataDir, { recursive: true });
    // A failing disk loses what is not on it yet; the service syncs what it writes.
    run('sync', '-f', disk.dataDir);
    return disk;
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#image, this.#mount);
    this.#isMounted = true;
  }

  unmount(): void {
    if (this.#isMounted) run('umount', this.#mount);
    this.#isMounted = false;
  }

  /** Takes the room that is left, but for some bytes. */
  fill(leftBytes: number): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, filling);
    } catch {
      // It is full.
    }
    ftruncateSync(file, Math.max(0, fstatSync(file).size - leftBytes));
    closeSync(file);
  }

  clear(): void {
    rmSync(this.#filler, { force: true });
  }

  /** What the system does when a disk fails: nothing is written any more until it is mounted again. */
  breakDown(): void {
    run('mount', '-o', 'remount,abort', this.#mount);
  }

  /** Lets it write for a moment only now and then, for so long. */
  async slow({ lastsMs, stillMs, goesMs }: { lastsMs: number; stillMs: number; goesMs: number }): Promise<void> {
    const until = performance.now() + lastsMs;
    while (performance.now() < until) {
      run('fsfreeze', '-f', this.#mount);
      await pause(stillMs);
      run('fsfreeze', '-u', this.#mount);
      await pause(goesMs);
    }
  }

  close(): void {
    this.unmount();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.#mount, 'filler');
  }
}

function run(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    throw new Error(`This test makes disks: it needs root, loop devices and ${command}.`, { cause });
  }
}
