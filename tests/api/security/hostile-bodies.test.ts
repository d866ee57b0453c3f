// Bodies of a few kilobytes that decode to millions of small parts: they are refused soon, and others are answered meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { costEvent, type Project, sharedFarthing } from '../../support/client.ts';
import { isLong, usualOrLong } from '../../support/effort.ts';
import { once } from '../../support/once.ts';

const farthing = sharedFarthing();
const hostile = once(() => farthing.createProject());
const neighbour = once(() => farthing.createProject());

const full = usualOrLong(1, 15) * 1_048_576;
/** As many of a text as a request may decode to. */
const fill = (text: string): string => text.repeat(Math.floor(full / text.length));
const json = 'application/json';
const ndjson = 'application/x-ndjson';
const protobuf = 'application/x-protobuf';
/** A field of a protobuf message. */
function field(number: number, body: Uint8Array): Buffer {
  const length: number[] = [];
  for (let left = body.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), body]);
}
const empty = (number: number): Buffer => Buffer.alloc(full, Buffer.from([(number << 3) | 2, 0]));
const chat = field(
  9,
  Buffer.concat([field(1, Buffer.from('gen_ai.operation.name')), field(2, field(1, Buffer.from('chat')))]),
);
const wide = (value: string): string =>
  `{${Array.from({ length: usualOrLong(150_000, 700_000) }, (_, index) => `"${index}":${value}`).join(',')}}`;
const spans = (list: string): string => `{"resourceSpans":[{"scopeSpans":[{"spans":[${list}]}]}]}`;

const bodies: [name: string, path: string, type: string, body: () => string | Buffer, statuses: number[]][] = [
  ['lines that are no JSON', '', ndjson, () => fill('x\n'), [400]],
  ['lines that are no events', '', ndjson, () => fill('{}\n'), [400]],
  ['blank lines', '', ndjson, () => fill('\n'), [400]],
  ['an array of numbers', '', json, () => `[${fill('1,')}1]`, [400]],
  ['an array that is deep', '', json, () => fill('['), [400]],
  ['events with long unknown parts', '', json, () => `[${fill(`{"a":[${'{},'.repeat(300_000)}{}]},`)}{}]`, [400]],
  ['an event that is too large', '', json, () => wide('1'), [413]],
  ['events with many tags', '', json, () => `[${fill(`{"tags":${wide('1').slice(0, 900_001)}1}},`)}{}]`, [400]],
  ['lines to LiteLLM', 'litellm/', json, () => fill('x\n'), [400]],
  ['records of LiteLLM', 'litellm/', json, () => `[${fill('{},')}{}]`, [400]],
  ['a wide record of LiteLLM', 'litellm/', json, () => `{"id":"1","metadata":${wide('[1]')}}`, [400]],
  ['spans of OpenRouter', 'openrouter/', json, () => spans(`${fill('{},')}{}`), [400]],
  ['spans', 'v1/traces/', json, () => spans(`${fill('{},')}{}`), [400]],
  ['a span with many attributes', 'v1/traces/', json, () => spans(`{"attributes":[${fill('{"key":"a"},')}{}]}`), [200]],
  ['deep JSON as spans', 'v1/traces/', json, () => fill('['), [400]],
  ['groups in protobuf', 'v1/traces/', protobuf, () => empty(1), [400]],
  ['spans in protobuf', 'v1/traces/', protobuf, () => field(1, field(2, empty(2))), [400]],
  ['unknown fields in protobuf', 'v1/traces/', protobuf, () => empty(15), [400]],
  [
    'a span with many attributes in protobuf',
    'v1/traces/',
    protobuf,
    () => field(1, field(2, field(2, Buffer.concat([chat, empty(9)])))),
    [200],
  ],
  [
    'a resource with many attributes in protobuf',
    'v1/traces/',
    protobuf,
    () => field(1, Buffer.concat([field(1, empty(1)), field(2, field(2, chat))])),
    [200],
  ],
  ['log records in protobuf', 'v1/logs/', protobuf, () => field(1, field(2, empty(2))), [400]],
  ['a log record with many attributes', 'v1/logs/', protobuf, () => field(1, field(2, field(2, empty(6)))), [200]],
  ['metrics', 'v1/metrics/', protobuf, () => empty(1), [400]],
];

// One after another: a client has a share of what the service holds.
test.each(bodies)('D3.7, D14.1: %s', { concurrent: false }, async (_name, path, type, body, statuses) => {
  // Before the body is sent: making a project would wait for it too.
  const [{ intakePath, secret }, other] = await Promise.all([hostile(), neighbour()]);
  const sent = gzipSync(body());
  let isAnswered = false;
  const answer = farthing
    .send('POST', intakePath + path, {
      raw: new Uint8Array(sent),
      token: secret,
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
    })
    .finally(() => {
      isAnswered = true;
    });
  const others = await askMeanwhile(other, () => isAnswered);
  const { status, text } = await answer;
  expect(statuses, text.slice(0, 300)).toContain(status);
  expect(text.length).toBeLessThan(400_000);
  // Each took up to a minute while all of the body was parsed at once.
  expect(Math.max(...others)).toBeLessThan(5_000);
});

/**
 * How long events of another project take until then, each in milliseconds. In the usual form they are parsed and refused:
 * each that is stored is an INSERT and a step of assembly, which wait for no body.
 */
async function askMeanwhile(project: Project, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  do {
    const since = performance.now();
    const answer = await project.intake({ body: isLong ? costEvent({ cost: 1 }) : {} });
    took.push(performance.now() - since);
    expect(answer.status).toBe(isLong ? 200 : 400);
    await pause(50);
  } while (!isOver());
  return took;
}
