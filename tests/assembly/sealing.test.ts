// When days are sealed, when they are opened again, and when old seals are deleted.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { touchDays } from '../../src/calls/days.ts';
import { readGenerations } from '../../src/calls/generations.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { planPage } from '../../src/reports/asking/page.ts';
import { costsBody, parseCosts } from '../../src/reports/costs/parse.ts';
import { runCosts } from '../../src/reports/costs/run.ts';
import { readNow } from '../../src/reports/facts/as-of.ts';
import { columnsOfRuns, crossingColumn, measuresOf, selectCells } from '../../src/rollups/rollups/cells.ts';
import { dimensionsOf, grainNames, isRunGrain, tablesOf } from '../../src/rollups/rollups/grains.ts';
import { selectRunCells } from '../../src/rollups/rollups/run-cells.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import { cellTableNames, cellTables, hasSeen } from '../../src/storage/analytic/tables/rollups.ts';
import { longTest } from '../support/long-test.ts';
import type { Json } from './model.ts';
import {
  assembleAll,
  base,
  deliver,
  hour,
  minute,
  newEventId,
  openNextWorld,
  startEngineOfFile,
  takeLease,
  type World,
  Writer,
} from './world.ts';

const day = 24 * hour;
const quiet = () => undefined;

const engine = await startEngineOfFile();
let world: World;
/** One cache for all answers of a test: none may be out of date. */
let answerCache: AnswerCache;
let cellCache: CellCache;

beforeEach(async () => {
  world = await openNextWorld(engine, world);
  answerCache = new AnswerCache(world.store);
  cellCache = new CellCache(world.store);
});

afterAll(async () => {
  await world?.close();
});

/** Stores and assembles calls that cost what they say, received an hour into the log. */
async function store(writer: Writer, receivedAt: number, ...calls: Json[]): Promise<void> {
  const events = calls.map((call) =>
    writer.receive(receivedAt, { event_id: newEventId(), event_type: 'x.after', ...call }),
  );
  world.clock.now = Math.max(world.clock.now, receivedAt);
  await deliver(world, events);
  await assembleAll(world);
}

/** A sealer that holds the lease; `onSealing` is called in the middle of its work. */
async function makeSealer(onSealing: () => Promise<void> = async () => undefined): Promise<Sealer> {
  const { store, control, lease, touchedDays } = await takeLease(world);
  const watched = {
    select: store.select.bind(store),
    command: store.command.bind(store),
    commandOnce: async (...parameters: Parameters<typeof store.commandOnce>) => {
      await store.commandOnce(...parameters);
      if (parameters[0].includes('INTO customer_cells')) await onSealing();
    },
  };
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  return new Sealer({
    store: watched,
    control,
    lease,
    clock: () => world.clock.now,
    logger,
    touchedDays,
    quietMs: minute,
  });
}

async function sealAll(sealer: Sealer): Promise<void> {
  while (await sealer.step()) {
    // Until nothing is left.
  }
}

const sealedDays = async () => [...(await readGenerations(world.control, world.projectId)).seals.keys()].sort();

/** The answer of `POST /api/costs/`, which reads whatever is sealed. */
async function askCosts(fields: Json) {
  const { store, control, projects, projectId, clock } = world;
  const project = await projects.find(projectId);
  if (!project) throw new Error('there is no project');
  const body = costsBody.parse({ date_from: '2026-01-01', date_to: '2026-03-01', aggregate: 'all', ...fields });
  const question = parseCosts('costs', projectId, body);
  const plan = planPage(project, question, body, clock.now);
  const progress = new Progress(() => clock.now);
  const sources = { store, answerCache, cellCache, control, clock: () => clock.now, progress };
  return (await runCosts(await readNow(control, project), question, plan, sources)).rows;
}

const at = (ms: number): Json => ({ timestamp: new Date(ms).toISOString() });

