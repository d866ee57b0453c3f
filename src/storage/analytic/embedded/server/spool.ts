import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, createWriteStream, existsSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { noSpace, queryTooLarge } from './exception.ts';

const MEMORY_FOLDER = '/dev/shm';
// Containers often get a /dev/shm of 64 MiB; a few large inserts would fill that.
const MIN_MEMORY_FOLDER_BYTES = 512 * 1024 * 1024;
/** How long the reading end stays open for an abandoned query, in milliseconds; enough to open the writing end. */
const OPEN_FOR_MS = 20;
/** How many pipes are made at once: starting a program for each query that is abandoned takes longer than the query. */
const SPARE_PIPES = 16;
const MAX_BODY_BYTES = 512 * 1024 * 1024;

const runProgram = promisify(execFile);

/**
 * The folder for data to and from the engine, in memory where possible. Files carry the bodies of inserts, and named
 * pipes the rows of answers. The engine reads and writes both on its own threads, in any format. A full pipe makes it
 * wait for a slow reader.
 */
export class Spool {
  readonly #folder: string;
  /** Paths of pipes that no query has used. */
  #spares: string[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates an empty folder, and removes what a killed process left there. The caller must hold the store. */
  static create(storePath: string, memoryFolder: string = MEMORY_FOLDER): Spool {
    // The path of the store gives the name, so that the next process finds and removes the files of a killed one.
    const name = `farthing-${createHash('sha256').update(storePath).digest('hex').slice(0, 16)}`;
    const fallback = join(storePath, 'tmp', name);
    try {
      if (freeBytes(memoryFolder) >= MIN_MEMORY_FOLDER_BYTES)
        return new Spool(makeEmptyFolder(join(memoryFolder, name)));
    } catch {
      // The folder does not exist on this machine, or somebody else owns it.
    }
    mkdirSync(dirname(fallback), { recursive: true, mode: 0o700 });
    return new Spool(makeEmptyFolder(fallback));
  }

  /** Creates named pipes, one for each query that can run. */
  async createPipes(count: number): Promise<OutputPipe[]> {
    const paths = Array.from({ length: count }, () => this.newPath());
    await makeFifos(paths);
    return paths.map((path) => new OutputPipe(path, this));
  }

  /** The path of a pipe that no query has used. */
  async takeSparePipe(): Promise<string> {
    for (;;) {
      const path = this.#spares.pop();
      if (path !== undefined && existsSync(path)) return path;
      if (path !== undefined) continue;
      const made = Array.from({ length: SPARE_PIPES }, () => this.newPath());
      await makeFifos(made);
      this.#spares.push(...made);
    }
  }

  /**
   * Stores a request's body, and returns the file's path. The caller removes the file.
   * @throws EngineException when the body is too large or there is no space
   */
  async receive(body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
    const path = this.newPath();
    try {
      await pipeline(limitBytes(body), createWriteStream(path, { mode: 0o600 }), { signal });
      return path;
    } catch (error) {
      await this.discard(path);
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
        throw noSpace('Not enough space for the rows of this insert');
      }
      throw error;
    }
  }

  async discard(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Some systems clear /dev/shm when a user logs out, so the folder may have to be created again. */
  newPath(): string {
    if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
    return join(this.#folder, randomUUID());
  }
}

/** A named pipe that carries the rows of one query at a time from the engine's thread to this one. */
export class OutputPipe {
  #path: string;
  readonly #spool: Spool;

  constructor(path: string, spool: Spool) {
    this.#path = path;
    this.#spool = spool;
  }

  get path(): string {
    return this.#path;
  }

  /**
   * Opens the reading end. The stream ends once `closeWriter` was called and everything is read. Until then this
   * process holds a writing end open too, because a pipe without a writer reads as ended.
   */
  async open(): Promise<{ readonly rows: Socket; closeWriter(): void }> {
    if (!existsSync(this.#path)) await this.replace();
    const reader = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(this.#path, constants.O_WRONLY | constants.O_NONBLOCK);
    return {
      rows: new Socket({ fd: reader, readable: true, writable: false }),
      closeWriter: () => closeSync(writer),
    };
  }

  /**
   * Opens the reading end again and again until an abandoned query has ended. A query that opens the writing end waits
   * for a reader, possibly for ever, and no KILL reaches it there. Once let in, it fails at its first write.
   */
  async letWriterIn(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = ended.then(
      () => undefined,
      () => undefined,
    );
    void over.then(() => {
      isOver = true;
    });
    while (!isOver) {
      const reader = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
      await Promise.race([over, sleep(OPEN_FOR_MS)]);
      closeSync(reader);
      if (!isOver) await Promise.race([over, sleep(OPEN_FOR_MS)]);
    }
  }

  /** Replaces a pipe that wasn't read to its end: the rest must not reach the next query. */
  async replace(): Promise<void> {
    const previous = this.#path;
    this.#path = await this.#spool.takeSparePipe();
    await rm(previous, { force: true });
  }
}

// Node has no call for this; the program is part of every POSIX system.
async function makeFifos(paths: readonly string[]): Promise<void> {
  await runProgram('mkfifo', ['-m', '600', ...paths]);
}

function makeEmptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  // Not recursive, so that this fails if another user has created the folder in the meantime.
  mkdirSync(path, { mode: 0o700 });
  return path;
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

async function* limitBytes(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > MAX_BODY_BYTES) throw queryTooLarge(`An insert may have at most ${MAX_BODY_BYTES} bytes`);
    yield chunk;
  }
}
