// An erased name is left in no table, rollups and runs included.
import { expect, test } from 'vitest';
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
    const left = async () => {
      await carryOnErasures({ store, control, clock, lease });
      const [row] = await control
        .selectFrom('erasures')
        .selectAll()
        .where('project_id', '=', world.projectId)
        .execute();
      return row?.finished_at ?? null;
    };
    await expect.poll(left, { timeout: 60_000 }).not.toBeNull();
    expect(await tablesWith(name)).toEqual([]);
  },
);