test('a day is sealed when it is over and quiet, and open again when a late event comes', async () => {
  const writer = new Writer();
  await store(writer, base + 2 * day, { cost: 1, ...at(base) }, { cost: 2, ...at(base + 2 * day) });
  const sealer = await makeSealer();
  expect(await sealer.step()).toBe(false);
  world.clock.now += 2 * minute;
  await sealAll(sealer);
  // The later day is not over yet.
  expect(await sealedDays()).toEqual(['2026-01-29']);
  expect(await askCosts({})).toMatchObject([{ cost: 3 }]);

  await store(writer, base + 3 * day, { cost: 4, ...at(base + minute) });
  expect(await sealedDays()).toEqual([]);
  expect(await askCosts({})).toMatchObject([{ cost: 7 }]);
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  expect(await sealedDays()).toEqual(['2026-01-29', '2026-01-31']);
  expect(await askCosts({})).toMatchObject([{ cost: 7 }]);
});

longTest('D4.7: a new event of an open day is in the next answer, alone and beside sealed days', async () => {
  const writer = new Writer();
  const call = (ms: number, cost: number) => ({ cost, ...at(ms), tags: { customer: 'ada', feature: 'chat' } });
  await store(writer, base + 2 * day, call(base, 1), call(base + 2 * day, 2));
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  expect(await sealedDays()).toEqual(['2026-01-29']);
  for (const ofOpenDay of [2, 6]) {
    if (ofOpenDay > 2) await store(writer, base + 2 * day, call(base + 2 * day, 4));
    for (const fields of [{}, { group_by: 'customer' }, { customers: ['ada'] }, { models: [''] }]) {
      expect(await askCosts(fields)).toMatchObject([{ cost: 1 + ofOpenDay }]);
      const byDay = { ...fields, aggregate: 'day', date_from: '2026-01-29' };
      expect(await askCosts({ ...byDay, date_to: '2026-01-29' })).toMatchObject([{ cost: 1 }]);
      expect(await askCosts({ ...byDay, date_from: '2026-01-31', date_to: '2026-01-31' })).toMatchObject([
        { cost: ofOpenDay },
      ]);
      const days = await askCosts({ ...byDay, date_to: '2026-01-31' });
      expect(days.filter(({ cost }) => cost !== 0)).toMatchObject([
        { date_from: '2026-01-29', cost: 1 },
        { date_from: '2026-01-31', cost: ofOpenDay },
      ]);
    }
  }
});

test('a seal does not count when the day was touched while it was sealed', async () => {
  await store(new Writer(), base + 3 * day, { cost: 1, ...at(base) });
  world.clock.now += 2 * minute;
  const touched = [{ projectId: world.projectId, day: '2026-01-29' }];
  const sealer = await makeSealer(() => touchDays(world.control, touched, world.clock.now));
  await sealer.step();
  expect(await sealedDays()).toEqual([]);
  expect(await askCosts({})).toMatchObject([{ cost: 1 }]);
});

longTest('days of a project that deletes old events are sealed before those of others', async () => {
  const { control, projects, projectId, clock } = world;
  const made = await projects.create(
    { name: 'short', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null, retentionDays: 1 },
    { activateForNew: async (_id, insert) => insert(control) },
  );
  await touchDays(control, [{ projectId, day: '2026-01-01' }], clock.now);
  await touchDays(control, [{ projectId: made.id, day: '2026-01-02' }], clock.now);
  clock.now += 3 * day;
  const sealer = await makeSealer();
  expect(await sealer.step()).toBe(true);
  expect([...(await readGenerations(control, made.id)).seals.keys()]).toEqual(['2026-01-02']);
  expect(await sealedDays()).toEqual([]);
  expect(await sealer.step()).toBe(true);
  expect(await sealedDays()).toEqual(['2026-01-01']);
});

