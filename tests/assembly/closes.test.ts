// What a close pins stays as it is wherever a copy of it is cut off, whatever is deleted, and only as long as the close.
import { expect, test } from 'vitest';
import { Closer } from '../../src/billing/closes/closer.ts';
import { Remaker } from '../../src/billing/revenue/stripe/remakes.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { type CopyStep, copySteps } from '../../src/calls/pins/copies.ts';
import { cleanUpGenerations } from '../../src/calls/rebuild/clean-up.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { planPage } from '../../src/reports/asking/page.ts';
import { costsBody, parseCosts } from '../../src/reports/costs/parse.ts';
import { runCosts } from '../../src/reports/costs/run.ts';
import { answerAsOf } from '../../src/reports/facts/as-of.ts';
import { type Close, deleteClose, findClose, requestClose } from '../../src/reports/facts/closes.ts';
import { sumReadings } from '../../src/reports/performance/frozen-readings.ts';
import { PinKeeper } from '../../src/rollups/pins/pin-keeper.ts';
import { Clearer } from '../../src/rollups/retention/clearer.ts';
import { Freezer } from '../../src/rollups/retention/freezer.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import { projectTables } from '../../src/storage/analytic/project-tables.ts';
import type { BackgroundJob } from '../../src/storage/background-job.ts';
import { requestRemake } from '../../src/storage/control/stripe-remakes.ts';
import { usualOrLong } from '../support/effort.ts';
import type { Json } from './model.ts';
import {
  type AssemblerSettings,
  assembleAll,
  base,
  deliver,
  hour,
  quietLogger as logger,
  newEventId,
  openWorldForEachTest,
  takeLease,
  type World,
  Writer,
} from './world.ts';

const day = 24 * hour;

let world: World;
await openWorldForEachTest((opened) => {
  world = opened;
});

/** Stores and assembles calls that cost what they say. */
async function post(writer: Writer, calls: readonly Json[], settings: AssemblerSettings = {}): Promise<void> {
  world.clock.now += hour;
  const events = calls.map((call) =>
    writer.receive(world.clock.now, { event_id: newEventId(), event_type: 'x.after', ...call }),
  );
  await deliver(world, events);
  await assembleAll(world, settings);
}

const call = (ms: number, cost: number, tags: Json = {}): Json => ({
  ...{ timestamp: new Date(base + ms).toISOString(), cost },
  tags: { customer: 'acme', feature: 'chat', run: `run ${cost}`, job: 'nightly', ...tags },
});

/** The jobs of a process that holds the lease. */
async function holdLease() {
  const { store, control, lease, touchedDays } = await takeLease(world);
  const clock = () => world.clock.now;
  const sources = { store, control, lease, clock, logger };
  const sealer = new Sealer({ ...sources, touchedDays, quietMs: 0 });
  const readings = {
    listReadings: async () => [],
    sumReadings: (query: Parameters<typeof sumReadings>[1]) => sumReadings(store, query),
  };
  return {
    sealer,
    closer: new Closer({ ...sources, ...readings, sealer }),
    keeper: new PinKeeper(sources),
    freezer: new Freezer({ ...sources, ...readings, onFrozen: () => undefined }),
    clearer: new Clearer({ ...sources, graceMs: 0 }),
  };
}

async function finish(...jobs: BackgroundJob[]): Promise<void> {
  for (const job of jobs) while (await job.step({ isBusy: false }));
}

async function closeDays(through: string): Promise<Close> {
  const { control, projectId, clock } = world;
  const id = await requestClose({ control, clock: () => clock.now }, projectId, { through, note: null });
  await finish((await holdLease()).closer);
  const close = await findClose(control, projectId, id);
  if (!close) throw new Error('the close was not made');
  return close;
}

const questions: readonly Json[] = [
  { aggregate: 'day' },
  { aggregate: 'all', group_by: 'customer' },
  { aggregate: 'all', run_tags: { job: 'nightly' } },
  { aggregate: 'all', group_by: 'feature', customers: ['acme'], models: [''] },
];

/** The answers to all questions as of a close, each with caches of its own. */
async function ask(close: Close): Promise<string> {
  const { store, control, projects, projectId, clock } = world;
  const project = await projects.find(projectId);
  if (!project) throw new Error('there is no project');
  const now = () => clock.now;
  const sources = {
    ...{ store, control, answerCache: new AnswerCache(store), cellCache: new CellCache(store), clock: now },
    progress: new Progress(now),
  };
  const answers: unknown[] = [];
  for (const fields of questions) {
    const body = costsBody.parse({ date_from: '2026-01-01', as_of: close.id, ...fields });
    const question = parseCosts('costs', projectId, body);
    const plan = planPage(project, question, body, clock.now, close);
    answers.push(await answerAsOf(control, project, close, (asOf) => runCosts(asOf, question, plan, sources)));
  }
  return JSON.stringify(answers);
}

