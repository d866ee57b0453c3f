import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { someOf, usualOrLong } from '../../support/effort.ts';
import { once } from '../../support/once.ts';
import { createInternalProject } from '../../support/performance.ts';

const farthing = sharedFarthing();
const day = { date_from: '2024-05-15', date_to: '2024-05-15' };

type Aggregation = 'sum' | 'unique';
/** The further members of events, given as JSON text and posted unchanged, and the value of a key metric over these events. */
type Case = [name: string, field: string, members: string[], value: number | undefined];

const keyOf = (aggregation: Aggregation, name: string): string => `${aggregation}: ${name}`;

/** The values of the cases. They share a project and a question: each has a type of events and a key metric. */
async function measure(
  cases: Readonly<Record<Aggregation, readonly Case[]>>,
): Promise<Map<string, number | undefined>> {
  const project = await createInternalProject(farthing);
  const all = (['sum', 'unique'] as const).flatMap((aggregation) =>
    cases[aggregation].map(([name, field, members]) => ({
      aggregation,
      key: keyOf(aggregation, name),
      field,
      members,
    })),
  );
  await project.define(
    Object.fromEntries(all.map(({ aggregation, key, field }) => [key, { event_type: key, aggregation, field }])),
  );
  const events = all.flatMap(({ key, members }) =>
    members.map(
      (text) =>
        `{"event_id":"${randomUUID()}","event_type":${JSON.stringify(key)},"timestamp":"2024-05-15T12:00:00Z",${text}}`,
    ),
  );
  expectStatus(await project.intake({ raw: `[${events.join(',')}]` }), 200);
  const { rows } = await project.performance(day);
  return new Map(all.map(({ key }) => [key, rows[0]?.key_metrics[key]?.value]));
}

const sums: Case[] = [
  ['decimals exactly', '/v', Array.from({ length: 10 }, () => '"v":0.1'), 1],
  ['numbers that cancel out', '/v', ['"v":0.1', '"v":0.2', '"v":-0.3'], undefined],
  ['digits beyond a double', '/v', ['"v":9007199254740993', '"v":-9007199254740992'], 1],
  ['many digits after the point', '/v', ['"v":1.0000000000000000000000000001', '"v":-1'], 1e-28],
  ['exponents', '/v', ['"v":1e2', '"v":1E+1', '"v":-1e-2'], 109.99],
  ['large and small', '/v', ['"v":1e99', '"v":1', '"v":-1e99'], 1],
  ['numbers only', '/v', ['"v":1', '"v":"2"', '"v":true', '"v":null', '"v":[4]', '"v":{"v":8}', '"w":16'], 1],
  [
    'no number that is too large or has too many digits',
    '/v',
    ['"v":1', '"v":1e100', '"v":-1e400', '"v":1e99999', '"v":1e-101'],
    1,
  ],
  ['the last of equal keys', '/v', ['"v":1,"v":2', '"v":4,"v":"x"', '"v":"x","\\u0076":8'], 10],
  ['the last of equal objects', '/a/v', ['"a":{"v":1},"a":{}', '"a":{},"a":{"v":2}'], 2],
  [
    'only values at the exact path',
    '/v',
    ['"a":{"v":1}', '"a":[{"v":2}],"v":4', '"a":"v","v":8', '"v":16,"x":"\\"v\\":32"'],
    28,
  ],
  ['a path', '/a/b', ['"a":{"b":1}', '"a":{"c":{"b":2}}', '"b":4', '"a":4,"b":8', '"b":{"a":16}', '"a":[{"b":32}]'], 1],
  ['an array index', '/a/1', ['"a":[1,2]', '"a":[4]', '"a":{"1":8}', '"a":[[16,32],64]'], 74],
  ['the key -, which is no index', '/a/-', ['"a":[1]', '"a":{"-":2}'], 2],
  ['no index with a leading zero', '/a/01', ['"a":[1,2]', '"a":{"01":4}'], 4],
  ['an empty key', '/', ['"":1', '"a":{"":2}'], 1],
  ['an empty key further in', '/a/', ['"":1', '"a":{"":2}'], 2],
  ['keys with ~ and /', '/a~1b/~0', ['"a/b":{"~":1}', '"a":{"b":{"~":2}}', '"a\\/b":{"~":4}'], 5],
  ['keys with characters of regular expressions', '/a.b*[c]', ['"a.b*[c]":1', '"axb*[c]":2', '"a.bc":4'], 1],
  ['keys that look like structure', '/,', ['",":1', '"a":"x","b":"y"', '"a":",",",":2'], 3],
  ['keys in other scripts', '/größe/日本', ['"größe":{"日本":1}', '"gr\\u00f6\\u00dfe":{"\\u65e5本":2}'], 3],
  ['the key __proto__', '/__proto__/x', ['"__proto__":{"x":1}', '"x":2'], 1],
  ['values after whitespace', '/v', ['"v" :\\n 1'.replace('\\n', '\n'), '\t"v"\r\n:\t2\n'], 3],
  ['a field of the event itself', '/prompt_tokens', ['"prompt_tokens":3', '"prompt_tokens":4'], 7],
  ['nothing for whole events, which are not numbers', '', ['"v":1'], undefined],
];

