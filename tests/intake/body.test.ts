// The bytes of every event, cut out of bodies of whatever events and whitespace: they are stored as they were sent (D3.3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BodyFormat,
  eventsTogether,
  notJson,
  parseEventInSlices,
  parseTogether,
  type SentEvent,
  splitBody,
} from '../../src/ingest/intake/body.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { usualOrLong } from '../support/effort.ts';

interface Sent {
  readonly text: string;
  /** What it says, in one spelling. */
  readonly says: string;
}

/** What an event says need not be an object: it is cut out before it is validated. */
const anyEvent: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.oneof(
      fc.jsonValue({ stringUnit: 'binary' }),
      // Text that only looks like the end of a string or of an element.
      fc.stringMatching(/^[\\"[\]{},: \u00e9\u20ac]{0,12}$/),
      fc.dictionary(fc.stringMatching(/^[\\"[\]{},]{0,4}$/), fc.stringMatching(/^[\\"[\]{},]{0,8}$/)),
    ),
    fc.constantFrom(undefined, 2, '\t'),
  )
  .map(([value, indent]) => ({ text: JSON.stringify(value, undefined, indent), says: JSON.stringify(value) }));

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const spaceOfLine = fc.stringMatching(/^[ \t\r]{0,3}$/);

function split(body: string, format: BodyFormat): Sent[] {
  const sent = runAtOnce(splitBody(Buffer.from(body), format));
  const events = sent.kind === 'single' ? [sent.event] : sent.events;
  if (sent.kind === 'array') expect(parseTogether(eventsTogether(events, 0))).toEqual(events.map(readValue));
  return events.map((event) => ({ text: event.bytes.toString(), says: JSON.stringify(readValue(event)) }));
}

function readValue(event: SentEvent): unknown {
  const value = runAtOnce(parseEventInSlices(event));
  if (value === notJson) throw new Error(`this is no JSON: ${event.bytes}`);
  return value;
}

const textOf = (parts: readonly [string, Sent, string]) => parts[0] + parts[1].text + parts[2];

describe('the events of a body are their own bytes, without the whitespace around them, and what those say', () => {
  test('of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(space, anyEvent, space)), space, space, (elements, before, after) => {
        const body = `${before}[${elements.map(textOf).join(',') || before}]${after}`;
        expect(split(body, 'json')).toEqual(elements.map(([, sent]) => sent));
      }),
      { numRuns: usualOrLong(500, 2_000) },
    );
  });

  test('of a single event', () => {
    fc.assert(
      fc.property(space, anyEvent, space, (before, sent, after) => {
        fc.pre(!sent.text.startsWith('['));
        expect(split(before + sent.text + after, 'json')).toEqual([sent]);
      }),
      { numRuns: usualOrLong(500, 2_000) },
    );
  });

  test('of lines', () => {
    const anyLine = anyEvent.map(({ says }) => ({ text: says, says }));
    fc.assert(
      fc.property(fc.array(fc.tuple(spaceOfLine, anyLine, spaceOfLine)), space, (lines, between) => {
        const body = lines.map(textOf).join(`\n${between}\n`);
        expect(split(body, 'ndjson')).toEqual(lines.map(([, sent]) => sent));
      }),
      { numRuns: usualOrLong(500, 2_000) },
    );
  });

  test.each(['"', '"\n\t '])(
    'an escaped key is not taken for one that was read before, also with %j after it',
    (after) => {
      const keysOf = (body: string) => {
        const sent = runAtOnce(splitBody(Buffer.from(body), 'json'));
        if (sent.kind === 'single') throw new Error('it is a batch');
        return sent.events.map((event) => Object.keys(readValue(event) as object));
      };
      expect(keysOf('[{"h":1,"\\\\":0}]')).toEqual([['h', '\\']]);
      expect(keysOf(`[{"h":1,"\\"${after}:2},{"h":"\\"","a":3}]`)).toEqual([
        ['h', '"'],
        ['h', 'a'],
      ]);
    },
  );
});