test('D6.7: a run that comes back on another day, or for another customer, is one run in rows that hold both', async () => {
  const writer = new Writer();
  const call = (ms: number, cost: number, customer: string) => ({
    cost,
    ...at(ms),
    tags: { customer, feature: 'chat', run: 'run-1' },
  });
  await store(writer, base + 3 * day, call(base, 1, 'ada'), call(base + minute, 2, 'ada'));
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  expect(await sealedDays()).toEqual(['2026-01-29']);

  // The day that was sealed knew of no crossing: it must be read anew.
  await store(writer, base + 3 * day + hour, call(base + day, 4, 'bob'));
  expect(await sealedDays()).toEqual([]);
  for (let round = 0; round < 2; round += 1) {
    expect(await askCosts({})).toMatchObject([{ cost: 7, avg_feature_run_cost: 7, max_feature_run_cost: 7 }]);
    expect(await askCosts({ group_by: 'customer' })).toMatchObject([
      { customer: 'ada', avg_feature_run_cost: 3, max_feature_run_cost: 3 },
      { customer: 'bob', avg_feature_run_cost: 4, max_feature_run_cost: 4 },
    ]);
    expect(await askCosts({ customers: ['ada', 'bob', 'eve'] })).toMatchObject([{ max_feature_run_cost: 7 }]);
    expect(await askCosts({ aggregate: 'day', date_from: '2026-01-29', date_to: '2026-01-30' })).toMatchObject([
      { max_feature_run_cost: 3 },
      { max_feature_run_cost: 4 },
    ]);
    world.clock.now += 2 * minute;
    await sealAll(await makeSealer());
    expect(await sealedDays()).toEqual(['2026-01-29', '2026-01-30']);
  }
});

test('D6.7: among several models a run over midnight is one run, and runs of other models are none', async () => {
  const writer = new Writer();
  const call = (ms: number, cost: number, model: string, tags: Json = {}) => ({
    ...{ cost, model, provider: `of ${model}`, ...at(ms) },
    tags: { customer: 'ada', feature: 'chat', run: 'run-1', ...tags },
  });
  const calls = [
    call(base, 1, 'm1'),
    call(base, 2, 'm2'),
    call(base, 8, 'm3'),
    call(base + day, 4, 'm1', { customer: 'bob' }),
    call(base, 16, 'm3', { run: 'run-2' }),
    call(base, 32, 'm2', { feature: '' }),
  ];
  await store(writer, base + 3 * day, ...calls);
  for (const sealed of [[], ['2026-01-29', '2026-01-30']]) {
    expect(await sealedDays()).toEqual(sealed);
    const ask = (fields: Json) => askCosts({ models: ['m1', 'm2'], date_to: '2026-01-31', ...fields });
    const ofRun = { avg_feature_run_cost: 7, max_feature_run_cost: 7 };
    expect(await ask({})).toMatchObject([{ cost: 39, ...ofRun }]);
    expect(await ask({ aggregate: 'month' })).toMatchObject([{ cost: 39, ...ofRun }]);
    expect(await ask({ group_by: 'feature' })).toMatchObject([
      { feature: '', cost: 32, avg_feature_run_cost: 0 },
      { feature: 'chat', cost: 7, ...ofRun },
    ]);
    expect(await ask({ group_by: 'provider', aggregate: 'month' })).toMatchObject([
      { provider: 'of m1', cost: 5, avg_feature_run_cost: 5, max_feature_run_cost: 5 },
      { provider: 'of m2', cost: 34, avg_feature_run_cost: 2, max_feature_run_cost: 2 },
    ]);
    expect(await ask({ group_by: 'customer', aggregate: 'day', date_from: '2026-01-29' })).toMatchObject([
      { customer: 'ada', cost: 35, avg_feature_run_cost: 3 },
      { customer: 'bob', cost: 4, avg_feature_run_cost: 4 },
    ]);
    world.clock.now += 2 * minute;
    await sealAll(await makeSealer());
  }
});