/** How many rows of calls the project has, by generation. */
async function countCalls(): Promise<Record<string, number>> {
  const rows = await world.store.select<{ generation: string; calls: string }>(
    'SELECT toString(generation) AS generation, count() AS calls FROM calls FINAL WHERE project = {project:String} GROUP BY generation',
    { project: world.projectId },
  );
  return Object.fromEntries(rows.map(({ generation, calls }) => [generation, Number(calls)]));
}

const untilDeleted = () => expect.poll(() => world.store.isDeleting(projectTables), { timeout: 60_000 }).toBe(false);

test('D19.1: a close waits until all entries from Stripe are computed again, also when that begins while it waits', async () => {
  const { control, projectId } = world;
  const clock = () => world.clock.now;
  world.clock.now = base + 10 * day;
  await post(new Writer(), [call(0, 1)]);
  const id = await requestClose({ control, clock }, projectId, { through: '2026-01-31', note: null });
  await requestRemake(control, projectId);
  const { closer } = await holdLease();
  await finish(closer);
  expect(await findClose(control, projectId, id)).toBeUndefined();
  await finish(new Remaker({ control, clock }), closer);
  expect(await findClose(control, projectId, id)).toMatchObject({ through: '2026-01-31' });
});

// The usual form dies at the step after which a copy is owed and not made.
test.each(usualOrLong<readonly CopyStep[]>(['noted'], copySteps))(
  'D19.1: killed when a copy was %s, a close answers the same, and nothing is left over',
  async (died) => {
    const writer = new Writer();
    world.clock.now = base + 10 * day;
    await post(writer, [call(0, 1), call(0, 2, { customer: 'bravo' }), call(day, 4)]);
    const close = await closeDays('2026-01-31');
    const before = await ask(close);
    expect(before).toContain('"cost":7');

    const settings: AssemblerSettings = {
      afterCopyStep: (step) => {
        if (step === died) throw new Error('the process dies here');
      },
    };
    await expect(post(writer, [call(hour, 8)], settings)).rejects.toThrow('dies here');
    expect(await ask(close)).toBe(before);
    await assembleAll(world);
    expect(await ask(close)).toBe(before);
    // A later event finds the pin moved.
    await post(writer, [call(hour, 16)]);
    const { keeper } = await holdLease();
    await finish(keeper);
    await untilDeleted();
    expect(await ask(close)).toBe(before);
    // The calls of now, and one copy of the two calls of the day that was touched.
    expect(Object.values(await countCalls()).sort()).toEqual([2, 5]);

    await deleteClose(world.control, world.projectId, close.id);
    await finish(keeper);
    await untilDeleted();
    expect(await countCalls()).toEqual({ 0: 5 });
  },
);

test('D19.1: retention deletes events, and keeps the calls of closed days as long as they are closed', async () => {
  const { control, store, projectId } = world;
  const writer = new Writer();
  world.clock.now = base + 10 * day;
  await post(writer, [call(0, 1), call(day, 2), call(3 * day, 4)]);
  const close = await closeDays('2026-01-30');
  const before = await ask(close);
  await post(writer, [call(hour, 8)]);

  const retain = async (days: number) => {
    await control.updateTable('projects').set({ retention_days: days }).where('id', '=', projectId).execute();
    const { sealer, freezer, clearer } = await holdLease();
    await finish(sealer, freezer);
    world.clock.now += hour;
    // A step deletes in the background, and the next one waits for it.
    const isCleared = async () => {
      await finish(clearer);
      const [row] = await control.selectFrom('projects').selectAll().where('id', '=', projectId).execute();
      return row?.frozen_before !== null && row?.cleared_before === row?.frozen_before;
    };
    await expect.poll(isCleared, { timeout: 60_000 }).toBe(true);
    await untilDeleted();
  };
  await retain(8);
  expect(
    await store.select('SELECT 1 FROM events WHERE project = {project:String}', { project: projectId }),
  ).toHaveLength(1);
  expect(Object.values(await countCalls()).sort()).toEqual([1, 2]);
  expect(await ask(close)).toBe(before);

  // A later close of frozen days has only their totals, and says so.
  const second = await closeDays('2026-01-31');
  await expect(ask(second)).rejects.toThrow('beyond_retention');

  const cleanUp = async () => {
    while (await cleanUpGenerations({ store, control, now: world.clock.now }));
    await untilDeleted();
  };
  await deleteClose(control, projectId, second.id);
  await cleanUp();
  expect(await ask(close)).toBe(before);
  await deleteClose(control, projectId, close.id);
  await cleanUp();
  expect(Object.values(await countCalls())).toEqual([1]);
});
