import { createReadStream } from 'node:fs';

/** The lines of one request, and their end in the file. */
export interface ImportBatch {
  readonly body: Buffer;
  /** The offset of the next batch, in bytes. */
  readonly end: number;
  readonly lines: number;
}

export interface BatchSize {
  readonly maxLines: number;
  readonly maxBytes: number;
}

const newline = 0x0a;

/** Splits an NDJSON file, from byte `from` on, into batches of whole lines. Only one batch at a time is in memory. */
export async function* readBatches(
  path: string,
  from: number,
  { maxLines, maxBytes }: BatchSize,
): AsyncGenerator<ImportBatch> {
  let rest: Buffer = Buffer.alloc(0);
  let end = from;
  let parts: Buffer[] = [];
  let lines = 0;
  let bytes = 0;
  const take = (): ImportBatch => {
    const batch = { body: Buffer.concat(parts), end, lines };
    parts = [];
    lines = 0;
    bytes = 0;
    return batch;
  };
  for await (const chunk of createReadStream(path, { start: from, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let at = rest.indexOf(newline); at !== -1; at = rest.indexOf(newline, start)) {
      const line = rest.subarray(start, at + 1);
      if (lines > 0 && (lines >= maxLines || bytes + line.length > maxBytes)) yield take();
      parts.push(line);
      lines += line.toString('latin1').trim() === '' ? 0 : 1;
      bytes += line.length;
      end += line.length;
      start = at + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) {
    if (lines > 0 && (lines >= maxLines || bytes + rest.length > maxBytes)) yield take();
    parts.push(rest);
    lines += 1;
    end += rest.length;
  }
  if (parts.length > 0) yield take();
}
