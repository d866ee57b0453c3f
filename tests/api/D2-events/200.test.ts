import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Answer, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const row = z.strictObject({
  received_at: z.iso.datetime({ precision: 3 }),
  client_id: z.string(),
  event: z.record(z.string(), z.unknown()),
});
const page = z.strictObject({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });
type Page = z.infer<typeof page>;

async function read(project: Project, query: Record<string, string> = {}): Promise<Page> {
  const answer = await project.api('GET', `/api/events/?${new URLSearchParams(query)}`);
  return page.parse(expectStatus(answer, 200));
}

/** The field `n` of the events of a page. */
const numbersOf = ({ rows }: Page): unknown[] => rows.map(({ event }) => event.n);

const custom = (n: number, fields: Json = {}) => ({ event_id: randomUUID(), event_type: 'step.done', n, ...fields });
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test('D2: acknowledged events are answered at once, newest first, with the client that posted them', async () => {
  const project = await farthing.createProject();
  const before = Date.now();
  const events = [custom(1), custom(2, { event_type: 'llm.before' }), custom(3, { event_type: 'llm.after' })];
  for (const event of events) await project.post(event);
  const after = Date.now();
  const { rows, next_cursor, has_more } = await read(project);
  expect(rows.map(({ event }) => event)).toEqual(events.toReversed());
  expect([next_cursor, has_more]).toEqual([null, false]);
  for (const { client_id, received_at } of rows) {
    expect(client_id).toBe(project.clientId);
    expect(Date.parse(received_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(received_at)).toBeLessThanOrEqual(after);
  }
});

longTest('D2: events of one request keep its order, repetitions included', async () => {
  const project = await farthing.createProject();
  const event = custom(0);
  await project.post(...upTo(50).map((n) => ({ ...event, n })));
  expect(numbersOf(await read(project))).toEqual(upTo(50).reverse());
});

const id = randomUUID();
const texts = [
  `{"event_id":"${id}","event_type":"x.y","big":12345678901234567890,"one":1.0,"tiny":1e-400,"exp":1E+2,"minus":-0}`,
  `{"event_id":"${id}","event_type":"x.y","twice":1,"twice":2,"b":1,"a":2,"10":1,"2":1}`,
  `{"event_id":"${id}","event_type":"x.y","escaped":"\\u00e9\\u0000\\/\\ud83d\\ude00\\ud800 \\u2028","raw":"é\u2028😀\u007f"}`,
  `{ "event_id" : "${id.toUpperCase()}" ,\r\n\t"event_type":"x.y", "nothing":null, "none":{}, "empty":[ ], "__proto__":{"a":1} }`,
  `{"event_id":"${id}","event_type":"x.y","text":"\\\\ \\" ' \\t {\\"rows\\":[]} ]}"}`,
];

test.each(someOf(texts, 2))('D3.3: an event is answered byte for byte as posted: %s', async (text) => {
  const project = await farthing.createProject();
  expectStatus(await project.intake({ raw: text }), 200);
  expectStatus(await project.intake({ raw: ` [ ${text} ,\n${text}]` }), 200);
  const line = text.replaceAll(/[\r\n]/g, '');
  expectStatus(await project.intake({ raw: `${line}\n`, contentType: 'application/x-ndjson' }), 200);
  const answer = await project.api('GET', '/api/events/');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { rows } = page.parse(expectStatus(answer, 200));
  const spliced = (event: string, index: number) =>
    `{"received_at":"${rows[index]?.received_at}","client_id":"${project.clientId}","event":${event}}`;
  expect(answer.text).toBe(
    `{"rows":[${[line, text, text, text].map(spliced).join(',')}],"next_cursor":null,"has_more":false}`,
  );
});

test('D6.4: pages of any length have every event once, and has_more is exact', async () => {
  const project = await farthing.createProject();
  await project.post(...upTo(4).map((n) => custom(n)));
  for (const n of [4, 5, 6]) await project.post(custom(n));
  for (const limit of [1, 3, 6, 7, 8]) {
    const pages: Page[] = [];
    let cursor: string | null = null;
    do {
      const next: Page = await read(project, { limit: String(limit), ...(cursor !== null && { cursor }) });
      pages.push(next);
      expect(next.has_more).toBe(next.next_cursor !== null);
      cursor = next.next_cursor;
    } while (cursor !== null);
    expect(pages.flatMap(numbersOf)).toEqual(upTo(7).reverse());
    expect(pages).toHaveLength(Math.ceil(7 / limit));
  }
});

longTest('D6.3: pages stay stable while events arrive', async () => {
  const project = await farthing.createProject();
  await project.post(...upTo(60).map((n) => custom(n)));
  let isReading = true;
  let posted = 0;
  const arrive = async () => {
    while (isReading) {
      posted += 1;
      await project.post(custom(1_000 + posted));
      await pause(20);
    }
  };
  const arriving = [arrive(), arrive()];
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const next: Page = await read(project, { limit: '11', ...(cursor !== null && { cursor }) });
    seen.push(...numbersOf(next));
    cursor = next.next_cursor;
  } while (cursor !== null);
  isReading = false;
  await Promise.all(arriving);
  expect(posted).toBeGreaterThan(0);
  expect(seen.filter((n) => Number(n) < 1_000)).toEqual(upTo(60).reverse());
  expect(new Set(seen).size).toBe(seen.length);
});

