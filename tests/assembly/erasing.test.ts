// An erased name is left in no table, rollups and runs included.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGenerations } from '../../src/calls/generations.ts';
import { Rebuilder } from '../../src/calls/rebuild/rebuilder.ts';
import { readDueRebuilds } from '../../src/calls/rebuild/rebuilds.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import { carryOnErasures, requestErasure } from '../../src/server/erasure/erasures.ts';
import type { Lease } from '../../src/storage/control/lease.ts';
import { usualOrLong } from '../support/effort.ts';
import type { LoggedEvent } from './model.ts';
import {
  assembleAll,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  hour,
  idsOf,
  quietLogger as logger,
  minute,
  newEventId,
  openWorldForEachTest,
  outliveLease,
  readsRevenue,
  takeLease,
  type World,
  Writer,
} from './world.ts';

type Erasable = 'customer' | 'user';

let world: World;
await openWorldForEachTest((opened) => {
  world = opened;
});

/** The tables of the analytic store that have a text anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const { store } = world;
  const tables = await store.select<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  );
  const selects = tables.map(
    ({ name }) =>
      `SELECT DISTINCT '${name}' AS name FROM ${name} WHERE position(toString(tuple(*)), {text:String}) > 0`,
  );
  const found = await store.select<{ name: string }>(selects.join(' UNION ALL '), { text });
  return found.map(({ name }) => name);
}

/** Carries erasures out until those of the world's project have finished. */
async function eraseAll(held: Pick<World, 'store' | 'control'> & { readonly lease: Lease }): Promise<void> {
  const clock = () => world.clock.now;
  const unfinished = async () => {
    await carryOnErasures({ ...held, clock });
    const erasures = held.control.selectFrom('erasures').select('id').where('finished_at', 'is', null);
    return await erasures.where('project_id', '=', world.projectId).execute();
  };
  await expect.poll(unfinished, { timeout: 60_000 }).toEqual([]);
}

test('D2: calls whose events came after the request are kept, however long the erasure waits', async () => {
  const name = `customer to be erased ${world.projectId}`;
  const writer = new Writer();
  const [old, late] = [newEventId(), newEventId()];
  const post = async (event_id: string, atMs: number) => {
    const event = { event_id, event_type: 'x.after', cost: 1, tags: { customer: name } };
    await deliver(world, [writer.receive(atMs, { ...event, timestamp: new Date(base).toISOString() })]);
  };
  world.clock.now = base + hour;
  await post(old, base + hour);
  const sources = { control: world.control, clock: () => world.clock.now };
  await requestErasure(sources, world.projectId, 'customer', name);
  world.clock.now += hour;
  await post(late, world.clock.now);
  await assembleAll(world);

  await eraseAll(await takeLease(world));
  for (const table of ['calls FINAL', 'events', 'event_ids']) {
    const rows = await world.store.select<{ id: string }>(
      `SELECT DISTINCT toString(event_id) AS id FROM ${table} WHERE project = {project:String}`,
      { project: world.projectId },
    );
    expect(rows, table).toEqual([{ id: late }]);
  }
});

/** Announces a call of a customer; `end` posts and assembles its outcome, which names nobody. */
async function announceCall(customer: string): Promise<{ end: () => Promise<void> }> {
  const writer = new Writer();
  const event_id = newEventId();
  world.clock.now = base + hour;
  const before = { event_id, event_type: 'x.before', model: 'gpt-4o', tags: { customer } };
  await deliver(world, [writer.receive(world.clock.now, before)]);
  return {
    end: async () => {
      await deliver(world, [writer.receive(world.clock.now, { event_id, event_type: 'x.after', cost: 1 })]);
      await assembleAll(world);
      expect(await tablesWith(customer)).toContain('calls');
    },
  };
}

test('D2: a call whose outcome comes after the request is erased with its earlier events', async () => {
  const name = `customer to be erased ${world.projectId}`;
  const { end } = await announceCall(name);
  const sources = { control: world.control, clock: () => world.clock.now };
  await requestErasure(sources, world.projectId, 'customer', name);
  world.clock.now += hour;
  await end();

  await eraseAll(await takeLease(world));
  expect(await tablesWith(name)).toEqual([]);
  for (const table of ['calls FINAL', 'events', 'event_ids']) {
    const rows = `SELECT 1 FROM ${table} WHERE project = {project:String}`;
    expect(await world.store.select(rows, { project: world.projectId }), table).toEqual([]);
  }
});

test('D2: a call that ends while it is erased leaves no name behind', async () => {
  const name = `customer to be erased ${world.projectId}`;
  const { end } = await announceCall(name);
  await assembleAll(world);
  const held = await takeLease(world);
  const clock = () => world.clock.now;
  const { id } = await requestErasure({ control: world.control, clock }, world.projectId, 'customer', name);
  world.clock.now += hour;
  const stepOf = async () => {
    await carryOnErasures({ ...held, clock });
    const erasures = world.control.selectFrom('erasures').select('step');
    return (await erasures.where('id', '=', id).executeTakeFirstOrThrow()).step;
  };
  // Its calls are deleted, its events are not yet.
  await expect.poll(stepOf, { timeout: 60_000 }).toBe(3);
  await end();

  await eraseAll(held);
  expect(await tablesWith(name)).toEqual([]);
});

