// D32.2 on real stores: a loop in a project that has spent a little for days.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listFirings, toFiring } from '../../../src/alerting/alerts/firings.ts';
import { resolveSettings } from '../../../src/alerting/alerts/settings.ts';
import { findRunaways, type RecentTotal } from '../../../src/alerting/kinds/runaway/rule.ts';
import { calcLimit, calcUsual, type Peak } from '../../../src/alerting/kinds/runaway/usual.ts';
import { assembleAll, at, deliver, openWorldOfFile, Writer } from '../../assembly/world.ts';
import { addEndpoint, makeProjectAt, readMessages, startLooker } from '../world.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const settings = resolveSettings('runaway', {});

test('D32.2: a loop of $40 an hour beside $5 an hour fires within a minute of its limit, and ends with its rate', async () => {
  const world = await openWorldOfFile();
  const begins = Date.UTC(2026, 4, 12, 9);
  const project = await makeProjectAt(world, begins, 'UTC');
  const endpoint = await addEndpoint(world, project);
  const looker = startLooker(world, project, { only: 'runaway' });
  const writer = new Writer();
  const receive = async (calls: readonly { at: number; cost: number; tags: Record<string, string> }[]) => {
    const receivedAt = Math.max(world.clock.now, ...calls.map((call) => call.at));
    world.clock.now = receivedAt;
    const events = calls.map((call) =>
      writer.receive(receivedAt, {
        ...{ event_id: randomUUID(), event_type: 'x.after', model: 'gpt-4o', cost: call.cost },
        ...{ timestamp: at(call.at), tags: call.tags },
      }),
    );
    await deliver({ ...world, projectId: project.id }, events);
    await assembleAll(world);
  };
  await looker.lookThrough();
  // Runs of a feature spend half a dollar in a call every six minutes, by four customers in turn.
  const usually = (from: number, to: number) =>
    Array.from({ length: Math.floor((to - from) / (6 * minute)) }, (_, index) => {
      const of = Math.floor(index / 2);
      return {
        ...{ at: from + index * 6 * minute, cost: 0.5 },
        tags: { run_id: `run ${from} ${of}`, customer: `c${of % 4}`, feature: 'agent' },
      };
    });
  const loopAt = begins + 4 * 24 * hour;
  await receive(usually(begins, loopAt));
  const firings = async () => {
    await looker.lookThrough();
    const question = {
      projectId: project.id,
      kind: 'runaway',
      state: undefined,
      limit: 10,
      cursor: undefined,
    } as const;
    return (await listFirings(world.control, question)).rows.map(toFiring);
  };
  expect(await firings()).toEqual([]);

  // Two runs of a day may spend a dollar in ten minutes, so three dollars are the limit.
  const everyMs = 15 * second;
  const cost = 40 / (hour / everyMs);
  let [passedAt, firedAt] = [0, 0];
  for (let step = 1; firedAt === 0 && step < 60; step += 1) {
    const now = loopAt + step * everyMs;
    await receive([{ at: now, cost, tags: { run_id: 'loop', customer: 'c1', user: 'ann', feature: 'agent' } }]);
    if (passedAt === 0 && step * cost >= 3) passedAt = now;
    const [fired] = await firings();
    if (fired) firedAt = world.clock.now;
  }
  expect(firedAt).toBeGreaterThanOrEqual(passedAt);
  expect(firedAt - passedAt).toBeLessThan(minute);
  const fired = await firings();
  expect(fired).toMatchObject([
    {
      subject: { run: 'loop' },
      numbers: { usual: 1, limit: 3, minutes: 10, customer: 'c1', user: 'ann', feature: 'agent' },
      path: '/runs/loop',
      ended_at: null,
    },
  ]);
  const [{ numbers = {}, text = '', title = '' } = {}] = fired;
  expect(numbers.spent).toBeGreaterThanOrEqual(3);
  // The loop began five minutes ago, not ten.
  expect(numbers.spent_per_hour).toBeGreaterThan(35);
  expect(numbers.spent_per_hour).toBeLessThan(48);
  expect(numbers.last_calls).toHaveLength(5);
  expect(numbers.last_calls).toMatchObject([{ model: 'gpt-4o', cost: 0.166666666667 }, {}, {}, {}, {}]);
  expect(title).toMatch(/^The run loop has spent \$3\.\d\d in 10 minutes$/);
  expect(text).toMatch(
    /of feature agent, customer c1\. At most \$1\.00 is usual, and the limit is \$3\.00\. Last: gpt-4o at 2026-\d\d-\d\d \d\d:\d\d:\d\d UTC for/,
  );

  // It goes on, and then stops. No call tells that.
  let open = await firings();
  const stopAt = world.clock.now + 2 * minute;
  for (let now = world.clock.now + everyMs; now <= stopAt; now += everyMs) {
    await receive([{ at: now, cost, tags: { run_id: 'loop', customer: 'c1', user: 'ann', feature: 'agent' } }]);
  }
  for (let waited = 0; open[0]?.ended_at === null && waited < 20; waited += 1) {
    world.clock.now += minute;
    open = await firings();
  }
  expect(open).toHaveLength(1);
  const endedMs = Date.parse(open[0]?.ended_at ?? '') - stopAt;
  expect(endedMs).toBeGreaterThan(4 * minute);
  expect(endedMs).toBeLessThan(11 * minute);
  expect((await readMessages(world, endpoint, 'runaway')).map(({ event }) => event).sort()).toEqual(['ended', 'fired']);
});