const uniques: Case[] = [
  ['numbers by value', '/v', ['"v":1', '"v":1.0', '"v":1e0', '"v":10E-1', '"v":1.000', '"v":2'], 2],
  ['0 and -0 as one', '/v', ['"v":0', '"v":-0', '"v":0.0', '"v":-0e5'], 1],
  ['digits beyond a double', '/v', ['"v":9007199254740993', '"v":9007199254740992', '"v":9007199254740992.0'], 2],
  ['numbers beyond every double', '/v', ['"v":1e400', '"v":10e399', '"v":1e401', '"v":1e-400'], 3],
  ['texts exactly', '/v', ['"v":"a"', '"v":"A"', '"v":"a "', '"v":"\\u0061"', '"v":""', '"v":"é"', '"v":"e\u0301"'], 6],
  ['text and number apart', '/v', ['"v":1', '"v":"1"', '"v":true', '"v":"true"', '"v":false'], 5],
  [
    'escapes by their meaning',
    '/v',
    ['"v":"a/b"', '"v":"a\\/b"', '"v":"\\"x\\""', '"v":"\\u0022x\\u0022"', '"v":"😀"', '"v":"\\ud83d\\ude00"'],
    3,
  ],
  ['no nulls and no missing values', '/v', ['"v":null', '"w":1', '"v":{"v":null}'], 1],
  ['nothing if all values are null', '/v', ['"v":null', '"w":1'], undefined],
  ['objects in any order of their keys', '/v', ['"v":{"a":1,"b":[2]}', '"v":{ "b":[2.0], "a":1 }', '"v":{"a":1}'], 2],
  ['arrays by their order', '/v', ['"v":[1,2]', '"v":[2,1]', '"v":[1.0,2]', '"v":[]', '"v":{}'], 4],
  ['whole events', '', ['"v":1', '"v":1'], 2],
  [
    'texts that look like markers or escapes',
    '/v',
    ['"v":"?"', '"v":"null"', '"v":"\'"', '"v":"\\\\"', '"v":"\\n"'],
    5,
  ],
];

const tried = { sum: someOf(sums, 9), unique: someOf(uniques, 6) };
const measureDrawn = once(() => measure(tried));

test.each(tried.sum)('D9.1: sum adds up %s', async (name, _field, _members, value) => {
  expect((await measureDrawn()).get(keyOf('sum', name))).toBe(value);
});

test.each(tried.unique)('D9.1: unique counts %s', async (name, _field, _members, value) => {
  expect((await measureDrawn()).get(keyOf('unique', name))).toBe(value);
});

test('D9.1: events nested too deep for a call stack are accepted', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const cases: Case[] = [['deep', '/v', [`"a":${deep},"v":1`, `"v":${deep}`], 1]];
  const values = await measure({ sum: cases, unique: usualOrLong([], cases) });
  expect([...values.values()]).toEqual(usualOrLong([1], [1, 1]));
});
