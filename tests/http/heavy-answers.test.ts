// Answers that read much: a project has one at a time, and one that has begun is never refused.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { askingFor, currentAsker } from '../../src/lib/asker.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { giveHeavyTurns } from '../../src/lib/http/heavy-answers.ts';
import { pageOf, pageQuery } from '../../src/lib/http/page-envelope.ts';
import { NeedsHeavyTurn } from '../../src/lib/problem.ts';
import { offerFormats } from '../../src/reports/exports/offer-formats.ts';

const pages = 5;

/** A service whose route `/api/much/` reads more than a light answer may, and `/api/little/` does not. */
function serve() {
  /** The projects whose rows are held, and the most that were at once. */
  const held: string[] = [];
  const most = { all: 0, ofOne: 0 };
  const attempts = { light: 0, heavy: 0 };
  const app = createApp(pino({ level: 'silent' }), (routes) => {
    giveHeavyTurns(routes);
    offerFormats(routes);
    routes.addHook('preHandler', (request, _reply, done) => {
      askingFor({ lane: String(request.headers['farthing-project']) }, done);
    });
    const schema = {
      summary: 'Rows',
      querystring: pageQuery,
      response: { 200: pageOf(z.object({ n: z.number() })) },
    };
    const config = { access: 'read', readsCalls: true } as const;
    for (const name of ['much', 'little']) {
      routes.get(`/api/${name}/`, { config, schema }, async ({ query: { cursor } }) => {
        const { lane = '', weight } = currentAsker() ?? {};
        attempts[weight ?? 'heavy'] += 1;
        if (name === 'much' && weight !== 'heavy') throw new NeedsHeavyTurn('This is much.');
        held.push(lane);
        most.all = Math.max(most.all, held.length);
        most.ofOne = Math.max(most.ofOne, held.filter((one) => one === lane).length);
        await pause(2);
        held.splice(held.indexOf(lane), 1);
        const n = Number(cursor ?? 0);
        const hasMore = n + 1 < pages;
        return { rows: [{ n }], next_cursor: hasMore ? `${n + 1}` : null, has_more: hasMore };
      });
    }
  });
  onTestFinished(async () => await app.close());
  const ask = async (project: string, path: string) => {
    const answer = await app.inject({ url: `/api/${path}`, headers: { 'farthing-project': project } });
    return { status: answer.statusCode, text: answer.body };
  };
  return { ask, most, attempts };
}

test('an answer that reads much is worked out again in a turn, one at a time for each project; others take none', async () => {
  const { ask, most, attempts } = serve();
  const asked = Array.from({ length: 24 }, (_, index) => ask(index % 2 === 0 ? 'a' : 'b', 'much/'));
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(most).toEqual({ all: 2, ofOne: 1 });
  expect(attempts).toEqual({ light: 24, heavy: 24 });
  await Promise.all(Array.from({ length: 24 }, () => ask('a', 'little/')));
  expect(most.ofOne).toBe(24);
  expect(attempts).toEqual({ light: 48, heavy: 24 });
});

test('D24.1: each page of an answer in a format has a turn, and what has begun is not refused while others wait', async () => {
  const { ask, most, attempts } = serve();
  const formats = Array.from({ length: 3 }, () => ask('a', 'much/?format=csv'));
  // More than may wait: some of them are refused, whatever the files do.
  const others = Array.from({ length: 60 }, async (_, index) => {
    await pause(index);
    return await ask('a', 'much/');
  });
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  for (const { status, text } of await Promise.all(formats))
    expect({ status, text }).toEqual({ status: 200, text: `n\n${[0, 1, 2, 3, 4].join('\n')}\n` });
  expect(most.ofOne).toBe(1);
  // Only the first page tries without a turn.
  expect(attempts.light).toBe(formats.length + others.length);
});
