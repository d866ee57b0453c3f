// The bytes of every event, cut out of bodies of whatever events and whitespace: they are stored as they were sent (D3.3).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyFormat, splitBody } from '../../src/intake/body.ts';

/** What an event says need not be an object: it is cut out before it is validated. */
const anyEventText = fc
  .tuple(
    fc.oneof(
      fc.jsonValue({ stringUnit: 'binary' }),
      // What looks like the end of a string or of an element, and is not.
      fc.stringMatching(/^[\\"[\]{},: \u00e9\u20ac]{0,12}$/),
      fc.dictionary(fc.stringMatching(/^[\\"[\]{},]{0,4}$/), fc.stringMatching(/^[\\"[\]{},]{0,8}$/)),
    ),
    fc.constantFrom(undefined, 2, '\t'),
  )
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const spaceOfLine = fc.stringMatching(/^[ \t\r]{0,3}$/);

function split(body: string, format: BodyFormat): { text: string; value: unknown }[] {
  const sent = splitBody(Buffer.from(body), format);
  const events = sent.kind === 'single' ? [sent.event] : sent.events;
  return events.map((event) => {
    if ('code' in event) throw new Error(event.message);
    return { text: event.bytes.toString(), value: event.value };
  });
}

const asSent = (texts: readonly string[]) => texts.map((text) => ({ text, value: JSON.parse(text) as unknown }));

describe('the events of a body are their own bytes, without the whitespace around them', () => {
  test('of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(space, anyEventText, space)), space, space, (elements, before, after) => {
        const body = `${before}[${elements.map((parts) => parts.join('')).join(',') || before}]${after}`;
        expect(split(body, 'json')).toEqual(asSent(elements.map(([, text]) => text)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a single event', () => {
    fc.assert(
      fc.property(space, anyEventText, space, (before, text, after) => {
        fc.pre(!text.startsWith('['));
        expect(split(before + text + after, 'json')).toEqual(asSent([text]));
      }),
    );
  });

  test('of lines', () => {
    const anyLine = anyEventText.map((text) => JSON.stringify(JSON.parse(text)));
    fc.assert(
      fc.property(fc.array(fc.tuple(spaceOfLine, anyLine, spaceOfLine)), space, (lines, between) => {
        const body = lines.map((parts) => parts.join('')).join(`\n${between}\n`);
        expect(split(body, 'ndjson')).toEqual(asSent(lines.map(([, text]) => text)));
      }),
    );
  });
});