const window = (
  what: RecentTotal['what'],
  name: string,
  spent: number,
  fields: Partial<RecentTotal> = {},
): RecentTotal => ({
  ...{ what, name, spent, calls: 1, firstMs: 0, feature: 'f', customer: '', user: '' },
  ...fields,
});
const peak = (what: Peak['what'], name: string, spent: number, feature = ''): Peak => ({ what, name, spent, feature });

test('D32.2: usual is the third highest of the days, of its own or of its peers', () => {
  const days = [5, 1, 2, 9, 3].map((spent) => [
    peak('run', 'elsewhere', 90, 'g'),
    peak('run', 'own', 70, 'f'),
    peak('run', 'other', spent, 'f'),
    peak('customer', 'acme', spent),
  ]);
  expect(calcUsual({ what: 'run', name: 'own', feature: 'f' }, days)).toBe(3);
  expect(calcUsual({ what: 'run', name: 'new', feature: 'f' }, days)).toBe(70);
  expect(calcUsual({ what: 'run', name: 'new', feature: 'none' }, days)).toBe(0);
  expect(calcUsual({ what: 'customer', name: 'acme', feature: 'f' }, days)).toBe(3);
  expect(calcUsual({ what: 'customer', name: 'new', feature: '' }, days)).toBe(3);
  expect(calcUsual({ what: 'customer', name: 'acme', feature: '' }, days.slice(0, 2))).toBe(0);
  expect(calcUsual({ what: 'run', name: 'new', feature: 'f' }, [])).toBeUndefined();
});

test('D32.2: the limit is the factor times the usual, at least the smallest amount, at most the fixed one', () => {
  const limit = (usual: number | undefined, what: RecentTotal['what'], names: number, amount = 0) =>
    calcLimit({ usual, what, names }, { ...settings, amount });
  expect(limit(0.1, 'run', 0)).toBe(2);
  expect(limit(5, 'run', 1_000)).toBe(15);
  expect(limit(5, 'customer', 32)).toBeCloseTo(30);
  expect(limit(undefined, 'run', 0)).toBe(20);
  expect(limit(undefined, 'run', 0, 7)).toBe(7);
  expect(limit(5, 'run', 0, 7)).toBe(7);
});

test('D32.2: a runaway is told once, by the run or user that has spent most of it', () => {
  const days = Array.from({ length: 3 }, () => [peak('run', 'r0', 1, 'f'), peak('customer', 'acme', 0.5)]);
  const find = (...windows: RecentTotal[]) =>
    findRunaways({ windows, days }, settings).map(({ what, name, state }) => `${what} ${name} ${state}`);
  const acme = window('customer', 'acme', 10);
  expect(find(acme)).toEqual(['customer acme holds']);
  expect(find(acme, window('run', 'r1', 9, { customer: 'acme' }))).toEqual(['run r1 holds']);
  expect(find(acme, window('run', 'r1', 4, { customer: 'acme' }))).toEqual(['customer acme holds', 'run r1 holds']);
  expect(find(acme, window('user', 'ann', 9, { customer: 'acme' }))).toEqual(['user ann holds']);
  // One run as others are.
  expect(find(window('customer', 'acme', 2.5), window('run', 'r1', 2.4, { customer: 'acme' }))).toEqual([
    'run r1 lingers',
  ]);
  expect(find(window('run', 'r1', 1.4))).toEqual([]);
});

test('D32.2: many new customers that spend alike are no runaways, but those that spend far more are', () => {
  const days = [[peak('customer', 'acme', 0.1)]];
  const find = (...windows: RecentTotal[]) => findRunaways({ windows, days }, settings).map(({ name }) => name);
  const begun = Array.from({ length: 200 }, (_, index) => window('customer', `new ${index}`, 2));
  expect(find(...begun)).toEqual([]);
  expect(find(...begun, window('customer', 'loop', 9), window('customer', 'loop 2', 30))).toEqual(['loop', 'loop 2']);
  expect(find(...begun.slice(0, 3))).toHaveLength(3);
});
