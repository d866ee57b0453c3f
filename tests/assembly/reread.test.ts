// A reread reads the texts of events with the reader of now, and what it has read holds from then on.
import { beforeEach, describe, expect, test } from 'vitest';
import { readAppliedRereads } from '../../src/calls/applied-rereads.ts';
import { readGenerations } from '../../src/calls/generations.ts';
import type { RebuildComparison } from '../../src/calls/rebuild/comparison.ts';
import { Rebuilder, type RebuildStep, rebuildSteps } from '../../src/calls/rebuild/rebuilder.ts';
import { type RebuildRequest, requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { readOneCall } from '../../src/reports/calls/one-call.ts';
import { selectIgnored } from '../../src/reports/coverage/sql.ts';
import { Clearer } from '../../src/rollups/retention/clearer.ts';
import { projectTables } from '../../src/storage/analytic/project-tables.ts';
import { someOf } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import type { Json } from './model.ts';
import {
  assembleAll,
  at,
  base,
  deliver,
  hour,
  quietLogger as logger,
  newEventId,
  openNextWorld,
  readsRevenue,
  startEngineOfFile,
  takeLease,
  type Understanding,
  type World,
  Writer,
} from './world.ts';

/** The day of `base`, in the timezone of the project. */
const firstDay = '2026-01-29';
/** An earlier release that does not know cached tokens by this name, and a cost not at all. */
const earlier: Understanding = ({ usage, ...columns }) => ({
  ...columns,
  usage: usage.length === 0 ? [] : usage.map((count, bucket) => (bucket === 0 ? count / 2 : 0)),
  cost: null,
  ignored: ['cost'],
});

const engine = await startEngineOfFile();
let world: World;
let writer: Writer;
beforeEach(async () => {
  world = await openNextWorld(engine, world);
  writer = new Writer();
});

const call = (event_id: string, fields: Json = {}): Json => ({
  event_id,
  event_type: 'x.after',
  model: 'm-alpha',
  prompt_tokens: 1_000_000,
  completion_tokens: 100_000,
  ...fields,
});

/** Asks for a rebuild; returns its id. */
async function ask(fields: Partial<RebuildRequest>): Promise<string> {
  const { control, projectId, clock, books } = world;
  const { timezone } = await readGenerations(control, projectId);
  const { id } = await requestRebuild(control, {
    projectId,
    kind: 'reprice',
    isDryRun: false,
    isReread: true,
    requestedBy: 'admin',
    days: { from: firstDay, to: firstDay },
    timezone,
    // The prices of the beginning, so that only reading changes costs.
    priceBookId: books[1]?.id,
    now: clock.now,
    ...fields,
  });
  return id;
}

async function makeRebuilder(afterStep?: (step: RebuildStep) => void, maxEvents = 3) {
  const { clock } = world;
  const { afterStep: _, ...options } = await takeLease(world, { maxEvents });
  return new Rebuilder({
    ...options,
    ...readsRevenue(options),
    clock: () => clock.now,
    logger,
    ...(afterStep && { afterStep }),
  });
}

/** Works on the rebuilds until a step has been passed so often, and dies there. */
async function dieAfter(dying: RebuildStep, times: number, maxEvents?: number): Promise<void> {
  let passed = 0;
  const rebuilder = await makeRebuilder((step) => {
    if (step !== dying) return;
    passed += 1;
    if (passed >= times) throw new Error('it dies here');
  }, maxEvents);
  for (let turn = 0; passed < times; turn += 1) {
    if (turn > 1_000) throw new Error(`"${dying}" is passed ${passed} times only`);
    await rebuilder.step();
  }
}

/** The totals of a report, as numbers. */
const shorten = ({ before, after, by_cause: causes = [] }: RebuildComparison) => ({
  before: Number(before),
  after: Number(after),
  causes: causes.map(({ cause, ...difference }) => [cause, Number(difference.before), Number(difference.after)]),
});

async function finish(id: string, rebuilder?: Rebuilder): Promise<ReturnType<typeof shorten>> {
  const working = rebuilder ?? (await makeRebuilder(undefined, 50));
  for (;;) {
    const row = await readRebuild(id);
    if (row.state === 'done') return shorten(JSON.parse(row.comparison ?? '') as RebuildComparison);
    if (row.state === 'failed') throw new Error(row.failure ?? '');
    await working.step();
  }
}

const readRebuild = async (id: string) =>
  await world.control.selectFrom('rebuilds').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const reread = async (fields: Partial<RebuildRequest> = {}) => await finish(await ask(fields));

/** The cost of each call in force, by its id and ordinal. */
async function costs(): Promise<Record<string, number>> {
  const { store, control, projectId: project } = world;
  const generations = await readGenerations(control, project);
  const rows = await store.select<{ key: string; day: string; generation: string; cost: number }>(
    `SELECT concat(toString(event_id), ' ', toString(ordinal)) AS key, toString(day) AS day, generation,
        toFloat64(cost) AS cost FROM calls FINAL WHERE project = {project:String}`,
    { project },
  );
  return Object.fromEntries(
    rows
      .filter(({ day, generation }) => Number(generation) === (generations.byDay.get(day) ?? generations.base))
      .map(({ key, cost }) => [key, cost]),
  );
}

/** The fields that could not be used, as coverage counts them. */
async function ignored() {
  const { store, control, projectId } = world;
  const stretch = { fromMs: base - hour, toMs: base + 100 * hour };
  const { sql, parameters } = selectIgnored(projectId, stretch, await readAppliedRereads(control, projectId));
  return await store.select(sql, parameters);
}

async function countReadings(): Promise<number> {
  const { store, projectId: project } = world;
  const [row] = await store.select<{ rows: string }>(
    'SELECT count() AS rows FROM event_contents FINAL WHERE project = {project:String}',
    { project },
  );
  return Number(row?.rows);
}

describe('D26.5: what is read anew', () => {
  const [a, b, c] = [newEventId(), newEventId(), newEventId()];
  beforeEach(async () => {
    await deliver(
      world,
      [
        writer.receive(base, call(a)),
        writer.receive(base + 1, { event_id: b, event_type: 'x.before', cost: 3 }),
        writer.receive(base + 2, call(b, { cost: 5 })),
        writer.receive(base + 30 * hour, call(c)),
      ],
      earlier,
    );
    await assembleAll(world);
    expect(await costs()).toEqual({ [`${a} 0`]: 0.625, [`${b} 0`]: 0.625, [`${c} 0`]: 0.625 });
  });
  const anew = { [`${a} 0`]: 2.25, [`${b} 0`]: 5, [`${c} 0`]: 0.625 };

  test('is reported by a dry run, which changes nothing', async () => {
    const before = await costs();
    const report = await reread({ isDryRun: true });
    const causes = [
      ['reading', 1.25, 7.25],
      ['price', 7.25, 7.25],
    ];
    expect(report).toEqual({ before: 1.25, after: 7.25, causes });
    expect(await costs()).toEqual(before);
    // Neither does it count in what comes later.
    await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined, isReread: false });
    expect(await costs()).toEqual(before);
  });

  test('comes into force for the days of the range only', async () => {
    expect(await ignored()).toEqual([{ field: 'cost', events: '4' }]);
    await reread();
    expect(await costs()).toEqual(anew);
    expect(await countReadings()).toBe(3);
    // Coverage and explanations know of it.
    expect(await ignored()).toEqual([{ field: 'cost', events: '1' }]);
    const project = await world.projects.find(world.projectId);
    if (!project) throw new Error('the world has a project');
    const sources = { ...world, answerCache: new AnswerCache(world.store) };
    const explained = await readOneCall(project, { eventId: a, ordinal: undefined }, sources);
    expect(explained).toMatchObject({ cost: 2.25, explanation: { reproduced: true } });
  });

  test('counts no dry run beside a reread in force', async () => {
    await reread();
    // It would read the third call anew too, whose day the reread in force leaves out.
    const report = await reread({ isDryRun: true, days: undefined });
    expect(report).toMatchObject({ before: 7.875, after: 9.5 });
    await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined, isReread: false });
    expect(await costs()).toEqual(anew);
  });

  longTest('is told apart from what prices change', async () => {
    const { books } = world;
    const report = await reread({ priceBookId: books[2]?.id });
    const causes = [
      ['reading', 1.25, 7.25],
      ['price', 7.25, 9.050001],
    ];
    expect(report).toEqual({ before: 1.25, after: 9.050001, causes });
  });

  longTest('holds in rebuilds, reprices and another timezone', async () => {
    await reread();
    await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined, isReread: false });
    expect(await costs()).toEqual(anew);
    await reread({ isReread: false });
    expect(await costs()).toEqual(anew);
    await reread({
      kind: 'timezone',
      timezone: 'Asia/Tokyo',
      days: undefined,
      priceBookId: undefined,
      isReread: false,
    });
    expect(await costs()).toEqual(anew);
  });

  test('holds when an event comes late, and when everything is assembled from the log again', async () => {
    await reread();
    await deliver(world, [writer.receive(base + 40 * hour, { event_id: a, event_type: 'x.before', tags: { x: '1' } })]);
    await assembleAll(world);
    expect(await costs()).toEqual(anew);
    await world.control.updateTable('writers').set({ assembled_seq: 0, assembled_received_at: 0 }).execute();
    await assembleAll(world);
    expect(await costs()).toEqual(anew);
  });

  longTest('is read once: again it says the same, and stores nothing', async () => {
    await reread();
    const report = await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined });
    expect(report).toMatchObject({ before: 7.875, after: 9.5 });
    expect(await countReadings()).toBe(4);
    expect(await reread()).toMatchObject({ before: 7.25, after: 7.25 });
    expect(await countReadings()).toBe(4);
  });

  longTest('has the calls that come while it is under way', async () => {
    const id = await ask({});
    await dieAfter('position', 1);
    expect((await readRebuild(id)).state).toBe('running');
    // One late event of a call to be read anew, and one more call.
    const d = newEventId();
    await deliver(world, [
      writer.receive(base + 41 * hour, call(a, { event_type: 'x.before', timestamp: at(base), cost: 1 })),
      writer.receive(base + 41 * hour, call(d, { timestamp: at(base), cost: 11 })),
    ]);
    await assembleAll(world);
    const report = await finish(id);
    const after = { ...anew, [`${a} 0`]: 1, [`${d} 0`]: 11 };
    expect(await costs()).toEqual(after);
    expect(report).toMatchObject({ after: 17 });
  });
});

