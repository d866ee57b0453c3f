import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Answer,
  costEvent,
  expectStatus,
  type Project,
  sharedFarthing,
  tokenEvent,
} from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { askForReprice, readReprice, repriceDays, repriceIsDone } from '../../support/reprice.ts';

const farthing = sharedFarthing();
const idOf = z.object({ id: z.string() });

const price = (usdPerMtok: number, fields = {}) => ({
  model: 'm1',
  input_per_mtok: usdPerMtok,
  output_per_mtok: usdPerMtok,
  ...fields,
});
/** A call of a million tokens: it costs a dollar at a dollar per million tokens. */
const million = (day: string, fields = {}) =>
  tokenEvent({ timestamp: `${day}T12:00:00Z`, prompt_tokens: 1_000_000, ...fields });

/** A project with calls on three days at 1 dollar, whose price then rose to 3 dollars. */
async function projectWithOldPrices(): Promise<Project> {
  const project = await farthing.createProject();
  const old = await project.addPrice(price(1));
  await project.post(
    million('2024-05-14', { tags: { customer: 'acme' } }),
    million('2024-05-15', { tags: { customer: 'acme' } }),
    million('2024-05-15', { tags: { customer: 'bravo' } }),
    million('2024-05-16'),
  );
  expect(await project.totalCost()).toBe(4);
  await project.api('DELETE', `/api/prices/${old}/`);
  await project.addPrice(price(3));
  return project;
}

const costByDay = async (project: Project) =>
  Object.fromEntries(
    (await project.allCosts({ date_from: '2024-05-14', date_to: '2024-05-16' })).map((row) => [
      row.date_from,
      row.cost,
    ]),
  );

const loggedReprices = async (project: Project) => expectStatus(await project.api('GET', '/api/prices/reprices/'), 200);

test('D1.1, D5.5, D5.7: a dry run, the default, changes nothing; else costs change on its days, of its project, as the log says', async () => {
  const [project, other] = await Promise.all([projectWithOldPrices(), projectWithOldPrices()]);
  const dry = await repriceDays(project, { date_from: '2024-05-14', date_to: '2024-05-15' });
  expect(dry).toMatchObject({
    dry_run: true,
    date_from: '2024-05-14',
    date_to: '2024-05-15',
    progress: 1,
    before: 3,
    after: 9,
    by_day: [
      { date: '2024-05-14', before: 1, after: 3 },
      { date: '2024-05-15', before: 2, after: 6 },
    ],
    by_model: [{ model: 'm1', before: 3, after: 9 }],
    other_models: { models: 0, before: 0, after: 0 },
    by_customer: [
      { customer: 'acme', before: 2, after: 6 },
      { customer: 'bravo', before: 1, after: 3 },
    ],
    others: { customers: 0, before: 0, after: 0 },
  });
  expect(await costByDay(project)).toEqual({ '2024-05-14': 1, '2024-05-15': 2, '2024-05-16': 1 });

  const key = await project.createKey({ scopes: ['write'] });
  const byKey = await project.api(
    'POST',
    '/api/prices/reprice/',
    { date_from: '2024-05-15', date_to: '2024-05-15', dry_run: false },
    { token: key.api_key },
  );
  const { id } = idOf.parse(expectStatus(byKey, 202));
  expect(await repriceIsDone(project, id)).toMatchObject({ dry_run: false, before: 2, after: 6 });
  expect(await costByDay(project)).toEqual({ '2024-05-14': 1, '2024-05-15': 6, '2024-05-16': 1 });
  expect(await project.costBy('customer')).toEqual({ acme: 4, bravo: 3, '': 1 });

  // date_to defaults to today. The last reprice of a day counts.
  const today = new Date().toISOString().slice(0, 10);
  await project.addPrice(price(5));
  const byAdmin = await farthing.send('POST', '/api/prices/reprice/', {
    body: { date_from: '2024-05-15', dry_run: false },
    token: farthing.adminToken,
    headers: { 'farthing-project': project.id },
  });
  const { id: adminId } = idOf.parse(expectStatus(byAdmin, 202));
  const { date_to: dateTo } = await repriceIsDone(project, adminId);
  expect([today, new Date().toISOString().slice(0, 10)]).toContain(dateTo);
  expect(await costByDay(project)).toEqual({ '2024-05-14': 1, '2024-05-15': 10, '2024-05-16': 5 });

  expect(await loggedReprices(project)).toMatchObject({
    reprices: [
      { id: adminId, requested_by: 'admin', dry_run: false, before: 7, after: 15 },
      { id, requested_by: key.id, dry_run: false, state: 'done', before: 2, after: 6, date_from: '2024-05-15' },
      { id: dry.id, dry_run: true, before: 3, after: 9 },
    ],
  });
  expect((await other.api('GET', `/api/prices/reprices/${id}/`)).status).toBe(404);
  expect(await loggedReprices(other)).toEqual({ reprices: [], next_cursor: null, has_more: false });
  expect(await other.totalCost()).toBe(4);
});

