// Calls that end long after they began are rebuilt from all of their events.
import { expect, test } from 'vitest';
import { readGenerations } from '../../src/calls/generations.ts';
import { Rebuilder } from '../../src/calls/rebuild/rebuilder.ts';
import { requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import {
  assembleAll,
  base,
  deliver,
  hour,
  makeAssembler,
  newEventId,
  openWorldOfFile,
  outliveLease,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

test('D5.5: a rebuild has the calls whose end came hours after their beginning', async () => {
  const { clock, control, projectId, store } = world;
  const writer = new Writer();
  const event_id = newEventId();
  await deliver(world, [
    writer.receive(base, { event_id, event_type: 'x.before', tags: { customer: 'ada' } }),
    writer.receive(base + 1, { event_id: newEventId(), event_type: 'x.after', cost: 1, tags: { customer: 'bob' } }),
    writer.receive(base + 3 * hour, { event_id, event_type: 'x.after', cost: 2 }),
  ]);
  await assembleAll(world);

  // A window for each event: the end of the first call is hours after its own.
  const { afterStep: _, ...options } = makeAssembler(world, { maxEvents: 1 });
  outliveLease(world);
  expect(await options.lease.acquire()).toBe(true);
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const rebuilder = new Rebuilder({ ...options, clock: () => clock.now, logger });
  const { timezone, base: old } = await readGenerations(control, projectId);
  const request = { projectId, timezone, isDryRun: false, requestedBy: 'admin', priceBookId: undefined };
  await requestRebuild(control, { ...request, kind: 'rebuild', days: undefined, now: clock.now });
  while ((await readGenerations(control, projectId)).base === old) await rebuilder.step();

  const { base: generation } = await readGenerations(control, projectId);
  const calls = await store.select(
    `SELECT customer, toFloat64(cost) AS cost FROM calls FINAL
      WHERE project = {project:String} AND generation = {generation:UInt64} ORDER BY customer`,
    { project: projectId, generation },
  );
  expect(calls).toEqual([
    { customer: 'ada', cost: 2 },
    { customer: 'bob', cost: 1 },
  ]);
});
