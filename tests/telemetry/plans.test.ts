// How the attributes of a span are read is planned once for all spans of the same names: the values must not be in the plan.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { recognisers, tagRows, weakTagRows } from '../../src/ingest/telemetry/tables.ts';
import { eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { usualOrLong } from '../support/effort.ts';
import { options } from '../support/otlp/options.ts';
import { span, traces, type Value } from '../support/otlp/records.ts';

/** The attributes that tables read, and those of objects and prefixes among them. */
const names = [
  ...new Set(
    [
      ...recognisers.flatMap(({ decision, lookup }) => [
        ...[decision.name, ...lookup.model, ...lookup.askedModel, ...lookup.provider, ...lookup.cost],
        ...[...Object.values(lookup.counts), ...lookup.terms.map(([, of]) => of)].flat(),
        ...[...lookup.ownUsage, ...lookup.ownInput, ...lookup.addedCounts],
      ]),
      ...[...tagRows, ...weakTagRows].flatMap(([, of]) => of),
      ...['farthing.customer', 'gen_ai.usage.unknown_tokens', 'gen_ai.response.id', 'server.address', 'error.type'],
    ].map((name) => name.replace(/#.*$/, '').replace('.*', '.input_tokens')),
  ),
];

const operation = fc.constantFrom<Value>('chat', 'embeddings', 'invoke_agent', 'LLM', 7);
const value = fc.oneof(
  operation,
  fc.constantFrom<Value>('openai', 'anthropic', 'gpt-4o', 'claude-sonnet-4-5', 'my-deployment', 'api.deepseek.com', ''),
  fc.constantFrom<Value>(
    '{"input_tokens": 5, "output_tokens": 3}',
    "{'prompt_tokens': 4}",
    '12',
    'acme',
    'msg_abcdefgh1',
  ),
  fc.nat({ max: 900 }),
  fc.boolean(),
);

/** Two spans with the same names. The first decides: most are read as calls. */
const twoSpans = fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 14 }).chain((chosen) => {
  const ofNames = fc.tuple(...chosen.map(() => value));
  const one = fc.tuple(operation, ofNames).map(([first, values]) => ({
    ...Object.fromEntries(chosen.map((name, index): [string, Value] => [name, values[index] ?? ''])),
    'gen_ai.operation.name': first,
  }));
  return fc.tuple(one, one);
});

/** More names than are planned for, none of which says anything. */
const beside = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`beside.${index}`, true]));

const readAll = (attributes: Readonly<Record<string, Value>>) => {
  const sent = span({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attributes });
  const records = runAtOnce(decodeJson(Buffer.from(JSON.stringify(traces([sent]))), { record: 'span' }));
  return runAtOnce(eventsOfSpans(records, options)).events.map(({ columns }) => columns);
};

test('D14.4, D27.9: of two spans with the same names, each is read as if there were no other', () => {
  let calls = 0;
  fc.assert(
    fc.property(twoSpans, ([one, other]) => {
      const [first, second, again] = [readAll(one), readAll(other), readAll(one)];
      expect(first).toEqual(readAll({ ...one, ...beside }));
      expect(second).toEqual(readAll({ ...other, ...beside }));
      expect(again).toEqual(first);
      calls += first.filter(({ phase }) => phase !== 'before').length;
    }),
    { numRuns: usualOrLong(60, 5_000) },
  );
  expect(calls).toBeGreaterThan(0);
});