test('D2: events are found by id, in any case, whether they are of a call or custom', async () => {
  const project = await farthing.createProject();
  const wanted = randomUUID();
  await project.post(custom(0, { event_id: wanted, event_type: 'custom.first' }));
  await project.post(custom(1, { event_id: wanted, event_type: 'llm.before' }), custom(2));
  await project.post(custom(3, { event_id: wanted.toUpperCase(), event_type: 'llm.after' }));
  await project.post(custom(4, { event_id: wanted, event_type: 'custom.last' }), custom(5));
  expect(numbersOf(await read(project, { event_id: wanted }))).toEqual([4, 3, 1, 0]);
  expect(numbersOf(await read(project, { event_id: wanted.toUpperCase(), limit: '9' }))).toEqual([4, 3, 1, 0]);
  const first = await read(project, { event_id: wanted, limit: '2' });
  expect([numbersOf(first), first.has_more]).toEqual([[4, 3], true]);
  const second = await read(project, { event_id: wanted.toUpperCase(), limit: '2', cursor: first.next_cursor ?? '' });
  expect([numbersOf(second), second.has_more]).toEqual([[1, 0], false]);
  expect(numbersOf(await read(project, { event_id: randomUUID() }))).toEqual([]);
  const alone = custom(6);
  await project.post(alone);
  expect(numbersOf(await read(project, { event_id: alone.event_id }))).toEqual([6]);
});

test('D2: events are found by their type, exactly', async () => {
  const project = await farthing.createProject();
  const types = ['llm.after', 'llm.AFTER', 'llm.after ', 'it\'s \\ "quoted" %_', '😀', 'a\u0000b', 'x'.repeat(200)];
  await project.post(...types.map((event_type, n) => custom(n, { event_type })));
  for (const [n, event_type] of someOf([...types.entries()], 3)) {
    expect(numbersOf(await read(project, { event_type })), event_type).toEqual([n]);
  }
  expect(numbersOf(await read(project, { event_type: 'llm' }))).toEqual([]);
});

