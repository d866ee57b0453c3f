import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../lib/make-folder.ts';
import {
  decodeSegment,
  encodeEndMark,
  encodeHeader,
  encodeRecord,
  type JournalRecord,
  lastSeqOf,
  newHeader,
  readRecord,
  type SegmentContent,
  type SegmentHeader,
} from './record.ts';

/** A segment of this size or age takes no more records, so that it can be deleted soon. */
const fullBytes = 64 * 1_048_576;
const fullAfterMs = 10_000;
/** How long after a failure the next record is refused at once, in milliseconds. */
const restMs = 500;

interface Segment extends SegmentHeader {
  readonly path: string;
  readonly file: FileHandle;
  readonly headerBytes: number;
  readonly openedAt: number;
  /** Where the next record goes. */
  end: number;
  /** The last sequence in it; 0 for none. */
  lastSeq: number;
}

export interface Location {
  readonly segment: Segment;
  readonly at: number;
  readonly bytes: number;
}

/** The files on which events are durable until the log has them: segments of records, the last of them open for more. */
export class Journal {
  readonly folder: string;
  readonly #writer: string;
  /** In the order of their sequences. */
  #segments: Segment[] = [];
  #nextNumber: number;
  #storedSeq = 0;
  /** Whether the last segment takes records. After a failed write it may be torn, and takes none. */
  #isOpen = false;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #last: Promise<unknown> = Promise.resolve();

  /** A journal in a folder without segments of earlier processes, but for damaged ones that were kept aside. */
  constructor(folder: string, writer: string) {
    this.folder = folder;
    this.#writer = writer;
    makeFolder(folder);
    const numbers = readdirSync(folder).map((name) => Number(/^(\d+)\.segment/.exec(name)?.[1] ?? 0));
    this.#nextNumber = 1 + Math.max(0, ...numbers);
  }

  /** Appends; durable when this resolves. @throws Error when it may or may not be found after a crash */
  async append(record: JournalRecord): Promise<Location> {
    return await this.#inTurn(async () => {
      if (performance.now() - this.#failedAt < restMs) throw this.#failure;
      try {
        const segment = this.#openSegment ?? (await this.#addSegment());
        const bytes = encodeRecord(segment.marker, record);
        const at = segment.end;
        await writeAll(segment.file, Buffer.concat([bytes, encodeEndMark(segment.marker)]), at);
        await segment.file.datasync();
        segment.end = at + bytes.length;
        segment.lastSeq = lastSeqOf(record);
        return { segment, at, bytes: bytes.length };
      } catch (cause) {
        // After a failed sync the content of the disk is unknown, and a second sync may succeed without having
        // written it.
        this.#isOpen = false;
        this.#failedAt = performance.now();
        this.#failure = cause;
        throw cause;
      }
    });
  }

  async read({ segment, at, bytes }: Location): Promise<JournalRecord> {
    const { buffer } = await segment.file.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
    return readRecord(buffer, segment.marker);
  }

  /** Deletes segments that are no longer needed: the log has all events up to this sequence. */
  async forget(storedSeq: number): Promise<void> {
    this.#storedSeq = storedSeq;
    await this.#inTurn(async () => {
      const last = this.#isOpen ? this.#segments.at(-1) : undefined;
      const isStored = (segment: Segment) => segment.lastSeq <= this.#storedSeq;
      await this.#delete(this.#segments.filter((segment) => segment !== last && isStored(segment)));
      if (last === undefined || !isStored(last) || last.end === last.headerBytes) return;
      await last.file.truncate(last.headerBytes);
      last.end = last.headerBytes;
      await writeAll(last.file, encodeEndMark(last.marker), last.end);
    });
  }

  /** Closes the files, and deletes them if the log has everything. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      this.#isOpen = false;
      const isStored = (segment: Segment) => segment.lastSeq <= this.#storedSeq;
      await this.#delete(this.#segments.filter(isStored));
      for (const { file } of this.#segments) await file.close();
    });
  }

  get #openSegment(): Segment | undefined {
    const segment = this.#isOpen ? this.#segments.at(-1) : undefined;
    if (!segment || segment.end >= fullBytes) return undefined;
    const isOld = segment.end > segment.headerBytes && performance.now() - segment.openedAt >= fullAfterMs;
    return isOld ? undefined : segment;
  }

  async #addSegment(): Promise<Segment> {
    const path = join(this.folder, `${String(this.#nextNumber).padStart(8, '0')}.segment`);
    this.#nextNumber += 1;
    const header = newHeader(this.#writer);
    const bytes = encodeHeader(header);
    const file = await open(path, 'wx+', 0o600);
    try {
      await writeAll(file, Buffer.concat([bytes, encodeEndMark(header.marker)]), 0);
      await file.datasync();
      syncFolder(this.folder);
    } catch (cause) {
      await file.close();
      await unlink(path);
      throw cause;
    }
    const at = { headerBytes: bytes.length, end: bytes.length, lastSeq: 0, openedAt: performance.now() };
    const segment = { ...header, ...at, path, file };
    this.#segments.push(segment);
    this.#isOpen = true;
    return segment;
  }

  async #delete(segments: readonly Segment[]): Promise<void> {
    if (segments.length === 0) return;
    this.#segments = this.#segments.filter((segment) => !segments.includes(segment));
    for (const { file, path } of segments) {
      await file.close();
      await unlink(path);
    }
    syncFolder(this.folder);
  }

  async #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => undefined);
    return await done;
  }
}

/** A segment of an earlier process. */
export interface LeftSegment extends SegmentContent {
  readonly path: string;
}

/** The paths of the segments of earlier processes, in order. */
export function listLeft(folder: string): string[] {
  makeFolder(folder);
  const names = readdirSync(folder).filter((name) => name.endsWith('.segment'));
  return names.sort().map((name) => join(folder, name));
}

export const readLeft = async (path: string): Promise<LeftSegment> => ({
  path,
  ...decodeSegment(await readFile(path)),
});

/** Keeps a segment that nobody replays again, beside those that were kept before; returns where. */
export async function keepAside(path: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const keptAt = copy === 1 ? `${path}.damaged` : `${path}.${copy}.damaged`;
    if (existsSync(keptAt)) continue;
    await rename(path, keptAt);
    return keptAt;
  }
}

/** Deletes segments of earlier processes and syncs, so that they can't reappear after a power cut. */
export async function deleteLeft(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlink(path);
  if (paths.length > 0) syncFolder(folder);
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Makes new and deleted names of a folder durable. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