test('D4.7, D5.5, D5.7: unpriced calls and those posted just before are repriced; a reported cost stays; a late event keeps the price', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  const first = await project.addPrice(price(1));
  await project.post(
    million('2024-05-15', { event_id: id }),
    million('2024-05-15', { model: 'our-own' }),
    costEvent({ cost: 7, model: 'our-own' }),
  );
  expect(await project.totalCost()).toBe(8);
  await project.api('DELETE', `/api/prices/${first}/`);
  const second = await project.addPrice(price(3));
  await project.addPrice(price(2, { model: 'our-own' }));
  expect(await project.totalCost()).toBe(8);
  await project.post(million('2024-05-15'));
  const found = await repriceDays(project, { date_from: '2024-05-15', date_to: '2024-05-15', dry_run: false });
  expect([found.before, found.after]).toEqual([11, 15]);
  expect(await project.totalCost()).toBe(15);
  await project.api('DELETE', `/api/prices/${second}/`);
  await project.addPrice(price(10));
  // A late event that adds to the call: it now has two million tokens.
  await project.post(million('2024-05-15', { event_id: id, prompt_tokens: 2_000_000 }));
  expect(await project.totalCost()).toBe(18);
  // A new call of that day gets the current price.
  await project.post(million('2024-05-15'));
  expect(await project.totalCost()).toBe(28);
});

longTest('D5.5: no answer mixes old and new prices while events arrive', async () => {
  const project = await farthing.createProject();
  const old = await project.addPrice(price(1));
  // A step of a reprice takes 5,000 events or more, those of a request together: this takes two steps.
  const count = 12_000;
  const calls = Array.from({ length: count }, () => million('2024-05-15'));
  for (let at = 0; at < count; at += 5_000) await project.post(...calls.slice(at, at + 5_000));
  await project.api('DELETE', `/api/prices/${old}/`);
  await project.addPrice(price(3));

  const seen = new Set([await project.totalCost({ customers: [''] })]);
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      seen.add(await project.totalCost({ customers: [''] }));
      await pause(20);
    }
  })();
  // New calls, and repetitions of known calls, whose prices must not change.
  const posting = (async () => {
    for (let at = 0; !isDone; at += 97) {
      await project.post(costEvent({ cost: 1, tags: { customer: 'live' } }), { ...calls[at % calls.length] });
      await pause(100);
    }
  })();
  try {
    await repriceDays(project, { date_from: '2024-05-15', date_to: '2024-05-15', dry_run: false });
  } finally {
    isDone = true;
    await Promise.all([watching, posting]);
  }
  seen.add(await project.totalCost({ customers: [''] }));
  expect([...seen].sort((a, b) => a - b)).toEqual([count, 3 * count]);
});

longTest('D5.5: the reprice of a small project does not wait for those of a large one', async () => {
  const [large, small] = await Promise.all([farthing.createProject(), projectWithOldPrices()]);
  await large.addPrice(price(1));
  const count = 3_000;
  await large.post(...Array.from({ length: count }, () => million('2024-05-15')));
  expect(await large.totalCost()).toBe(count);
  // Queues the maximum, so that most of this work remains when the small project's reprice is requested.
  const ofLarge = await Promise.all(
    Array.from({ length: 10 }, () => askForReprice(large, { date_from: '2024-05-15', dry_run: false })),
  );
  const ofSmall = await repriceDays(small, { date_from: '2024-05-14', dry_run: false });
  const ends: number[] = [];
  for (const id of ofLarge) ends.push(Date.parse((await repriceIsDone(large, id)).finished_at ?? ''));
  const lastOfLarge = Math.max(...ends);
  expect(Date.parse(ofSmall.finished_at ?? '')).toBeLessThan(lastOfLarge);
});

longTest('D5.5: up to ten reprices wait in a queue; more are a conflict', async () => {
  const project = await projectWithOldPrices();
  const ask = () => project.api('POST', '/api/prices/reprice/', { date_from: '2024-05-14', dry_run: false });
  const asked: Answer[] = [];
  // Reprices end meanwhile, so requests are sent until they come faster than reprices end.
  await poll('a reprice is refused', { within: backgroundWithin }, async () => {
    asked.push(...(await Promise.all(Array.from({ length: 15 }, ask))));
    return asked.some(({ status }) => status !== 202) ? true : undefined;
  });
  const [accepted, refused] = [true, false].map((is) => asked.filter(({ status }) => (status === 202) === is));
  for (const answer of refused ?? []) {
    expect(expectProblem(answer, 409, 'conflict').detail).toContain('10 changes of this project are queued');
  }
  expect(accepted?.length).toBeGreaterThanOrEqual(10);
  for (const { body } of accepted ?? []) {
    const { id } = idOf.parse(body);
    await poll('the reprice is done', { within: backgroundWithin }, async () => {
      const { state, before, after } = await readReprice(project, id);
      if (state !== 'done') return undefined;
      // The first to end has changed the prices.
      expect([
        [4, 12],
        [12, 12],
      ]).toContainEqual([before, after]);
      return true;
    });
  }
  expectStatus(await ask(), 202);
});
