import { tryParseJson } from '../../lib/json.ts';

/** A value of a file, or the reason why it can't be read, with the line where it begins. */
export type ReadValue =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly fault: string };

/** The longest record, because a longer one could fill the memory. */
const maxRecordBytes = 64 * 1_048_576;

const [quote, backslash, newline] = [0x22, 0x5c, 0x0a];
const [open, close, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Reads each line of a file as one value; skips empty lines. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadValue> {
  let line = 0;
  for await (const text of splitLines(chunks)) {
    line += 1;
    if (text === undefined) yield { line, fault: `is longer than ${maxRecordBytes} bytes` };
    else if (text.trim() !== '') yield parse(text, line);
  }
}

/** The lines of a stream; undefined for a line that is too long. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = () => {
    const text = length > maxRecordBytes ? undefined : Buffer.concat(parts).toString();
    parts = [];
    length = 0;
    return text;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > maxRecordBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  yield take();
}

/** Objects in a list or one after another, one in memory at a time, whatever commas are between them. */
export async function* readObjects(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadValue> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  let depth = 0;
  let begins = 1;
  let isString = false;
  let isEscaped = false;
  let strayLine = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk[at];
      if (code === newline) line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) isString = false;
        continue;
      }
      if (depth === 0) {
        if (code === open) {
          [depth, begins, start] = [1, line, at];
        } else if (isStray(code) && strayLine !== line) {
          strayLine = line;
          yield { line, fault: 'is not JSON' };
        }
        continue;
      }
      if (code === quote) isString = true;
      else if (code === open || code === openList) depth += 1;
      else if (code === close || code === closeList) {
        depth -= 1;
        if (depth > 0) continue;
        length += at + 1 - start;
        if (length > maxRecordBytes) yield { line: begins, fault: `is longer than ${maxRecordBytes} bytes` };
        else yield parse(Buffer.concat([...parts, chunk.subarray(start, at + 1)]).toString(), begins);
        parts = [];
        length = 0;
      }
    }
    if (depth > 0) {
      length += chunk.length - start;
      if (length > maxRecordBytes) parts = [];
      else parts.push(chunk.subarray(start));
    }
  }
  if (depth > 0) yield { line: begins, fault: 'is not complete: the file ends in it' };
}

/** Whether a byte may not be between objects. */
const isStray = (code: number | undefined): boolean =>
  code !== undefined && code > 0x20 && code !== openList && code !== closeList && code !== 0x2c;

function parse(text: string, line: number): ReadValue {
  const value = tryParseJson(text);
  return value === undefined ? { line, fault: 'is not JSON' } : { line, value };
}
