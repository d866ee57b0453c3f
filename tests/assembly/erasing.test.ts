// An erased name is left in no table, rollups and runs included.
import { expect, test } from 'vitest';
import type { Lease } from '../../src/calls/assembly/lease.ts';
import { Sealer } from '../../src/calls/rollups/sealer.ts';
import { carryOnErasures, requestErasure } from '../../src/customers/erasures.ts';
import { usualOrLong } from '../support/effort.ts';
import {
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
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await store.select(
      `SELECT 1 FROM ${name} WHERE position(toString(tuple(*)), {text:String}) > 0 LIMIT 1`,
      {
        text,
      },
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Carries erasures out until that of the world's project has finished. */
async function eraseAll(held: Pick<World, 'store' | 'control'> & { readonly lease: Lease }): Promise<void> {
  const clock = () => world.clock.now;
  const finishedAt = async () => {
    await carryOnErasures({ ...held, clock });
    const erasures = held.control.selectFrom('erasures').selectAll();
    return (await erasures.where('project_id', '=', world.projectId).executeTakeFirst())?.finished_at ?? null;
  };
  await expect.poll(finishedAt, { timeout: 60_000 }).not.toBeNull();
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
  await expect.poll(stepOf, { timeout: 60_000 }).toBe(2);
  await end();

  await eraseAll(held);
  expect(await tablesWith(name)).toEqual([]);
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
      `INSERT INTO event_readings (project, event_id, writer, seq, generation, version, received_at, fields)
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
    expect(before).toEqual(expect.arrayContaining(['calls', 'cells', 'event_readings', 'events']));
    if (dimension === 'customer')
      expect(before).toEqual(expect.arrayContaining(['customer_cells', 'run_cells', 'runs']));

    await requestErasure({ control, clock }, world.projectId, dimension, name);
    world.clock.now += hour;
    await eraseAll({ store, control, lease });
    expect(await tablesWith(name)).toEqual([]);
  },
);
