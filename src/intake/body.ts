import { type Fault, Problem } from '../lib/problem.ts';

/** One event as it was sent: its own slice of the source text, and what that says. */
export interface SentEvent {
  readonly text: string;
  readonly value: unknown;
}

/** What a request holds: a single event, or a batch whose elements that are no JSON are faults (NDJSON only). */
export type SentBody =
  | { readonly kind: 'single'; readonly event: SentEvent }
  | { readonly kind: 'batch'; readonly events: readonly (SentEvent | Fault)[] };

export type BodyFormat = 'json' | 'ndjson';

const maxBatchEvents = 10_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The events of a body, each with its own slice of the text. */
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
  if (!Array.isArray(value)) return { kind: 'single', event: { text: text.trim(), value } };
  checkCount(value);
  const slices = sliceElements(text);
  return {
    kind: 'batch',
    events: value.map((element, index) => ({ text: slices[index] ?? '', value: element as unknown })),
  };
}

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
        : { text: line, value };
    });
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);

/** The text of every element of a JSON array. The text is known to be valid JSON: only strings and depth matter. */
function sliceElements(text: string): string[] {
  const slices: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at += 1;
      for (; text.charCodeAt(at) !== quote; at += 1) if (text.charCodeAt(at) === backslash) at += 1;
    } else if (openers.has(code)) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (closers.has(code)) {
      depth -= 1;
      if (depth === 0) slices.push(text.slice(start, at).trim());
    } else if (code === comma && depth === 1) {
      slices.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return slices;
}