/** The log without an erased customer: the ids of its calls go whole, other calls keep the events that don't name it. */
function withoutCustomer(log: readonly LoggedEvent[], name: string): LoggedEvent[] {
  const calls = Map.groupBy(expectedCalls(world, log), ({ eventId }) => eventId);
  const isNamed = ({ event }: LoggedEvent) => event.customer === name;
  const erased = new Set(
    idsOf(log).filter((id) => {
      const ofId = calls.get(id);
      return ofId
        ? ofId.some(({ customer }) => customer === name)
        : log.some((one) => idsOf([one])[0] === id && isNamed(one));
    }),
  );
  return log.filter((logged) => !isNamed(logged) && !erased.has(idsOf([logged])[0] ?? ''));
}

const anyEvent = fc.record(
  {
    id: fc.nat({ max: 11 }),
    event_type: fc.constantFrom('x.before', 'x.before', 'x.after', 'x.error'),
    customer: fc.constantFrom('gone', 'stays', undefined),
    model: fc.constantFrom('m-alpha', 'm-beta', undefined),
    prompt_tokens: fc.constantFrom(1_000, 5, undefined),
  },
  { requiredKeys: ['id', 'event_type'] },
);

test('D2, D4.1: after an erasure the calls of others are those of the events that are left', async () => {
  const { control, projectId } = world;
  const plan = fc.array(fc.tuple(fc.constantFrom(1, minute, 11 * minute), anyEvent), { minLength: 30, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(plan, async (events) => {
      await forgetWriters(world);
      const writer = new Writer();
      const ids = Array.from({ length: 12 }, newEventId);
      let at = world.clock.now + hour;
      const log = events.map(([wait, { id, ...event }]) => {
        at += wait;
        return writer.receive(at, { ...event, event_id: ids[id] });
      });
      await deliver(world, log);
      world.clock.now = at + hour;
      await assembleAll(world);
      const held = await takeLease(world, { maxEvents: 7 });
      const clock = () => world.clock.now;
      await requestErasure({ control, clock }, projectId, 'customer', 'gone');
      world.clock.now += hour;
      outliveLease(world);
      expect(await held.lease.acquire()).toBe(true);
      await eraseAll(held);
      const { afterStep: _, ...options } = held;
      const rebuilder = new Rebuilder({ ...options, ...readsRevenue(options), clock, logger });
      const isDue = async () => (await readDueRebuilds(control)).length > 0;
      while (await isDue()) await rebuilder.step();
      const { base: generation } = await readGenerations(control, projectId);
      const left = await world.store.select(
        `SELECT toString(event_id) AS eventId, ordinal, customer, model FROM calls FINAL
          WHERE project = {project:String} AND generation = {generation:UInt64} AND event_id IN {ids:Array(UUID)}
          ORDER BY toString(event_id), ordinal`,
        { project: projectId, generation, ids },
      );
      const expected = expectedCalls(world, withoutCustomer(log, 'gone'));
      expect(left).toEqual(
        expected.map(({ eventId, ordinal, customer, model }) => ({ eventId, ordinal, customer, model })),
      );
    }),
    { numRuns: usualOrLong(1, 25), endOnFailure: true },
  );
});

// Of a customer there is more than of a user.
test.each(usualOrLong<readonly Erasable[]>(['customer'], ['customer', 'user']))(
  'D2: an erased %s is in no table, rolled up or not',
  async (dimension) => {
    const name = `${dimension} to be erased ${world.projectId}`;
    const writer = new Writer();
    const tags = { [dimension]: name, feature: 'chat', run: 'over midnight' };
    const call = (ms: number) => ({
      ...{ event_id: newEventId(), event_type: 'x.after', cost: 1 },
      ...{ timestamp: new Date(base + ms).toISOString(), tags },
    });
    world.clock.now = base + 100 * hour;
    await deliver(world, [
      writer.receive(base + 99 * hour, call(0)),
      writer.receive(base + 99 * hour, call(24 * hour)),
    ]);
    await assembleAll(world);
    // As a reread leaves it that has found the name in another field.
    await world.store.command(
      `INSERT INTO event_contents (project, event_id, writer, seq, generation, version, received_at, fields)
      SELECT project, event_id, writer, seq, 1, 1, received_at, map('customer_name', {name:String}) FROM events
      WHERE project = {project:String}`,
      { project: world.projectId, name },
    );
    const { store, control, lease, touchedDays } = await takeLease(world);
    const clock = () => world.clock.now;
    const sealer = new Sealer({ store, control, lease, clock, logger, touchedDays, quietMs: 0 });
    while (await sealer.step()) {
      // Until nothing is left.
    }
    const before = await tablesWith(name);
    expect(before).toEqual(expect.arrayContaining(['calls', 'cells', 'event_contents', 'events']));
    if (dimension === 'customer')
      expect(before).toEqual(expect.arrayContaining(['customer_cells', 'run_cells', 'runs']));

    await requestErasure({ control, clock }, world.projectId, dimension, name);
    world.clock.now += hour;
    await eraseAll({ store, control, lease });
    expect(await tablesWith(name)).toEqual([]);
  },
);