test('the cells of a sealed day are the sums of its calls, for every grain and table', async () => {
  const values = [undefined, 'a', 'b'];
  const calls = Array.from({ length: 40 }, (_, index): Json => {
    const [customer, user, feature] = [values[index % 3], values[index % 2], values[(index >> 2) % 3]];
    // Some calls have no price, and some a unit without one.
    const ofModel =
      index % 4 === 3
        ? { model: 'gpt-5', provider: 'openai', pages: 1 }
        : { model: `m${index % 4}`, provider: `p${(index >> 1) % 3}` };
    return {
      ...ofModel,
      ...(index % 4 !== 3 && index % 8 !== 1 && { cost: 1 + index / 7 }),
      elapsed_ms: index * 1.5,
      usage: { input_tokens: index, output_tokens: 2 * index },
      ...at(base + (index % 5) * hour + (index % 7 === 0 ? day : 0)),
      tags: {
        ...(customer && { customer }),
        ...(user && { user }),
        ...(feature && { feature }),
        ...(index % 4 > 0 && { env: `e${index % 4}` }),
        run_id: `r${index % 6}`,
      },
    };
  });
  await world.projects.change(world.projectId, { tagDimensions: ['env', 'none'] });
  await store(new Writer(), base + 3 * day, ...calls);
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  const parameters = { project: world.projectId, base_generation: 0 };
  const tag = { sql: "tags['env']", parameters: {} };
  let crossing = 0;
  for (const grain of grainNames) {
    for (const table of tablesOf(grain)) {
      const measures = measuresOf(grain, table);
      const runs = isRunGrain(grain) ? 'crossing' : 'none';
      const columns = ['day', ...dimensionsOf(grain), ...measures];
      const sorted = [
        ...columns,
        ...columnsOfRuns(runs).map((name) => (name === crossingColumn ? `arraySort(${name}) AS crossing` : name)),
      ].join(', ');
      const where = { sql: 'project = {project:String}', parameters };
      const ofCalls = await world.store.select<Json>(
        `SELECT ${sorted} FROM (${selectCells({ grain, measures, runs, where, tag }).sql}) ORDER BY ALL`,
        parameters,
      );
      const lacked = [
        ...cellTables[table]
          .filter((name) => !columns.includes(name))
          .map((name) => `${name} = '${name === 'tag_key' ? 'env' : ''}'`),
        ...(runs === 'none' ? ['runs = 0', 'run_cost = 0', 'max_run_cost = 0', 'empty(crossing)'] : []),
        ...(hasSeen(table) && !columns.includes('first_time') ? ['toUnixTimestamp64Milli(last_time) = 0'] : []),
      ];
      const ofTable = await world.store.select<Json>(
        `SELECT ${sorted} FROM ${table} WHERE project = {project:String} AND grain = {grain:String}
          AND ${['1', ...lacked].join(' AND ')} ORDER BY ALL`,
        { ...parameters, grain },
      );
      expect(ofCalls.length, grain).toBeGreaterThan(1);
      expect(ofTable, `${grain} in ${table}`).toEqual(ofCalls);
      crossing += ofTable.filter((row) => Array.isArray(row.crossing) && row.crossing.length > 0).length;
    }
  }
  expect(crossing).toBeGreaterThan(0);
  const names = 'SELECT sumMap(unpriced_reasons) AS reasons, sumMap(partly_priced_names) AS names FROM narrow_cells';
  const named = await world.store.select(`${names} WHERE project = {project:String}`, parameters);
  expect(named).toEqual([{ reasons: { unknown_provider: '5' }, names: { pages: '10' } }]);
});

test('calls with thousands of keys of tags are rolled up within bounded memory; rows of a run with too many keep none', async () => {
  await world.store.command(`INSERT INTO calls (project, day, event_id, version, time, feature, run, tags, cost)
    SELECT 'keys', toDate('2026-01-01'), toUUID(UUIDNumToString(sipHash128(number, feature))), 1, toDateTime64('2026-01-01 09:00:00', 3), feature, 'one run',
      map(concat('key ', toString(number)), 'value'), 1
    FROM numbers(12000) ARRAY JOIN ['', 'chat'] AS feature`);
  const { sql } = selectRunCells({ sql: "project = 'keys'", parameters: {} });
  const rows = await world.store.select(
    `SELECT feature, sum(length(costs)) AS calls, max(length(tags)) AS most_keys, toUInt8(min(has_tags)) AS has
      FROM (${sql}) GROUP BY feature ORDER BY feature`,
    { project: 'keys', base_generation: 0 },
  );
  expect(rows).toEqual([
    { feature: '', calls: '12000', most_keys: '1', has: 1 },
    { feature: 'chat', calls: '12000', most_keys: '0', has: 0 },
  ]);
});

