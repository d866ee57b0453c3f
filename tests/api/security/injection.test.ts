// Sends texts that have broken other services to every place of every route that takes a text.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, costEvent, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { someOf, usualOrLong } from '../../support/effort.ts';
import { deepJson, injections, invalidUtf8, JsonText, writeJson } from '../../support/hostile.ts';
import { once } from '../../support/once.ts';
import { examplesOf, type Operation, readOperations, type Schema } from '../../support/openapi.ts';

const farthing = sharedFarthing();

/** Texts that a store could read as its own syntax, and texts that no store can hold. */
const texts = [...injections.slice(0, 17), 'nul\0inside', '\ud800', '__proto__', '../../../../etc/passwd'];

type Step = string | number;

/** The places of a body where its schema allows a text, at any depth. */
function textPlaces(schema: Schema, path: readonly Step[] = []): Step[][] {
  const choices = [schema.anyOf, schema.oneOf].flat().filter((one) => one !== undefined) as Schema[];
  const inner = [
    ...Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, one]) =>
      textPlaces(one, [...path, name]),
    ),
    ...(typeof schema.items === 'object' ? textPlaces(schema.items as Schema, [...path, 0]) : []),
    ...(typeof schema.additionalProperties === 'object'
      ? textPlaces(schema.additionalProperties as Schema, [...path, 'key'])
      : []),
    ...choices.flatMap((one) => textPlaces(one, path)),
  ];
  const isText = [schema.type].flat().includes('string') && path.length > 0;
  const places = [...(isText ? [[...path]] : []), ...inner];
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

/** The value with `text` at a place; missing objects and arrays on the way are created. */
function putAt(value: unknown, [step, ...rest]: readonly Step[], text: unknown): unknown {
  if (step === undefined) return text;
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? value : [];
    return [putAt(list[0], rest, text), ...list.slice(1)];
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...object, [step]: putAt(Reflect.get(object, step), rest, text) };
}

const encode = (text: string): string => (text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80');

interface Attempt {
  readonly operation: Operation;
  readonly path: string;
  readonly body?: string;
}

function listAttempts(operation: Operation): Attempt[] {
  const { path, parameters, requestBody } = operation;
  const plain = path.replaceAll(/\{[^}]*\}/g, 'nothing');
  const media = requestBody?.content['application/json'];
  const example = media ? (examplesOf(media)[0] ?? {}) : undefined;
  const withBody = example === undefined ? {} : { body: writeJson(example) };
  return (startsWork.test(operation.key) ? texts.slice(0, 2) : texts).flatMap((text) => [
    ...(path.includes('{') && !path.startsWith('/admin/')
      ? [{ operation, path: path.replaceAll(/\{[^}]*\}/g, encode(text)), ...withBody }]
      : []),
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ operation, path: `${plain}?${name}=${encode(text)}`, ...withBody })),
    ...(media?.schema ? textPlaces(media.schema) : []).map((place) => ({
      operation,
      path: plain,
      body: writeJson(putAt(example, place, text)),
    })),
  ]);
}

/** The number of attempts in a run, and the routes that start long work. */
const most = 250;
const startsWork = /^DELETE \/api\/(?:customers|users)\/|^POST \/api\/prices\//;

/** In milliseconds: longer than an answer takes, and shorter than the sleep that a text asks a store for. */
const tooLongMs = 4_500;

test('no text in any place of any route is executed: no 500, no pause, and no change of another project', async () => {
  const [operations, project, canary] = await Promise.all([
    readOperations(farthing),
    farthing.createProject(),
    farthing.createProject({ name: 'canary' }),
  ]);
  await canary.post(costEvent({ cost: 3, tags: { customer: 'canary' } }));
  const all = operations
    // Projects with such names would be visible to every other test.
    .filter(
      ({ key }) =>
        key !== 'POST /admin/projects/' && key !== 'POST /admin/prices/update/' && !key.startsWith('GET /docs'),
    )
    .flatMap(listAttempts);
  expect(all.length).toBeGreaterThan(1_000);
  // A selection; all attempts in the long form.
  const attempts =
    fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), 1)[0]?.slice(0, usualOrLong(most, all.length)) ?? [];
  const faults: string[] = [];
  const askOnce = async ({ operation, path, body }: Attempt): Promise<number> => {
    const since = performance.now();
    const answer = await farthing.send(operation.method, path, {
      token: tokenOf(operation, project),
      headers: headersOf(operation, project),
      ...(body !== undefined && { raw: body }),
    });
    if (answer.status >= 500) faults.push(`${operation.method} ${path} ${body ?? ''}: ${answer.text}`);
    return performance.now() - since;
  };
  const ask = async (attempt: Attempt) => {
    // A store that sleeps does so each time; a busy machine does not.
    for (let time = 0; time < 3; time += 1) if ((await askOnce(attempt)) <= tooLongMs) return;
    faults.push(`${attempt.operation.method} ${attempt.path} ${attempt.body ?? ''} takes more than ${tooLongMs} ms`);
  };
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = attempts.pop(); next; next = attempts.pop()) await ask(next);
    }),
  );
  expect(faults).toEqual([]);
  expect(await canary.costBy('customer')).toEqual({ canary: 3 });
  expect(Object(expectStatus(await canary.api('GET', '/api/project/'), 200)).name).toBe('canary');
});

