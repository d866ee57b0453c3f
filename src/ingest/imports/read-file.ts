import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse';
import { tryParseJson } from '../../lib/json.ts';
import { type ReadValue, readLines, readObjects } from './json-values.ts';

export type FileFormat = 'json' | 'jsonl' | 'csv';

const sampleBytes = 65_536;

/** The values of a file of JSON, JSONL or CSV, perhaps gzipped. `onBytes` gets the bytes of each chunk. */
export async function* readFile(path: string, onBytes: (bytes: number) => void): AsyncGenerator<ReadValue> {
  const isZipped = (await readStart(path, 2)).equals(Buffer.from([0x1f, 0x8b]));
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  file.on('data', (chunk) => onBytes(chunk.length));
  const bytes = isZipped ? through(file, createGunzip()) : file;
  const { format, chunks } = await lookInto(bytes as AsyncIterable<Buffer>);
  if (format === 'csv') yield* readRows(chunks);
  else yield* format === 'jsonl' ? readLines(chunks) : readObjects(chunks);
}

/** Pipes a stream through another one, which an error of the first one also ends. */
function through<Next extends Duplex>(stream: Readable, next: Next): Next {
  pipeline(stream, next, () => undefined);
  return next;
}

async function readStart(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Detects the format of a stream by its beginning. Returns the whole stream too, without a byte order mark. */
async function lookInto(
  bytes: AsyncIterable<Buffer>,
): Promise<{ readonly format: FileFormat; readonly chunks: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < sampleBytes) {
    const { done, value } = await iterator.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  if (start.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) start = start.subarray(3);
  async function* whole() {
    if (start.length > 0) yield start;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { format: formatOf(start.toString()), chunks: whole() };
}

/**
 * The format of a file that begins like this. It is JSONL if its first line is a whole object, or if another one is and
 * none before it begins a list: a page of an API can have a record on each line. Other lines may be faulty.
 */
function formatOf(start: string): FileFormat {
  const text = start.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  const lines = text.split('\n');
  // The first line is longer than the sample.
  if (lines.length === 1 && start.length >= sampleBytes) return 'jsonl';
  const first = lines.findIndex((line) => line.startsWith('{') && tryParseJson(line) !== undefined);
  if (first <= 0) return first === 0 ? 'jsonl' : 'json';
  return lines.slice(0, first).some((line) => /[[{,:]\s*$/.test(line)) ? 'json' : 'jsonl';
}

interface CsvRow {
  readonly info: { readonly lines: number; readonly error?: { readonly message: string } };
  readonly record: Readonly<Record<string, string>>;
}

/** The rows of a CSV file as objects, with names from its first line and without empty cells. */
async function* readRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadValue> {
  const faults: { readonly line: number; readonly fault: string }[] = [];
  const rows = through(
    Readable.from(chunks),
    parseCsv({
      columns: true,
      info: true,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      relax_quotes: true,
      skip_records_with_error: true,
      on_skip: (error) => {
        faults.push({
          line: Number(error?.lines ?? 0),
          fault: 'does not have as many cells as the first line has names',
        });
        return undefined;
      },
    }),
  );
  for await (const { info, record } of rows as AsyncIterable<CsvRow>) {
    yield* faults.splice(0);
    yield {
      line: info.lines,
      value: Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== '')),
    };
  }
  yield* faults;
}
