import { isUtf8 } from 'node:buffer';
import { isJsonSpace, parseJson } from '../../lib/json.ts';
import { parseJsonInSlices, UnwieldyJson } from '../../lib/json-in-slices.ts';
import { Problem } from '../../lib/problem.ts';
import type { Slices } from '../../lib/slices.ts';

/** The events of a request are its body, or the elements of an array, or lines. */
export type SentBody =
  | { readonly kind: 'single'; readonly event: SentEvent }
  | { readonly kind: 'array' | 'lines'; readonly events: readonly SentEvent[] };

/** The bytes of an event in a body, which are stored unchanged. */
export interface SentEvent {
  readonly bytes: Buffer;
  /** Whether it is known that no key has an escape, so that JSON.parse reads the event correctly. */
  readonly isExact: boolean;
}

export type BodyFormat = 'json' | 'ndjson';

const maxBatchEvents = 10_000;

const lineFeed = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Bytes that are looked at between two yields. */
const scannedBetweenYields = 262_144;
/** An event of more bytes is parsed in slices. */
const largeEventBytes = 65_536;

/**
 * The bytes of events, not parsed, so that too many are refused at once. @throws Problem `invalid_json` when the body
 * is not UTF-8, or an array that does not end; `invalid_body` when it has too many events
 */
export function* splitBody(body: Buffer, format: BodyFormat): Slices<SentBody> {
  if (!isUtf8(body)) throw new Problem('invalid_json', 'The body is not valid UTF-8.');
  if (format === 'ndjson') return { kind: 'lines', events: yield* cutLines(body) };
  const bytes = trim(body, 0, body.length);
  if (bytes[0] !== 0x5b) return { kind: 'single', event: { bytes, isExact: false } };
  return { kind: 'array', events: yield* cutElements(bytes) };
}

/** Whether an event takes so long to parse that it is parsed in slices. */
export const isLargeEvent = ({ bytes }: SentEvent): boolean => bytes.length > largeEventBytes;

/** The value of an event that is not large; `notJson` if it is not JSON. */
export function parseEvent({ bytes, isExact }: SentEvent): unknown {
  try {
    return isExact ? JSON.parse(bytes.toString()) : parseJson(bytes.toString());
  } catch (cause) {
    if (cause instanceof SyntaxError) return notJson;
    throw cause;
  }
}

/** The events of an array from this index on that are parsed together: at least one, and no more bytes than a large event has. */
export function eventsTogether(events: readonly SentEvent[], index: number): readonly SentEvent[] {
  let bytes = 0;
  let end = index;
  do {
    bytes += events[end]?.bytes.length ?? 0;
    end += 1;
  } while (end < events.length && bytes + (events[end]?.bytes.length ?? 0) <= largeEventBytes);
  return events.slice(index, end);
}

/** Events that follow each other in an array, faster than one by one; `notJson` if any is not JSON. */
export function parseTogether(events: readonly SentEvent[]): readonly unknown[] | typeof notJson {
  const [first, last] = [events[0]?.bytes, events.at(-1)?.bytes];
  if (!first || !last) return [];
  const length = last.byteOffset + last.length - first.byteOffset;
  const text = Buffer.from(first.buffer, first.byteOffset, length).toString();
  try {
    const values = JSON.parse(`[${text}]`) as unknown[];
    return events.map((event, index) => (event.isExact ? values[index] : parseJson(event.bytes.toString())));
  } catch (cause) {
    if (cause instanceof SyntaxError) return notJson;
    throw cause;
  }
}

/** The value of any event; `notJson` if it is not JSON. @throws Problem `invalid_body` when it has too many values */
export function* parseEventInSlices(event: SentEvent): Slices<unknown> {
  if (!isLargeEvent(event)) return parseEvent(event);
  try {
    return yield* parseJsonInSlices(event.bytes.toString());
  } catch (cause) {
    if (cause instanceof SyntaxError) return notJson;
    if (!(cause instanceof UnwieldyJson)) throw cause;
    throw new Problem('invalid_body', `An event can't be read: ${cause.message}. Nothing was stored.`, { cause });
  }
}

/** What `parseEvent` gives for text that is not JSON. */
export const notJson: unique symbol = Symbol('not JSON');

export const notJsonProblem = (): Problem =>
  new Problem('invalid_json', 'The body is not valid JSON; send one event or an array of events.');

