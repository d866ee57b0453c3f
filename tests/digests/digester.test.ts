import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Project } from '../../src/accounts/projects.ts';
import { Digester } from '../../src/alerting/digester/digester.ts';
import { exampleDigest } from '../../src/alerting/digests/wire.ts';
import { changeEndpoint } from '../../src/alerting/notifications/endpoints.ts';
import type { ControlQueries } from '../../src/storage/control/control-store.ts';
import type { Lease } from '../../src/storage/control/lease.ts';
import { openWorld, type World } from '../notifications/world.ts';
import { usualOrLong } from '../support/effort.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const weekly = { every: 'weekly', day: 1, hour: 8 } as const;
const url = 'https://hooks.example.com/';

/** A process that may die at any step. All hold the lease, as one does that has not noticed its loss. */
function startInstance(digest = exampleDigest) {
  const project = { id: world.projectId, name: 'p', timezone: 'UTC' } as Project;
  const read: string[] = [];
  const digester = new Digester({
    ...{ control: world.control, clock: world.now, logger: pino({ level: 'silent' }), everyMs: 0 },
    projects: { find: async () => project },
    lease: { confirm: async (_: ControlQueries) => undefined } as Lease,
    readDigest: async (_project, every, { now, before }) => {
      read.push(now.dateFrom);
      return {
        ...digest,
        ...{ every, date_from: now.dateFrom, date_to: now.dateTo },
        ...{ before_from: before.dateFrom, before_to: before.dateTo },
      };
    },
  });
  const run = async (steps: number) => {
    for (let done = 0; done < steps; done += 1) {
      await digester.step();
      await new Promise(setImmediate);
    }
  };
  return { run, read };
}

const daysOf = async () =>
  (await world.deliveries()).map(({ endpoint_id: endpoint, content }) => {
    const { date_from, date_to } = JSON.parse(content ?? '').data;
    return `${endpoint} ${date_from} ${date_to}`;
  });
const dayMs = 86_400_000;

test('D33: a period has one digest for each endpoint, whatever dies and however many instances there are', async () => {
  const { endpoint } = await world.addEndpoint({ target: url, digest: weekly });
  const { endpoint: monthly } = await world.addEndpoint({ target: url, digest: { every: 'monthly', day: 3, hour: 0 } });
  let instances = [startInstance(), startInstance(), startInstance()];
  const action = fc.record({
    of: fc.nat(2),
    steps: fc.nat(4),
    dies: fc.boolean(),
    days: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 40 }), async (actions) => {
      for (const { of, steps, dies, days } of actions) {
        world.pass(days * dayMs);
        await instances[of]?.run(steps);
        if (dies) instances[of] = startInstance();
      }
      // Whoever is left catches up, so no week is missing: the clock moved by less than one since.
      await Promise.all(instances.map(({ run }) => run(6)));
    }),
    { numRuns: usualOrLong(3, 30) },
  );
  const sent = await daysOf();
  expect(new Set(sent).size).toBe(sent.length);
  for (const id of [endpoint.id, monthly.id]) expect(sent.some((line) => line.startsWith(id))).toBe(true);
  const weeks = sent.filter((line) => line.startsWith(endpoint.id)).map((line) => line.split(' ')[1] ?? '');
  expect(weeks.every((day) => new Date(day).getUTCDay() === 1)).toBe(true);
  instances = [];
});

test('D33: the first digest is the next that is due, and a disabled endpoint, a quiet project and none get none', async () => {
  await world.addEndpoint({ target: url });
  const { endpoint } = await world.addEndpoint({ target: url, digest: weekly });
  const instance = startInstance();
  await instance.run(4);
  expect([instance.read, await daysOf()]).toEqual([[], []]);
  world.pass(7 * dayMs);
  await startInstance({ ...exampleDigest, calls: { now: 0, before: 0 }, revenue: null }).run(4);
  expect(await daysOf()).toEqual([]);
  // Its days are over: they are not told later.
  await instance.run(4);
  expect(await daysOf()).toEqual([]);
  world.pass(7 * dayMs);
  const change = { target: undefined, alerts: undefined, digest: undefined };
  const set = (isEnabled: boolean) =>
    changeEndpoint({ control: world.control, clock: world.now }, world.projectId, endpoint.id, {
      ...change,
      isEnabled,
    });
  await set(false);
  await instance.run(4);
  expect(await daysOf()).toEqual([]);
  await set(true);
  await instance.run(4);
  expect(await daysOf()).toHaveLength(1);
});