function tokenOf({ security, path }: Operation, project: Project): string {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)));
  if (path.startsWith('/intake/')) return project.secret;
  return schemes.has('apiKey') ? project.apiKey : farthing.adminToken;
}

const headersOf = ({ parameters }: Operation, project: Project): Record<string, string> =>
  parameters.some(({ name }) => name === 'Farthing-Project') ? { 'Farthing-Project': project.id } : {};

test('D3.4: stored texts of this kind are answered unchanged, and filters find them', async () => {
  const project = await farthing.createProject();
  const kept = [...injections, '__proto__', 'constructor', '\u202etxt', '\u2028', '﻿x'];
  await project.post(...kept.map((text) => costEvent({ cost: 1, tags: { customer: text, [text]: text } })));
  expect(await project.costBy('customer')).toEqual(Object.fromEntries(kept.map((text) => [text, 1])));
  const [some, others] = [someOf(kept, 3), someOf(kept, 2)];
  for (const text of some) expect(await project.totalCost({ customers: [text] }), text).toBe(1);
  await project.tag(...kept.map((text) => ({ customer_name: text, tags: Object.fromEntries([[text, text]]) })));
  for (const text of some) {
    expect(await project.totalCost({ customer_tags: Object.fromEntries([[text, [text]]]) }), text).toBe(1);
  }
  for (const text of others) {
    expect(await project.totalCost({ run_tags: Object.fromEntries([[text, [text]]]) }), text).toBe(1);
  }
});

const bodies: [name: string, raw: string | Uint8Array<ArrayBuffer>][] = [
  ['__proto__ as a field', '{"date_from":"2024-05-01","__proto__":{"group_by":"customer"}}'],
  ['constructor as a field', '{"date_from":"2024-05-01","constructor":{"prototype":{"limit":1}}}'],
  ['toString as a field', '{"date_from":"2024-05-01","toString":1}'],
  ['arrays 20,000 deep', deepJson(20_000)],
  ['a filter 100,000 deep', `{"date_from":"2024-05-01","customers":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['a filter cut off 500,000 deep', `{"date_from":"2024-05-01","customers":${'['.repeat(500_000)}`],
  ['a limit of 1e400', '{"date_from":"2024-05-01","limit":1e400}'],
  ['a limit beyond 64 bits', '{"date_from":"2024-05-01","limit":18446744073709551617}'],
  ['a limit with a fraction that doubles lose', '{"date_from":"2024-05-01","limit":1000.0000000000001}'],
  ['a limit that is -0', '{"date_from":"2024-05-01","limit":-0}'],
  ['a limit given twice', '{"date_from":"2024-05-01","limit":1,"limit":0}'],
  ['a byte-order mark', '\ufeff{"date_from":"2024-05-01"}'],
  ['UTF-16', Uint8Array.from(Buffer.from('{"date_from":"2024-05-01"}', 'utf16le'))],
  ...invalidUtf8.map((bytes): [string, Uint8Array<ArrayBuffer>] => [
    `a name of the bytes ${Buffer.from(bytes).toString('hex')}`,
    Uint8Array.from([...Buffer.from('{"date_from":"2024-05-01","customers":["'), ...bytes, ...Buffer.from('"]}')]),
  ]),
  ['a comment', '{"date_from":"2024-05-01"/**/}'],
  ['NaN', '{"date_from":"2024-05-01","limit":NaN}'],
  ['two values', '{"date_from":"2024-05-01"}{}'],
  ['a control character in a text', '{"date_from":"2024-05-01","customers":["\u0001"]}'],
];

const projectAsked = once(() => farthing.createProject());

test.each(someOf(bodies, 6))('D6.5, D11.2: %s in a body is a 400', async (_name, raw) => {
  const project = await projectAsked();
  const answer: Answer = await project.api('POST', '/api/costs/', undefined, { raw });
  expect(answer.status, answer.text.slice(0, 300)).toBe(400);
  expect(Object(answer.body).code).toMatch(/^invalid_(body|json)$/);
});

test('D3.4: an event with numbers beyond doubles, deep values, duplicate keys and NUL is kept unchanged', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  const note = new JsonText(
    '{"big":18446744073709551617,"huge":1e400,"one":1.0,"twice":1,"twice":2,"__proto__":{"a":1},"nul":"\\u0000","lone":"\\ud800"}',
  );
  const raw = writeJson({ event_id: id, event_type: 'x.after', cost: 1, note, deep: new JsonText(deepJson(2_000)) });
  expectStatus(await project.intake({ raw }), 200);
  const { text } = await project.api('GET', `/api/events/?event_id=${id}`);
  expect(text).toContain(raw);
  expect(await project.totalCost()).toBe(1);
});
