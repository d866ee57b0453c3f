import { Option } from 'commander';
import { formatNames } from '../reports/exports/formats.ts';
import { type AdminApi, connectionLost, toQuery } from './api.ts';
import { writeTo } from './output.ts';
import { toCount } from './print.ts';

export interface RowsQuestion {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RowsTarget {
  readonly format: string;
  readonly file: string | undefined;
  /** What a row is called. */
  readonly noun: string;
}

export const formatOption = (byDefault: (typeof formatNames)[number]): Option =>
  new Option('--format <format>', `the format (default: ${byDefault})`).choices(formatNames);

/** Writes all rows of an answer in a format, to a file or to standard output. */
export async function exportRows(
  api: AdminApi,
  { method, path, fields }: RowsQuestion,
  { format, file, noun }: RowsTarget,
): Promise<void> {
  const query = toQuery({ format, ...(method === 'GET' && fields) });
  // Asked before the file is opened, so that a refused question leaves no file.
  const answer = await api.stream(`${path}?${query}`, { method, ...(method === 'POST' && { body: fields }) });
  // An answer may break off before it is read. Reading it then reports the error.
  answer.on('error', () => undefined);
  let bytes = 0;
  let lines = 0;
  try {
    await writeTo(file, async (output) => {
      for await (const part of chunksOf(answer)) {
        await output.write(part);
        bytes += part.length;
        lines += countLines(part);
      }
    });
  } finally {
    // If the file cannot be written, the rest of the answer is not read.
    answer.destroy();
  }
  if (file === undefined) return;
  const written = format === 'ndjson' ? `${toCount(lines)} ${noun}` : `${toCount(bytes)} bytes`;
  console.error(`Wrote ${written} to ${file}.`);
}

/** The parts of an answer. @throws CommandError when it ends too early */
async function* chunksOf(answer: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts = answer[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await parts.next().catch(connectionLost);
    if (done) return;
    yield value;
  }
}

const lineFeed = '\n'.charCodeAt(0);

function countLines(part: Uint8Array): number {
  let lines = 0;
  for (let at = part.indexOf(lineFeed); at !== -1; at = part.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
}