test('D26.5: of an id with two calls only the one on the days of the range is read anew', async () => {
  const id = newEventId();
  await deliver(world, [writer.receive(base, call(id)), writer.receive(base + 60 * hour, call(id))], earlier);
  await assembleAll(world);
  const second = (await costs())[`${id} 1`];
  await reread();
  expect(await costs()).toEqual({ [`${id} 0`]: 2.25, [`${id} 1`]: second });
  await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined, isReread: false });
  expect(await costs()).toEqual({ [`${id} 0`]: 2.25, [`${id} 1`]: second });
});

longTest('D26.5: what was read anew goes with its event when its day is beyond retention', async () => {
  const { store, control, clock, projectId } = world;
  const kept = newEventId();
  const events = [writer.receive(base, call(newEventId())), writer.receive(base + 60 * hour, call(kept))];
  await deliver(world, events, earlier);
  await assembleAll(world);
  await reread({ kind: 'rebuild', days: undefined, priceBookId: undefined });
  expect(await countReadings()).toBe(2);
  clock.now = base + 200 * hour;
  await control
    .updateTable('projects')
    .set({ frozen_before: '2026-01-30', frozen_at: 0 })
    .where('id', '=', projectId)
    .execute();
  const { lease } = await takeLease(world);
  const clearer = new Clearer({ store, control, lease, logger, clock: () => clock.now, graceMs: 0 });
  const isCleared = async () => {
    await clearer.step();
    const [project] = await control.selectFrom('projects').selectAll().where('id', '=', projectId).execute();
    return project?.cleared_before === '2026-01-30' && !(await store.isDeleting(projectTables));
  };
  await expect.poll(isCleared, { timeout: 60_000 }).toBe(true);
  const left = await store.select(
    `SELECT event_id FROM events WHERE project = {project:String}
      UNION ALL SELECT event_id FROM event_contents WHERE project = {project:String}`,
    { project: projectId },
  );
  expect(left).toEqual([{ event_id: kept }, { event_id: kept }]);
});

