// One project's events that cannot be assembled hold up nobody else's: its project is assembled apart, at its own pace.
import { ClickHouseError } from '@clickhouse/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Assembler } from '../../src/calls/assembly/assembler.ts';
import { listApart, readSetAsideIds } from '../../src/calls/assembly/left-out.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { readWatermarks, readWatermarksOf } from '../../src/calls/assembly/watermarks.ts';
import { keyOf } from '../../src/calls/merging/merge.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Column } from '../../src/storage/analytic/native-block.ts';
import type { Parameters } from '../../src/storage/analytic/row-reader.ts';
import { noSignalBus } from '../../src/storage/control/signals.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { untilCaughtUp } from './caught-up.ts';
import type { Json } from './model.ts';
import {
  base,
  deliver,
  deliverOf,
  forgetWriters,
  makeAssembler,
  newEventId,
  openWorldOfFile,
  outliveLease,
  readCalls,
  type World,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();
const {
  engine: { url, username, password },
} = world;

/** A store that fails as the test says. */
class FailingStore extends AnalyticStore {
  /** Throws to make a statement fail. */
  meet: (statement: string) => void = () => undefined;
  /** How a statement is changed. */
  change: (sql: string) => string = (sql) => sql;

  override async select<Row>(sql: string, parameters: Parameters = {}, withinMs?: number): Promise<Row[]> {
    this.meet(`${sql} ${JSON.stringify(parameters)}`);
    return await super.select<Row>(this.change(sql), parameters, withinMs);
  }

  override async insertRows<Row>(table: string, columns: readonly Column<Row>[], rows: readonly Row[]): Promise<void> {
    this.meet(table);
    await super.insertRows(table, columns, rows);
  }
}

const tooMuchMemory = () =>
  new ClickHouseError({ message: 'Memory limit exceeded', code: '241', type: 'MEMORY_LIMIT_EXCEEDED' });

let running: Assembler | undefined;
let logged: { readonly fields: unknown; readonly message: string | undefined }[] = [];

beforeEach(async () => {
  await forgetWriters(world);
  await world.control.deleteFrom('apart_watermarks').execute();
  await world.control.deleteFrom('set_aside_ids').execute();
  logged = [];
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

function start(store: AnalyticStore, maxEvents = 20_000): Progress {
  outliveLease(world);
  const log = (fields: unknown, message?: string) => void logged.push({ fields, message });
  const clock = () => world.clock.now;
  const progress = new Progress(clock);
  running = new Assembler({
    ...makeAssembler(world, { store, maxEvents }),
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
    writer: 'wrt_idle',
    progress,
    exclusive: true,
    signalBus: noSignalBus,
    storedSeq: () => null,
    idleSince: () => undefined,
    hasUnstored: () => false,
    flush: async () => undefined,
    jobs: [],
  });
  running.start();
  return progress;
}

const openStore = () => new FailingStore({ url, credentials: { username, password } });

/** Another project on the same stores. */
async function openNeighbour(): Promise<World> {
  const fields = { name: 'Other', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const { id } = await world.projects.create(fields, world.priceBooks);
  return { ...world, projectId: id };
}

const outcome = (id: string, more: Json = {}): Json => ({ event_id: id, event_type: 'x.after', cost: 1, ...more });

/** Events of two projects by turns: those of one writer share their sequences. */
async function deliverByTurns(
  worlds: readonly World[],
  writer: Writer,
  ids: readonly string[],
  more: (of: World) => Json = () => ({}),
): Promise<void> {
  const events = ids.map((id, index) => {
    const of = worlds[index % worlds.length] ?? world;
    return { projectId: of.projectId, logged: writer.receive(base + index, outcome(id, more(of))) };
  });
  await deliverOf(world, events);
}

const areCalls = async (of: World, ids: readonly string[]): Promise<true | undefined> =>
  (await readCalls(of, ids)).length === ids.length || undefined;

test('a project whose events the engine refuses waits alone, and is assembled once it no longer does', async () => {
  const neighbour = await openNeighbour();
  const writer = new Writer();
  const ids = Array.from({ length: 8 }, newEventId);
  await deliverByTurns([world, neighbour], writer, ids);
  const [own, others] = [ids.filter((_, index) => index % 2 === 0), ids.filter((_, index) => index % 2 === 1)];
  const store = openStore();
  let isBroken = true;
  store.meet = (statement) => {
    if (isBroken && own.some((id) => statement.includes(id))) throw tooMuchMemory();
  };
  const progress = start(store);

  await poll('the neighbour has its calls', { within: 60_000 }, () => areCalls(neighbour, others));
  await untilCaughtUp(progress, neighbour.projectId);
  expect(await listApart(world.control)).toEqual([world.projectId]);
  expect(await readCalls(world, own)).toEqual([]);
  const [shared] = await readWatermarks(world.control);
  const [apart] = await readWatermarksOf(world.control, world.projectId);
  expect([shared?.seq, apart?.seq]).toEqual([8, 0]);
  expect(logged).toContainEqual({
    fields: { err: expect.anything(), projectId: world.projectId },
    message: 'events of one project could not be assembled, so it is assembled apart',
  });

  isBroken = false;
  await poll('the project has its calls', { within: 60_000 }, () => areCalls(world, own));
  await untilCaughtUp(progress, world.projectId);
  expect(await listApart(world.control)).toEqual([]);
});

/** Outcomes of as many months, and a store that tells of which projects and months each of its INSERTs of calls is. */
async function deliverMonths(writer: Writer, months: number) {
  const ids = Array.from({ length: months }, newEventId);
  const events = ids.map((id, index) =>
    writer.receive(base + index, outcome(id, { timestamp: new Date(Date.UTC(2010, index, 5)).toISOString() })),
  );
  await deliver(world, events);
  const store = openStore();
  const insert = store.insertRows.bind(store);
  const written: { readonly projects: ReadonlySet<string>; readonly months: number }[] = [];
  store.insertRows = async (table, columns, rows) => {
    if (table === 'calls') {
      const calls = rows as unknown as readonly { readonly projectId: string; readonly day: string }[];
      const ofMonths = new Set(calls.map(({ day }) => day.slice(0, 7)));
      written.push({ projects: new Set(calls.map(({ projectId }) => projectId)), months: ofMonths.size });
    }
    await insert(table, columns, rows);
  };
  return { ids, store, written };
}

test('calls of many months hold up no other project: they are written apart, some at a time', async () => {
  const neighbour = await openNeighbour();
  const writer = new Writer();
  const { ids, store, written } = await deliverMonths(writer, 52);
  const narrow = newEventId();
  await deliver(neighbour, [writer.receive(base + 1_000, outcome(narrow))]);
  start(store);
  await poll('the calls of both', { within: 60_000 }, () => areCalls(world, ids));
  await poll('all are together again', { within: 60_000 }, async () =>
    (await listApart(world.control)).length === 0 ? true : undefined,
  );
  expect(await areCalls(neighbour, [narrow])).toBe(true);
  expect(written[0]).toEqual({ projects: new Set([neighbour.projectId]), months: 1 });
  expect(Math.max(...written.map(({ months }) => months))).toBeLessThanOrEqual(50);
});

test('a project with calls of many months that is alone is assembled at once', async () => {
  const { ids, store, written } = await deliverMonths(new Writer(), 52);
  start(store);
  await poll('the calls', { within: 60_000 }, () => areCalls(world, ids));
  expect(written.map(({ months }) => months)).toEqual([50, 2]);
});

test('answers of a project that is assembled apart are refused, relaxed ones too; those of others are not', async () => {
  const neighbour = await openNeighbour();
  await world.control
    .insertInto('apart_watermarks')
    .values({ project_id: world.projectId, writer: 'wrt_gone', assembled_seq: 0, assembled_received_at: base })
    .execute();
  const store = openStore();
  store.meet = (statement) => {
    if (statement.includes('LIMIT {maxEvents:UInt32}')) throw tooMuchMemory();
  };
  const progress = start(store);
  await untilCaughtUp(progress, neighbour.projectId);
  const refused = await Promise.race([
    progress.waitFor(world.projectId, 'relaxed'),
    new Promise((resolve) => setTimeout(() => resolve('waits'), 500)),
  ]);
  expect(refused).toBe('waits');
  await expect.poll(() => running?.failingProjects).toBe(1);
});

test('an id that cannot be assembled at all is set aside, and the other ids of its project are assembled', async () => {
  const writer = new Writer();
  const ids = Array.from({ length: 6 }, newEventId);
  await deliverByTurns([world], writer, ids);
  const [bad = '', ...good] = ids;
  const store = openStore();
  store.meet = (statement) => {
    if (statement.includes(bad)) throw new TypeError('a fault of the code');
  };
  const progress = start(store);
  await poll('the other ids have calls', { within: 60_000 }, () => areCalls(world, good));
  await untilCaughtUp(progress, world.projectId);
  expect([...(await readSetAsideIds(world.control))]).toEqual([keyOf({ projectId: world.projectId, eventId: bad })]);
  expect(logged).toContainEqual({
    fields: { err: expect.any(TypeError), projectId: world.projectId, eventId: bad },
    message: 'events of one id cannot be made into calls, so it is set aside',
  });
});

test('a project whose events are too large to be read with those of others is assembled apart', async () => {
  const neighbour = await openNeighbour();
  const writer = new Writer();
  const ids = Array.from({ length: 8 }, newEventId);
  const tags = Object.fromEntries(Array.from({ length: 100 }, (_, tag) => [`t${tag}`, 'x'.repeat(1_000)]));
  await deliverByTurns([world, neighbour], writer, ids, (of) => (of === world ? { tags } : {}));
  const store = openStore();
  // One of the large events at a time, but for the project alone.
  store.change = (sql) =>
    sql.includes('ORDER BY') ? sql : sql.replace(/max_result_bytes = \d+/, 'max_result_bytes = 250000');
  const progress = start(store);
  await poll('all calls are there', { within: 60_000 }, async () => {
    const [own, others] = [ids.filter((_, index) => index % 2 === 0), ids.filter((_, index) => index % 2 === 1)];
    return (await areCalls(world, own)) && (await areCalls(neighbour, others));
  });
  await untilCaughtUp(progress, world.projectId);
  expect(logged).toContainEqual({
    fields: { projectId: world.projectId },
    message: 'events of one project are large, so it is assembled apart',
  });
});

test('a store that is out of order sets no project apart', async () => {
  const writer = new Writer();
  const ids = [newEventId()];
  await deliverByTurns([world], writer, ids);
  const store = openStore();
  let failures = 0;
  store.meet = (statement) => {
    if (failures < 3 && statement.includes(ids[0] ?? '')) {
      failures += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    }
  };
  start(store);
  await poll('the call is there', { within: 60_000 }, () => areCalls(world, ids));
  expect(failures).toBe(3);
  expect(logged.filter(({ message }) => message?.includes('apart'))).toEqual([]);
});

test('D2: events of a deleted project are skipped', async () => {
  const deleted = await openNeighbour();
  const writer = new Writer();
  const ids = Array.from({ length: 4 }, newEventId);
  await deliverByTurns([deleted, world], writer, ids);
  await world.projects.delete(deleted.projectId);
  const store = openStore();
  store.meet = (statement) => {
    if (statement.includes(ids[0] ?? '')) throw tooMuchMemory();
  };
  start(store);
  await poll('the other project has its calls', { within: 60_000 }, () =>
    areCalls(
      world,
      ids.filter((_, i) => i % 2),
    ),
  );
  await poll('all events are passed', { within: 60_000 }, async () => {
    const marks = await readWatermarks(world.control);
    return marks.every(({ writer: id }) => id !== writer.id) || marks.some(({ seq }) => seq === 4) || undefined;
  });
  expect(await readCalls(deleted, ids)).toEqual([]);
  expect(await listApart(world.control)).toEqual([]);
});

test('an assembler that stops at any statement leaves a project apart with all its events', async () => {
  for (const stop of usualOrLong(
    [5, 11],
    Array.from({ length: 60 }, (_, index) => index + 1),
  )) {
    const neighbour = await openNeighbour();
    const troubled = await openNeighbour();
    const writer = new Writer();
    const ids = Array.from({ length: 12 }, newEventId);
    await deliverByTurns([troubled, neighbour], writer, ids);
    const [own, others] = [ids.filter((_, index) => index % 2 === 0), ids.filter((_, index) => index % 2 === 1)];
    const store = openStore();
    let statements = 0;
    let isStopped = false;
    store.meet = (statement) => {
      statements += 1;
      isStopped ||= statements > stop;
      // As after a kill: nothing more reaches the store.
      if (isStopped) throw Object.assign(new Error('killed'), { code: 'ECONNREFUSED' });
      if (statement.includes('event_ids') && own.filter((id) => statement.includes(id)).length > 1)
        throw tooMuchMemory();
    };
    start(store, 7);
    await poll('it is stopped', { within: 60_000 }, () => isStopped || undefined);
    await running?.stop();
    const progress = start(openStore(), 5);
    await poll(
      'all calls are there',
      { within: 60_000 },
      async () => (await areCalls(neighbour, others)) && (await areCalls(troubled, own)),
    );
    await untilCaughtUp(progress, troubled.projectId);
    await running?.stop();
    await forgetWriters(world);
  }
});
