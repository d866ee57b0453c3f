// A reprice or a reread that is killed leaves what was in force whole, and goes on after the restart (D5.5, D26.5).
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Farthing, type Json, type Project, tokenEvent } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { askForReprice, type Reprice, readReprice, rebuildProject } from '../support/reprice.ts';
import { askEngine, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const calls = 16_000;
const kills = usualOrLong(3, 12);
/** About how long a reprice of so many calls takes, in milliseconds: the kills are spread over it. */
const repriceMs = 600;

const dataDir = makeMigratedDataDir();
let service: Service;
let farthing: Farthing;

const start = async () => await startService({ dataDir, ...(service && { port: service.port }) });

beforeAll(async () => {
  service = await start();
  farthing = connect(service.url, service.adminToken);
});

afterAll(async () => {
  await service?.kill();
});

test('D5.5: kills in the middle of reprices leave one price or the other, and every reprice is finished', async () => {
  const project = await farthing.createProject();
  let priceId = await setPrice(project, 1);
  for (let at = 0; at < calls; at += 8_000) {
    const events = Array.from({ length: 8_000 }, () =>
      tokenEvent({ event_id: randomUUID(), prompt_tokens: 1_000_000, tags: { customer: 'acme' } }),
    );
    await project.post(...events);
  }
  let price = 1;
  expect(await project.totalCost()).toBe(calls);
  const seenAfterKill = new Set<string>();

  for (let kill = 0; kill < kills; kill += 1) {
    const before = price;
    price += 1;
    await project.api('DELETE', `/api/prices/${priceId}/`);
    priceId = await setPrice(project, price);
    const id = await askForReprice(project, { date_from: '2024-05-01', date_to: '2024-05-31', dry_run: false });
    // Somewhere between its first and its last step.
    await poll('it has begun', { within: 60_000, every: 2 }, async () =>
      (await readReprice(project, id)).state === 'queued' ? undefined : true,
    );
    await pause((repriceMs * kill) / kills);
    await service.kill();
    service = await start();

    // Until it is done, and when it is, all calls have one price.
    await poll('it is done', { within: 60_000 }, async () => {
      const state = (await readReprice(project, id)).state;
      const total = await project.totalCost();
      expect([before * calls, price * calls]).toContain(total);
      seenAfterKill.add(state === 'done' ? 'done' : total === before * calls ? 'old' : 'new');
      return state === 'done' ? true : undefined;
    });
    expect(await project.totalCost()).toBe(price * calls);
    expect(await readReprice(project, id)).toMatchObject({
      before: before * calls,
      after: price * calls,
      progress: 1,
    });
  }
  // Otherwise every kill came too late to prove anything.
  expect(seenAfterKill).toContain('old');
});

async function setPrice(project: Project, usdPerMtok: number): Promise<string> {
  return await project.addPrice({ model: 'm1', input_per_mtok: usdPerMtok, output_per_mtok: 0 });
}

/** How many calls are read anew, and how long that may take, in milliseconds. */
const rereadCalls = usualOrLong(3_000, 1_000_000);
const rereadWithin = usualOrLong(60_000, 1_800_000);
const days = { date_from: '2024-05-10', date_to: '2024-05-12' };

test('D26.5: calls read anew, by a reread that is killed, are those of the same events posted anew', {
  timeout: 3 * rereadWithin,
}, async () => {
  const [old, anew] = [await farthing.createProject(), await farthing.createProject()];
  for (const project of [old, anew]) await setPrice(project, 2);
  for (let at = 0; at < rereadCalls; at += 4_000) {
    const events = makeCalls(at, Math.min(rereadCalls, at + 4_000));
    await old.post(...events);
    await anew.post(...events);
  }
  // The log as a release leaves it that understands no usage, and the calls that it makes of that.
  await service.stop();
  await askEngine(dataDir, `ALTER TABLE events UPDATE usage = [], units = map() WHERE project = '${old.id}'`);
  service = await start();
  await rebuildProject(old, undefined, rereadWithin);
  const total = await anew.totalCost();
  expect(await old.totalCost()).toBe(0);
  expect(total).toBeGreaterThan(0);

  const tried = await rereadIsDone(old, await askForReprice(old, { ...days, reread: true }));
  const byCause = [
    { cause: 'reading', before: 0, after: total },
    { cause: 'price', before: total, after: total },
  ];
  expect(tried).toMatchObject({ before: 0, after: total, by_cause: byCause });
  expect(await old.totalCost()).toBe(0);

  const id = await askForReprice(old, { ...days, reread: true, dry_run: false });
  await poll('it has begun', { within: 60_000, every: 2 }, async () =>
    (await readReprice(old, id)).state === 'queued' ? undefined : true,
  );
  await pause(usualOrLong(50, 5_000));
  await service.kill();
  service = await start();
  const done = await rereadIsDone(old, id, async () => expect([0, total]).toContain(await old.totalCost()));
  expect(done).toMatchObject({ before: 0, after: total, by_cause: byCause });
  const asPosted = await readAll(anew);
  expect(await readAll(old)).toEqual(asPosted);
  // What was read anew is kept: a rebuild reads no texts.
  await rebuildProject(old, undefined, rereadWithin);
  expect(await readAll(old)).toEqual(asPosted);
});

/** Calls whose usage stands in three shapes, some with an event of their beginning. */
function makeCalls(from: number, to: number): Json[] {
  return Array.from({ length: to - from }, (_, index): Json[] => {
    const at = from + index;
    const base = {
      event_id: randomUUID(),
      timestamp: `2024-05-${10 + (at % 3)}T12:00:00Z`,
      model: ['m1', 'gpt-4o', 'claude-sonnet-4-5'][at % 3],
      tags: { customer: `customer-${at % 40}` },
    };
    const usage = [
      { prompt_tokens: 1_000 + at, completion_tokens: at },
      { usage: { prompt_tokens: 900 + at, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 300 } } },
      {
        usage: {
          input_tokens: 70,
          output_tokens: at,
          cache_read_input_tokens: 9_000,
          server_tool_use: { web_search_requests: 2 },
        },
      },
    ][at % 3];
    const after = { ...base, event_type: 'llm.after', ...usage };
    return at % 8 === 0 ? [{ ...base, event_type: 'llm.before' }, after] : [after];
  }).flat();
}

/** Waits for the end of a reread; asks `meanwhile` again and again. */
async function rereadIsDone(project: Project, id: string, meanwhile?: () => Promise<void>): Promise<Reprice> {
  return await poll('the reread is done', { within: rereadWithin }, async () => {
    const found = await readReprice(project, id);
    if (found.state === 'failed') throw new Error(`the reread failed: ${found.failure}`);
    await meanwhile?.();
    return found.state === 'done' ? found : undefined;
  });
}

/** The costs and the usage of a project, by what they may be grouped by. */
async function readAll(project: Project): Promise<unknown> {
  const range = { ...days, aggregate: 'day' };
  const usage = await project.api('POST', '/api/usage/', { ...range, group_by: 'model' });
  return [
    await project.allCosts({ ...range, group_by: 'model' }),
    await project.allCosts({ ...range, group_by: 'customer' }),
    usage.body,
  ];
}