test('D26.5: a backup that is under way keeps a reread from coming into force', async () => {
  const id = newEventId();
  await deliver(world, [writer.receive(base, call(id))], earlier);
  await assembleAll(world);
  const { control, clock } = world;
  await control
    .insertInto('backups')
    .values({ id: 'bak_1', created_at: clock.now, expires_at: clock.now + 60 * hour, plan: '' })
    .execute();
  const rebuild = await ask({});
  const rebuilder = await makeRebuilder();
  for (let step = 0; step < 5; step += 1) await rebuilder.step();
  expect(await readRebuild(rebuild)).toMatchObject({ state: 'running' });
  expect(await costs()).toEqual({ [`${id} 0`]: 0.625 });
  await control.deleteFrom('backups').execute();
  await finish(rebuild);
  expect(await costs()).toEqual({ [`${id} 0`]: 2.25 });
});

describe('D26.5: a reread that dies', () => {
  test.each(someOf(rebuildSteps, 1))('after "%s" has changed nothing, and goes on', async (dying) => {
    const ids = Array.from({ length: 8 }, newEventId);
    await deliver(
      world,
      ids.map((id, index) => writer.receive(base + index, call(id))),
      earlier,
    );
    await assembleAll(world);
    const before = await costs();
    const id = await ask({});
    // The first window is done; the second one dies.
    await dieAfter(dying, ['merge', 'reread', 'calls', 'position'].includes(dying) ? 2 : 1);
    if (dying !== 'in-force') expect(await costs()).toEqual(before);
    await finish(id, await makeRebuilder());
    expect(await costs()).toEqual(Object.fromEntries(ids.map((each) => [`${each} 0`, 2.25])));
  });
});