test('D2: events are found by their own customer and by the customer of their call', async () => {
  const project = await farthing.createProject();
  const [of, late] = [randomUUID(), randomUUID()];
  await project.post(
    custom(0, { event_id: of, event_type: 'llm.before' }),
    custom(1, { event_id: of, event_type: 'llm.after', tags: { customer: "o'neil \\" } }),
    custom(2, { customer_name: "o'neil \\" }),
    custom(3, { tags: { customer: 'other' } }),
    custom(4),
    custom(5, { event_id: late, event_type: 'llm.before', tags: { customer: 'before' } }),
    custom(6, { event_id: late, event_type: 'llm.after', tags: { customer: 'after' } }),
    custom(7, { event_type: 'llm.after' }),
    custom(8, { event_id: of, event_type: 'a.note' }),
  );
  const byCustomer = async (customer: string) => numbersOf(await read(project, { customer }));
  expect(await byCustomer("o'neil \\")).toEqual([8, 2, 1, 0]);
  expect(await byCustomer('other')).toEqual([3]);
  expect(await byCustomer('before')).toEqual([5]);
  expect(await byCustomer('after')).toEqual([6, 5]);
  expect(await byCustomer('')).toEqual([7, 4]);
  expect(await byCustomer('nobody')).toEqual([]);
  const first = await read(project, { customer: "o'neil \\", limit: '3' });
  expect([numbersOf(first), first.has_more]).toEqual([[8, 2, 1], true]);
});

