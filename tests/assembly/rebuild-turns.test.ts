// Projects take turns at being rebuilt.
import { expect, test } from 'vitest';
import { readGenerations } from '../../src/calls/generations.ts';
import { Rebuilder } from '../../src/calls/rebuild/rebuilder.ts';
import { requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import {
  assembleAll,
  base,
  deliver,
  quietLogger as logger,
  newEventId,
  openWorldOfFile,
  readsRevenue,
  takeLease,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

test('D5.5: the rebuild of a small project ends while that of a large one is under way', async () => {
  const { clock, control, projects, priceBooks } = world;
  const second = { name: 'Small', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const { id: small } = await projects.create(second, priceBooks);
  const large = world.projectId;
  const writer = new Writer();
  const calls = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      writer.receive(base + index, { event_id: newEventId(), event_type: 'x.after', cost: 1 }),
    );
  await deliver(world, calls(200));
  await deliver({ ...world, projectId: small }, [
    writer.receive(base + 1_000, { event_id: newEventId(), event_type: 'x.after', cost: 1 }),
  ]);
  await assembleAll(world);

  // A step for each call: two hundred of them are far more than one turn's work.
  const { afterStep: _, ...options } = await takeLease(world, { maxEvents: 1 });
  const rebuilder = new Rebuilder({ ...options, ...readsRevenue(options), clock: () => clock.now, logger });
  const ask = async (projectId: string) => {
    const { timezone } = await readGenerations(control, projectId);
    const request = { kind: 'rebuild', isDryRun: false, requestedBy: 'admin', priceBookId: undefined } as const;
    return await requestRebuild(control, { ...request, projectId, timezone, days: undefined, now: clock.now });
  };
  const stateOf = async (id: string) =>
    (await control.selectFrom('rebuilds').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;

  const { id: ofLarge } = await ask(large);
  await rebuilder.step();
  expect(await stateOf(ofLarge)).toBe('running');
  const { id: ofSmall } = await ask(small);
  while ((await stateOf(ofSmall)) !== 'done') await rebuilder.step();
  expect(await stateOf(ofLarge)).toBe('running');
});