/** The steps of a reprice that reads no events. */
const stepsOfReprice = rebuildSteps.filter((step) => step !== 'merge' && step !== 'reread');

test.each(someOf(stepsOfReprice, 1))(
  'D5.5: a reprice that dies after "%s" has changed nothing, and goes on with what came meanwhile',
  async (dying) => {
    const ids = Array.from({ length: 40 }, newEventId);
    await deliver(
      world,
      ids.map((id, index) => writer.receive(base + index, call(id))),
    );
    await assembleAll(world);
    const before = await costs();
    const id = await ask({ isReread: false, priceBookId: world.books[2]?.id });
    // Of two parts, of 24 calls and 16, the first is copied; the second one dies.
    await dieAfter(dying, dying === 'calls' || dying === 'position' ? 2 : 1, 1);
    if (dying !== 'in-force') expect(await costs()).toEqual(before);
    // Some calls get other usage, copied or not, and one is new.
    const later = [...ids.slice(0, 15), newEventId()];
    await deliver(
      world,
      later.map((each, index) => writer.receive(base + 1_000 + index, call(each, { prompt_tokens: 3_000_000 }))),
    );
    await assembleAll(world);
    await finish(id);
    const after = await costs();
    expect(Object.keys(after)).toHaveLength(41);
    expect(after[`${ids[25]} 0`]).not.toBe(before[`${ids[25]} 0`]);
    // What the log says of the same calls, each by the book of the reprice.
    await reread({ kind: 'rebuild', isReread: false, priceBookId: undefined, days: undefined });
    expect(await costs()).toEqual(after);
  },
);
