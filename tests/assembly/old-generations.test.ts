// Replaced generations are deleted once no answer can be reading them.
import { expect, test } from 'vitest';
import { readGenerations } from '../../src/calls/generations.ts';
import { Rebuilder } from '../../src/calls/rebuild/rebuilder.ts';
import { requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import {
  assembleAll,
  base,
  deliver,
  quietLogger as logger,
  minute,
  newEventId,
  openWorldOfFile,
  readsRevenue,
  takeLease,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

/** The generations that a table has rows of. */
async function generationsIn(table: string, column: string): Promise<number[]> {
  const rows = await world.store.select<{ generation: string }>(
    `SELECT DISTINCT ${column} AS generation FROM ${table} WHERE project = {project:String} ORDER BY generation`,
    { project: world.projectId },
  );
  return rows.map(({ generation }) => Number(generation));
}

test('the calls and runs of a generation that was replaced are deleted two minutes later', async () => {
  const { clock, control, projectId } = world;
  const writer = new Writer();
  const call = (customer: string) =>
    writer.receive(base, { event_id: newEventId(), event_type: 'x.after', tags: { customer, run: 'one' } });
  await deliver(world, [call('ada'), call('bob')]);
  await assembleAll(world);

  clock.now = base;
  const { afterStep: _, ...options } = await takeLease(world);
  const rebuilder = new Rebuilder({ ...options, ...readsRevenue(options), clock: () => clock.now, logger });
  const { timezone, base: old } = await readGenerations(control, projectId);
  const request = { projectId, timezone, isDryRun: false, requestedBy: 'admin', priceBookId: undefined };
  await requestRebuild(control, { ...request, kind: 'rebuild', days: undefined, now: clock.now });
  while (await rebuilder.step()) {
    // Until it is in force.
  }
  const { base: current } = await readGenerations(control, projectId);
  expect(current).not.toBe(old);
  const tables = [
    ['calls', 'generation'],
    ['runs', 'base_generation'],
    ['crossing_runs', 'base_generation'],
  ] as const;
  for (const [table, column] of tables) expect(await generationsIn(table, column)).toEqual([old, current]);

  clock.now += 2 * minute + 1;
  await rebuilder.step();
  for (const [table, column] of tables) {
    await expect.poll(() => generationsIn(table, column), { timeout: 60_000 }).toEqual([current]);
  }
});
