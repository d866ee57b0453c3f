import { hasEscapedKey, isJsonSpace, parseJson } from '../lib/json.ts';
import { type Fault, Problem } from '../lib/problem.ts';

/** One event as it was sent: its bytes of the body, which are stored unchanged, and its parsed value. */
export interface SentEvent {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** The content of a request: a single event, or a batch. In NDJSON, lines that are not JSON are faults. */
export type SentBody =
  | { readonly kind: 'single'; readonly event: SentEvent }
  | { readonly kind: 'batch'; readonly events: readonly (SentEvent | Fault)[] };

export type BodyFormat = 'json' | 'ndjson';

const maxBatchEvents = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Splits a body into events, each with its own bytes.
 * @throws Problem `invalid_json` when the body is not UTF-8 or JSON, `invalid_body` when it has too many events
 */
export function splitBody(body: Buffer, format: BodyFormat): SentBody {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new Problem('invalid_json', 'The body is not valid UTF-8.', { cause });
  }
  if (format === 'ndjson') return { kind: 'batch', events: checkCount(splitLines(text)) };

  const value = parse(text);
  if (value === notJson)
    throw new Problem('invalid_json', 'The body is not valid JSON; send one event or an array of events.');
  if (!Array.isArray(value)) return { kind: 'single', event: eventOf(trim(body, 0, body.length), value) };
  checkCount(value);
  const events = sliceElements(body).map(({ bytes, isExact }, index) =>
    isExact ? { bytes, value: value[index] as unknown } : exactEvent(bytes),
  );
  return { kind: 'batch', events };
}

const exactEvent = (bytes: Buffer): SentEvent => ({ bytes, value: parseJson(bytes.toString()) });

/**
 * An event that JSON.parse has read. With an escaped key it is read again, because JSON.parse can confuse such keys.
 */
const eventOf = (bytes: Buffer, parsed: unknown): SentEvent =>
  bytes.includes(backslash) && hasEscapedKey(bytes.toString('latin1')) ? exactEvent(bytes) : { bytes, value: parsed };

function checkCount<T>(events: T[]): T[] {
  if (events.length > maxBatchEvents) {
    throw new Problem(
      'invalid_body',
      `A request holds at most ${maxBatchEvents} events; this one has ${events.length}. Nothing was stored.`,
      {
        errors: [{ pointer: '', code: 'too_many', message: `must have at most ${maxBatchEvents} events` }],
      },
    );
  }
  return events;
}

const notJson = Symbol('not JSON');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
}

function splitLines(text: string): (SentEvent | Fault)[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => {
      const value = parse(line);
      return value === notJson
        ? { pointer: `/${index}`, code: 'invalid_json', message: 'must be a line of valid JSON' }
        : eventOf(Buffer.from(line), value);
    });
}

interface Slice {
  readonly bytes: Buffer;
  /** Whether no key has an escape, so that JSON.parse has read the element correctly. */
  readonly isExact: boolean;
}

/**
 * The bytes of every element of a JSON array. The array is valid, so only strings and depth matter. This scans bytes,
 * because scanning the characters of a long decoded text costs several times as much.
 */
function sliceElements(body: Buffer): Slice[] {
  const slices: Slice[] = [];
  let depth = 0;
  let start = 0;
  let isExact = true;
  const take = (end: number) => {
    slices.push({ bytes: trim(body, start, end), isExact });
    start = end + 1;
    isExact = true;
  };
  for (let at = 0; at < body.length; at += 1) {
    switch (body[at]) {
      case quote: {
        let isEscaped = false;
        for (at += 1; body[at] !== quote; at += 1) {
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
        if (depth === 0) take(at);
        break;
      case 0x2c: // ,
        if (depth === 1) take(at);
    }
  }
  // An empty array has one empty slice and no comma.
  return slices.length === 1 && slices[0]?.bytes.length === 0 ? [] : slices;
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
  while (isJsonSpace(body[first])) first += 1;
  while (last > first && isJsonSpace(body[last - 1])) last -= 1;
  return body.subarray(first, last);
}
