// A rebuild has all calls, also those that end long after they began or arrive during the rebuild.
import { expect, test } from 'vitest';
import { readGenerations } from '../../src/calls/generations.ts';
import { Rebuilder } from '../../src/calls/rebuild/rebuilder.ts';
import { requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import {
  assembleAll,
  base,
  deliver,
  hour,
  quietLogger as logger,
  newEventId,
  openWorldOfFile,
  outliveLease,
  readsRevenue,
  takeLease,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

/** Asks for a rebuild, whose steps take an event each. */
async function beginRebuild() {
  const { clock, control, projectId } = world;
  const { afterStep: _, ...options } = await takeLease(world, { maxEvents: 1 });
  const rebuilder = new Rebuilder({ ...options, ...readsRevenue(options), clock: () => clock.now, logger });
  const { timezone, base: old } = await readGenerations(control, projectId);
  const request = { projectId, timezone, isDryRun: false, requestedBy: 'admin', priceBookId: undefined };
  await requestRebuild(control, { ...request, kind: 'rebuild', days: undefined, now: clock.now });
  return { rebuilder, old, lease: options.lease };
}

/** What the customers of the project cost in the generation that is in force. */
async function readRebuilt() {
  const { store, control, projectId: project } = world;
  const { base: generation } = await readGenerations(control, project);
  return await store.select(
    `SELECT customer, toFloat64(sum(cost)) AS cost FROM calls FINAL
      WHERE project = {project:String} AND generation = {generation:UInt64} GROUP BY customer ORDER BY customer`,
    { project, generation },
  );
}

test('D5.5: a rebuild has the calls whose end came hours after their beginning', async () => {
  const { control, projectId } = world;
  const writer = new Writer();
  const event_id = newEventId();
  await deliver(world, [
    writer.receive(base, { event_id, event_type: 'x.before', tags: { customer: 'ada' } }),
    writer.receive(base + 1, { event_id: newEventId(), event_type: 'x.after', cost: 1, tags: { customer: 'bob' } }),
    writer.receive(base + 3 * hour, { event_id, event_type: 'x.after', cost: 2 }),
  ]);
  await assembleAll(world);

  // A window for each event: the end of the first call is hours after its own.
  const { rebuilder, old } = await beginRebuild();
  while ((await readGenerations(control, projectId)).base === old) await rebuilder.step();

  expect(await readRebuilt()).toEqual([
    { customer: 'ada', cost: 2 },
    { customer: 'bob', cost: 1 },
  ]);
});

test('D5.5: a rebuild has the calls that come while it is under way', async () => {
  const { control, projectId } = world;
  const writer = new Writer();
  const call = (at: number, customer: string) =>
    writer.receive(at, { event_id: newEventId(), event_type: 'x.after', cost: 1, tags: { customer } });
  // Far more than one turn's work.
  await deliver(
    world,
    Array.from({ length: 6 }, (_, index) => call(base + 4 * hour + index, 'cleo')),
  );
  await assembleAll(world);
  const { rebuilder, old, lease } = await beginRebuild();
  await rebuilder.step();
  await deliver(world, [call(base + 5 * hour, 'dora')]);
  await assembleAll(world);
  expect((await readGenerations(control, projectId)).base).toBe(old);
  outliveLease(world);
  expect(await lease.acquire()).toBe(true);
  while ((await readGenerations(control, projectId)).base === old) await rebuilder.step();
  expect(await readRebuilt()).toMatchObject([{}, {}, { customer: 'cleo', cost: 6 }, { customer: 'dora', cost: 1 }]);
});