test('D28.3: a tag that becomes a dimension is rolled up for the past, and answers do not wait for it', async () => {
  const { control, projects, projectId, store: analytic } = world;
  const call = (ms: number, cost: number, env: string) => ({
    cost,
    ...at(ms),
    tags: { customer: 'ada', feature: 'chat', run_id: 'r1', ...(env && { env }) },
  });
  await store(new Writer(), base + 4 * day, call(base, 1, 'prod'), call(base, 2, ''), call(base + day, 4, 'prod'));
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  const answer = [
    { tag: '', cost: 2, max_feature_run_cost: 2 },
    { tag: 'prod', cost: 5, avg_feature_run_cost: 5 },
  ];
  const ask = () => askCosts({ group_by: 'tag:env' });
  const readTags = () =>
    analytic.select('SELECT DISTINCT day, tag_key, seal FROM tag_cells WHERE project = {project:String} ORDER BY ALL', {
      project: projectId,
    });
  expect(await ask()).toMatchObject(answer);
  expect(await readTags()).toEqual([]);

  await projects.change(projectId, { tagDimensions: ['env'] });
  const before = await readGenerations(control, projectId);
  expect(before.openDays).toEqual([]);
  expect(await ask()).toMatchObject(answer);
  await sealAll(await makeSealer());
  const { seals } = await readGenerations(control, projectId);
  expect(await readTags()).toEqual(
    [...seals].sort().map(([on, seal]) => ({ day: on, tag_key: 'env', seal: String(seal) })),
  );
  expect([...seals.values()].some((seal) => [...before.seals.values()].includes(seal))).toBe(false);
  // Without the calls: the cells alone answer.
  await analytic.command('ALTER TABLE calls DELETE WHERE project = {project:String} SETTINGS mutations_sync = 1', {
    project: projectId,
  });
  expect(await ask()).toMatchObject(answer);
  expect(
    await askCosts({
      group_by: 'tag:env',
      customers: ['ada'],
      aggregate: 'day',
      date_to: '2026-01-29',
      date_from: '2026-01-29',
    }),
  ).toMatchObject([
    { tag: '', cost: 2 },
    { tag: 'prod', cost: 1, max_feature_run_cost: 1 },
  ]);
});

test('old seals are deleted once no answer can be reading them, and those that count are not', async () => {
  const writer = new Writer();
  await world.projects.change(world.projectId, { tagDimensions: ['env'] });
  await store(writer, base + 3 * day, { cost: 1, ...at(base), tags: { customer: 'acme' } });
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  await store(writer, base + 3 * day + hour, { cost: 2, ...at(base), tags: { customer: 'acme' } });
  world.clock.now += 2 * minute;
  const sealer = await makeSealer();
  await sealAll(sealer);
  const countSeals = async () => {
    const tables = await Promise.all(
      [...cellTableNames, 'run_cells'].map((table) =>
        world.store.select<{ seals: string }>(
          `SELECT uniqExact(seal) AS seals FROM ${table} WHERE project = {project:String}`,
          { project: world.projectId },
        ),
      ),
    );
    return tables.map(([row]) => Number(row?.seals));
  };
  expect(await countSeals()).toEqual([2, 2, 2, 2, 2]);
  // It was found out of use just now, and is deleted two minutes later.
  world.clock.now += minute;
  await sealer.step();
  expect(await countSeals()).toEqual([2, 2, 2, 2, 2]);
  world.clock.now += minute;
  await sealer.step();
  await expect.poll(countSeals, { timeout: 60_000 }).toEqual([1, 1, 1, 1, 1]);
  expect(await askCosts({})).toMatchObject([{ cost: 3 }]);
});

longTest('a batch may have as many runs as calls, however much text their names have', async () => {
  const calls = Array.from(
    { length: 6_000 },
    (_, index): Json => ({
      cost: 1,
      ...at(base),
      tags: {
        run: `a run with a long name, and a quote ' in it ${index}`,
        customer: `customer\t${index}`,
        feature: 'chat',
      },
    }),
  );
  await store(new Writer(), base + 3 * day, ...calls);
  world.clock.now += 2 * minute;
  await sealAll(await makeSealer());
  expect(await sealedDays()).toEqual(['2026-01-29']);
  expect(await askCosts({})).toMatchObject([{ cost: 6_000, avg_feature_run_cost: 1 }]);
});