test('D2: from is inclusive and to is exclusive, to the millisecond', async () => {
  const project = await farthing.createProject();
  await project.post(custom(1));
  const [first] = (await read(project)).rows;
  const at = Date.parse(first?.received_at ?? '');
  const time = (ms: number) => new Date(ms).toISOString();
  const found = async (query: Record<string, string>) => numbersOf(await read(project, query)).length;
  expect(await found({ from: time(at) })).toBe(1);
  expect(await found({ from: time(at + 1) })).toBe(0);
  expect(await found({ to: time(at) })).toBe(0);
  expect(await found({ to: time(at + 1) })).toBe(1);
  expect(await found({ from: time(at), to: time(at) })).toBe(0);
  expect(await found({ from: time(at).replace('Z', '0001Z') })).toBe(0);
  expect(await found({ to: time(at).replace('Z', '0001Z') })).toBe(1);
  expect(await found({ from: time(at + 2 * 3_600_000).replace('Z', '+02:00') })).toBe(1);
  expect(
    await found({
      from: time(at - 5 * 3_600_000)
        .replace('Z', '-05:00')
        .toLowerCase(),
    }),
  ).toBe(1);
  expect(await found({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' })).toBe(1);
  expect(await found({ from: '9999-12-31T23:59:59Z' })).toBe(0);
  expect(await found({ to: '0001-01-01T00:00:00Z' })).toBe(0);
});

test('D2: filters are joined by AND', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post(
    custom(1, { event_id, event_type: 'llm.after', tags: { customer: 'a' } }),
    custom(2, { event_id, event_type: 'llm.before' }),
    custom(3, { event_type: 'llm.after', tags: { customer: 'a' } }),
  );
  expect(numbersOf(await read(project, { event_id, customer: 'a' }))).toEqual([2, 1]);
  expect(numbersOf(await read(project, { event_id, customer: 'a', event_type: 'llm.after' }))).toEqual([1]);
  expect(numbersOf(await read(project, { event_type: 'llm.after', customer: 'a', limit: '1' }))).toEqual([3]);
});

longTest('D2: a page holds at most 16 MiB of events, and the next page continues', async () => {
  const project = await farthing.createProject();
  const padding = 'x'.repeat(1_000_000);
  for (const part of [0, 6, 12]) await project.post(...upTo(6).map((n) => custom(part + n, { padding })));
  const first = await read(project, { limit: '1000' });
  expect([numbersOf(first), first.has_more]).toEqual([upTo(18).slice(2).reverse(), true]);
  const second = await read(project, { limit: '1000', cursor: first.next_cursor ?? '' });
  expect([numbersOf(second), second.has_more]).toEqual([[1, 0], false]);
});

test('D1.1: events of other projects are never answered', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const event_id = randomUUID();
  await other.post(
    custom(1, { event_id, event_type: 'llm.after', tags: { customer: 'a' } }),
    custom(2, { event_id, event_type: 'custom' }),
  );
  await mine.post(custom(3, { event_id, event_type: 'llm.before' }));
  expect(numbersOf(await read(mine))).toEqual([3]);
  expect(numbersOf(await read(mine, { event_id }))).toEqual([3]);
  expect(numbersOf(await read(mine, { customer: 'a' }))).toEqual([]);
  expect(numbersOf(await read(mine, { customer: '' }))).toEqual([3]);
});

test('D4.7: the answer says up to which time it is complete', async () => {
  const project = await farthing.createProject();
  for (const query of ['', '?customer=a', `?event_id=${randomUUID()}`]) {
    const before = Date.now() - 60_000;
    const answer = await project.api('GET', `/api/events/${query}`);
    expect(Date.parse(answer.headers.get('farthing-as-of') ?? '')).toBeGreaterThan(before);
  }
});

test('D2: with order=oldest events are in order of receipt, over all pages', async () => {
  const project = await farthing.createProject();
  await project.post(...upTo(5).map((n) => custom(n)));
  for (const n of [5, 6, 7]) await project.post(custom(n, { event_id: id }));
  for (const limit of ['3', '8']) {
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const next: Page = await read(project, { order: 'oldest', limit, ...(cursor !== null && { cursor }) });
      seen.push(...numbersOf(next));
      cursor = next.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(upTo(8));
  }
  expect(numbersOf(await read(project, { order: 'oldest', event_id: id }))).toEqual([5, 6, 7]);
  expect(numbersOf(await read(project, { order: 'newest' }))).toEqual(upTo(8).reverse());
  const { next_cursor: cursor } = await read(project, { order: 'oldest', limit: '3' });
  const other = await project.api('GET', `/api/events/?${new URLSearchParams({ cursor: cursor ?? '' })}`);
  expectProblem(other, 400, 'invalid_cursor');
});

const readLines = (project: Project, query: Record<string, string> = {}) =>
  project.api('GET', `/api/events/?${new URLSearchParams(query)}`, undefined, {
    headers: { accept: 'application/x-ndjson' },
  });

test('D2: a page as NDJSON has a line for each posted event, unchanged except line breaks outside strings', async () => {
  const project = await farthing.createProject();
  for (const text of texts) expectStatus(await project.intake({ raw: text }), 200);
  expectStatus(await project.intake({ raw: `{\r\n  "event_id": "${id}",\n\n  "event_type": "x\\ny"\r}` }), 200);
  const answer = await readLines(project, { order: 'oldest' });
  expectStatus(answer, 200);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(answer.headers.get('farthing-next-cursor')).toBeNull();
  const lines = [
    ...texts.map((text) => text.replaceAll(/[\r\n]/g, '')),
    `{  "event_id": "${id}",  "event_type": "x\\ny"}`,
  ];
  expect(answer.text).toBe(lines.map((line) => `${line}\n`).join(''));

  const copy = await farthing.createProject();
  expectStatus(await copy.intake({ raw: answer.text, contentType: 'application/x-ndjson' }), 200);
  expect((await readLines(copy, { order: 'oldest' })).text).toBe(answer.text);
});

test('D2: the header Farthing-Next-Cursor links the pages of NDJSON', async () => {
  const project = await farthing.createProject();
  expect((await readLines(project)).text).toBe('');
  await project.post(...upTo(7).map((n) => custom(n)));
  const seen: unknown[] = [];
  let pages = 0;
  let cursor: string | null = '';
  do {
    const answer: Answer = await readLines(project, { limit: '3', ...(cursor !== '' && { cursor }) });
    expectStatus(answer, 200);
    for (const line of answer.text.split('\n').slice(0, -1)) seen.push(JSON.parse(line).n);
    cursor = answer.headers.get('farthing-next-cursor');
    pages += 1;
  } while (cursor !== null);
  expect([seen, pages]).toEqual([upTo(7).reverse(), 3]);
});

test.each(['application/json', '*/*', 'text/html, application/json;q=0.9'])(
  'D2: Accept: %s is answered with JSON',
  async (accept) => {
    const project = await farthing.createProject();
    const answer = await project.api('GET', '/api/events/', undefined, { headers: { accept } });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    page.parse(expectStatus(answer, 200));
  },
);