function checkCount(events: readonly unknown[]): void {
  if (events.length <= maxBatchEvents) return;
  throw new Problem(
    'invalid_body',
    `A request holds at most ${maxBatchEvents} events; this one has more. Nothing was stored.`,
    { errors: [{ pointer: '', code: 'too_many', message: `must have at most ${maxBatchEvents} events` }] },
  );
}

/** Blank lines cost time, too, and millions of them are a few KB of gzip. */
const maxBlankLines = 100_000;

/** Lines that are not blank, trimmed. @throws Problem `invalid_body` when there are too many of either */
function* cutLines(body: Buffer): Slices<SentEvent[]> {
  const events: SentEvent[] = [];
  let blank = 0;
  let yieldAt = scannedBetweenYields;
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf(lineFeed, start);
    const end = found === -1 ? body.length : found;
    const bytes = trimLine(body, start, end);
    if (bytes.length > 0) {
      events.push({ bytes, isExact: false });
      checkCount(events);
    } else {
      blank += 1;
      if (blank > maxBlankLines)
        throw new Problem('invalid_body', `A request holds at most ${maxBlankLines} blank lines. Nothing was stored.`);
    }
    start = end + 1;
    if (start < yieldAt) continue;
    yield;
    yieldAt = start + scannedBetweenYields;
  }
  return events;
}

/** A line without the whitespace around it, which may be any that `trim` of a text removes, such as a byte order mark. */
function trimLine(body: Buffer, start: number, end: number): Buffer {
  const bytes = trim(body, start, end);
  if (bytes.length === 0) return bytes;
  const [first = 0, last = 0] = [bytes[0], bytes.at(-1)];
  if (first > 0x20 && first < 0x80 && last > 0x20 && last < 0x80) return bytes;
  return Buffer.from(bytes.toString().trim());
}

/**
 * The bytes of every element of a JSON array; only strings and depth matter. If each element is valid JSON, the array
 * is. @throws Problem `invalid_json` when the array does not end where the body does; `invalid_body`
 */
function* cutElements(body: Buffer): Slices<SentEvent[]> {
  const scan: Scan = { events: [], at: 0, depth: 0, start: 0, isExact: true };
  for (;;) {
    scanElements(body, scan, scan.at + scannedBetweenYields);
    if (scan.depth === 0) break;
    if (scan.at >= body.length) throw notJsonProblem();
    yield;
  }
  if (scan.at < body.length || body.at(-1) !== 0x5d) throw notJsonProblem();
  // An empty array has one empty element and no comma.
  return scan.events.length === 1 && scan.events[0]?.bytes.length === 0 ? [] : scan.events;
}

/** How far an array is cut into its elements. */
interface Scan {
  readonly events: SentEvent[];
  at: number;
  depth: number;
  /** Where the element begins, and whether it is exact so far. */
  start: number;
  isExact: boolean;
}

/**
 * Goes on to about `until`, or to the end of the array. This scans bytes, because scanning the characters of a long
 * decoded text costs several times as much; and it is no generator, because a loop in one is slower.
 */
function scanElements(body: Buffer, scan: Scan, until: number): void {
  let { at, depth, start, isExact } = scan;
  const end = Math.min(until, body.length);
  const take = (to: number) => {
    scan.events.push({ bytes: trim(body, start, to), isExact });
    checkCount(scan.events);
    start = to + 1;
    isExact = true;
  };
  for (; at < end; at += 1) {
    switch (body[at]) {
      case quote: {
        let isEscaped = false;
        for (at += 1; body[at] !== quote; at += 1) {
          if (at >= body.length) throw notJsonProblem();
          if (body[at] !== backslash) continue;
          isEscaped = true;
          at += 1;
        }
        if (isEscaped && isKey(body, at)) isExact = false;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth === 1) start = at + 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        if (depth > 0) break;
        take(at);
        Object.assign(scan, { at: at + 1, depth });
        return;
      case 0x2c: // ,
        if (depth === 1) take(at);
    }
  }
  Object.assign(scan, { at, depth, start, isExact });
}

/** Whether the string that ends at `end` in valid JSON is an object's key. */
function isKey(body: Buffer, end: number): boolean {
  let at = end + 1;
  while (isJsonSpace(body[at])) at += 1;
  return body[at] === colon;
}

/** The bytes from `start` to before `end`, without the whitespace around them. */
function trim(body: Buffer, start: number, end: number): Buffer {
  let [first, last] = [start, end];
  while (first < last && isJsonSpace(body[first])) first += 1;
  while (last > first && isJsonSpace(body[last - 1])) last -= 1;
  return body.subarray(first, last);
}
