// The formats of a route with pages, on a route whose pages the test makes.
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { askingFor } from '../../src/lib/asker.ts';
import type { App } from '../../src/lib/http/app.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { pageOf, pageQuery } from '../../src/lib/http/page-envelope.ts';
import { AnswerTooLarge, Problem } from '../../src/lib/problem.ts';
import { formatNames } from '../../src/reports/exports/formats.ts';
import { offerFormats } from '../../src/reports/exports/offer-formats.ts';
import { someOf } from '../support/effort.ts';
import { poll } from '../support/poll.ts';

const rowSchema = z.object({ n: z.number().int(), text: z.string() });

/** What the handler was asked for. */
interface AskedPage {
  readonly limit: number;
  readonly cursor: string | undefined;
}

const running: App[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

/** A service whose pages are made by `page`, by their number from 0. */
async function serve(
  page: (number: number, limit: number) => { rows: z.infer<typeof rowSchema>[]; isLast: boolean },
  stalledMs?: number,
) {
  const asked: AskedPage[] = [];
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const app = createApp(logger, (routes) => {
    offerFormats(routes, stalledMs);
    routes.addHook('preHandler', (request, _reply, done) => {
      askingFor({ lane: String(request.headers['farthing-project'] ?? '') }, done);
    });
    const schema = { summary: 'Things', querystring: pageQuery, response: { 200: pageOf(rowSchema) } };
    routes.get('/api/things/', { config: { access: 'public' }, schema }, async (request) => {
      const { limit, cursor } = request.query;
      asked.push({ limit, cursor });
      const number = Number(cursor ?? 0);
      const { rows, isLast } = page(number, limit);
      await sleep(1);
      return { rows, next_cursor: isLast ? null : `${number + 1}`, has_more: !isLast };
    });
  });
  running.push(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/things/`;
  return { url, asked, logged };
}

const rowsFrom = (start: number, count: number, text = 'x') =>
  Array.from({ length: count }, (_, index) => ({ n: start + index, text }));

test('D24.1: a format has the rows of all pages, in order, and says how a file of it is called', async () => {
  const { url, asked } = await serve((number) => ({ rows: rowsFrom(number * 1_000, 1_000), isLast: number === 3 }));
  const answer = await fetch(`${url}?format=ndjson`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="things.ndjson"');
  expect(answer.headers.get('vary')).toBe('Accept');
  const lines = (await answer.text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 4_000 }, (_, n) => n));
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '1', '2', '3']);
  expect(new Set(asked.map(({ limit }) => limit))).toEqual(new Set([10_000]));
});

test('D24.1: an answer without rows is a file of its format', async () => {
  const { url } = await serve(() => ({ rows: [], isLast: true }));
  const [csv, ndjson, parquet] = await Promise.all(
    formatNames.map(async (format) => Buffer.from(await (await fetch(`${url}?format=${format}`)).arrayBuffer())),
  );
  expect(csv?.toString()).toBe('n,text\n');
  expect(ndjson?.toString()).toBe('');
  expect([parquet?.subarray(0, 4).toString(), parquet?.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
});

test('D24.1: a page of a format is refused, and every wrong parameter is named', async () => {
  const { url, asked } = await serve(() => ({ rows: [], isLast: true }));
  const ask = async (query: string, accept = '*/*') => {
    const answer = await fetch(`${url}${query}`, { headers: { accept } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const refused = { pointer: expect.any(String), code: 'unknown_field', message: 'must be left out: csv has all rows' };
  const whole = {
    status: 400,
    body: expect.objectContaining({
      code: 'invalid_query',
      errors: [
        { ...refused, pointer: '/limit' },
        { ...refused, pointer: '/cursor' },
      ],
    }),
  };
  expect(await ask('?format=csv&limit=10&cursor=1')).toEqual(whole);
  expect(await ask('?limit=10&cursor=1', 'text/csv')).toEqual(whole);
  expect(await ask('?format=xlsx')).toEqual({
    status: 400,
    body: expect.objectContaining({
      errors: [{ pointer: '/format', code: 'invalid_value', message: 'must be one of csv, ndjson, parquet' }],
    }),
  });
  expect(asked).toEqual([]);
  expect((await ask('?limit=10&cursor=1')).status).toBe(200);
});

test('D24.1: HEAD asks for the headers of a format, and reads no more than its first page', async () => {
  const { url, asked } = await serve((number) => ({ rows: rowsFrom(number, 1), isLast: false }));
  const answer = await fetch(`${url}?format=csv`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(asked).toHaveLength(1);
});

test.each(formatNames)('D24.1: a refusal before the first row of %s is an ordinary problem', async (format) => {
  const { url } = await serve(() => {
    throw new Problem('not_found', 'There are no things.');
  });
  const answer = await fetch(`${url}?format=${format}`);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    404,
    'application/problem+json; charset=utf-8',
    null,
  ]);
});

test.each(formatNames)('D24.1: a failure after the first rows of %s closes the connection', async (format) => {
  const { url, logged } = await serve((number) => {
    if (number === 41) throw new Error('the store is gone');
    // A row group of Parquet ends after 20,000 rows.
    return { rows: rowsFrom(number * 500, 500), isLast: false };
  });
  const answer = await fetch(`${url}?format=${format}`);
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(logged.join('')).toContain('the store is gone');
});

test.each(someOf(formatNames, 1))('D24.1: a reader of %s that stops or goes away stops the reading', async (format) => {
  // Text that no format makes much smaller.
  const text = () => Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join('');
  const { url, asked } = await serve((number) => ({
    rows: rowsFrom(number * 2_000, 2_000).map((row) => ({ ...row, text: text() })),
    isLast: false,
  }));
  const leave = new AbortController();
  const answer = await fetch(`${url}?format=${format}`, { signal: leave.signal });
  await answer.body?.getReader().read();
  // It goes on until the buffers of both ends are full.
  const stopped = await poll('no more pages are read', { within: 60_000 }, async () => {
    const before = asked.length;
    await sleep(300);
    return asked.length === before ? before : undefined;
  });
  expect(stopped).toBeLessThan(400);
  leave.abort();
  await sleep(300);
  // What was being written comes to its end: a row group of Parquet has ten of these pages.
  expect(asked.length).toBeLessThanOrEqual(stopped + 11);
});

/** A reader that takes nothing of an answer, once its headers are there. */
async function stall(url: string, project: string) {
  const answered = Promise.withResolvers<{ status: number | undefined; closed: Promise<void> }>();
  const asked = request(url, { agent: false, headers: { 'farthing-project': project } }, (answer) => {
    const closed = Promise.withResolvers<void>();
    answer
      .pause()
      .on('error', () => undefined)
      .once('close', closed.resolve);
    answered.resolve({ status: answer.statusCode, closed: closed.promise });
  });
  asked.on('error', () => undefined).end();
  onTestFinished(() => void asked.destroy());
  return { ...(await answered.promise), leave: () => asked.destroy() };
}

const endless = () => ({ rows: rowsFrom(0, 1_000, 'x'.repeat(5_000)), isLast: false });

test('D24.1: a project streams few answers at once, and others are not refused', async () => {
  // None is let go because it takes nothing.
  const { url } = await serve(endless, 600_000);
  const stalled = [];
  for (let number = 0; number < 4; number += 1) stalled.push(await stall(`${url}?format=ndjson`, 'noisy'));
  expect(stalled.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 200));
  const refused = await fetch(`${url}?format=csv`, { headers: { 'farthing-project': 'noisy' } });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('at once') });
  const other = await stall(`${url}?format=ndjson`, 'quiet');
  expect(other.status).toBe(200);
  for (const { leave } of [...stalled, other]) leave();
  await poll('a slot is free', { within: 60_000 }, async () => {
    const again = await stall(`${url}?format=ndjson`, 'noisy');
    return again.status === 200 || undefined;
  });
});

test('D24.1: a reader that takes nothing is let go, and its slot is free', async () => {
  const { url, asked } = await serve(endless, 200);
  const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(`${url}?format=ndjson`, 'noisy')));
  expect(stalled.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 200));
  await poll('a slot is free', { within: 60_000 }, async () => {
    const again = await stall(`${url}?format=ndjson`, 'noisy');
    return again.status === 200 || undefined;
  });
  expect(asked.length).toBeLessThan(60);
});

test('D24.1: rows that are too large for a page of a format come in smaller pages', async () => {
  const { url, asked } = await serve((number, limit) => {
    if (limit > 200) throw new AnswerTooLarge('Ask for less.');
    return { rows: rowsFrom(number * 100, 100), isLast: number === 3 };
  });
  const lines = (await (await fetch(`${url}?format=ndjson`)).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 400 }, (_, n) => n));
  expect(asked.map(({ limit }) => limit)).toEqual([10_000, 1_250, 157, 157, 157, 157]);

  const never = await serve(() => {
    throw new AnswerTooLarge('Ask for less.');
  });
  const refused = await fetch(`${never.url}?format=csv`);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: 'answer_too_large', detail: 'Ask for less.' });
});
