import { expect, inject, test } from 'vitest';
import { claimDue } from '../../src/alerting/notifications/deliveries.ts';
import { storeTest } from '../../src/alerting/notifications/enqueue.ts';
import '../support/provided.ts';
import { createDatabase } from '../support/postgres.ts';
import { answer } from './receiver.ts';
import { openWorld, openWorldForEachTest, type World } from './world.ts';

let world: World;
const { receive, untilAttempts } = openWorldForEachTest((opened) => {
  world = opened;
});

/** Claims all that is due as a sender does that dies before it notes anything. */
const claimAndDie = async () => {
  const claimed = await claimDue(world.control, {
    ...{ now: world.now(), sender: 'a sender that is dead', exclusive: false },
    ...{ atMost: 10, busy: new Map(), perEndpoint: 2 },
  });
  expect(claimed).toHaveLength(1);
};

test('D20.5: two senders that claim at the same time send each delivery once', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.addEndpoint({ target: receiver.url });
  for (let index = 0; index < 12; index += 1) await world.notify();
  const notifiers = [world.makeNotifier(), world.makeNotifier(), world.makeNotifier()];
  await Promise.all(notifiers.map((notifier) => notifier.step()));
  await untilAttempts(24);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(24);
  expect(receiver.received).toHaveLength(24);
});

test('D20.5: on PostgreSQL tests that are asked for at once at several instances are ten a minute too', async () => {
  const shared = await openWorld(await createDatabase(inject('postgresUrl')));
  try {
    const { endpoint } = await shared.addEndpoint({ target: 'https://hooks.invalid/' });
    const stores = [shared.control, await shared.openAnother()];
    const asked = Array.from({ length: 14 }, (_, index) => {
      const control = stores[index % stores.length] ?? shared.control;
      return storeTest(control, { projectId: shared.projectId, endpointId: endpoint.id, now: shared.now() });
    });
    expect((await Promise.all(asked)).filter((made) => made !== undefined)).toHaveLength(10);
    expect(await shared.deliveries()).toHaveLength(10);
  } finally {
    await shared.close();
  }
});

test('D20.5: on PostgreSQL three instances that claim at the same time send each delivery once', async () => {
  const shared = await openWorld(await createDatabase(inject('postgresUrl')));
  try {
    const receiver = await receive();
    for (let index = 0; index < 3; index += 1) await shared.addEndpoint({ target: receiver.url });
    for (let index = 0; index < 20; index += 1) await shared.notify();
    const stores = [shared.control, await shared.openAnother(), await shared.openAnother()];
    const notifiers = stores.map((control) => shared.makeNotifier({ control }));
    await Promise.all(notifiers.map((notifier) => notifier.step()));
    await expect.poll(async () => (await shared.attempts()).length, { timeout: 60_000 }).toBe(60);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
    expect(new Set((await shared.deliveries()).map(({ state }) => state))).toEqual(new Set(['delivered']));
  } finally {
    await shared.close();
  }
});

test('D20.5: a delivery whose sender died after it was sent is sent again with its webhook-id, once the claim has expired', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  const [delivery] = await world.deliveries();
  await claimAndDie();
  const notifier = world.makeNotifier();
  await notifier.step();
  expect(await world.attempts()).toEqual([]);
  world.pass(31_000);
  await notifier.step();
  await untilAttempts(1);
  expect(receiver.received.map(({ id }) => id)).toEqual([delivery?.id]);
});

test('D20.5: where no other process can use the store, the claims of dead senders hold nothing up', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  await claimAndDie();
  await world.makeNotifier({ exclusive: true }).step();
  await untilAttempts(1);
});

test('D20.5: without the lease nothing is sent', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  let isHeld = false;
  const notifier = world.makeNotifier({ isHolder: () => isHeld });
  await notifier.step();
  expect(await world.deliveries()).toMatchObject([{ claimed_by: null }]);
  isHeld = true;
  await notifier.step();
  await untilAttempts(1);
});

test('D20.5: a sender that is stopped lets go of what is under way, so that the next one sends it', async () => {
  const silent = await receive((response, nth, received) => {
    if (nth > 0) answer(200)(response, nth, received);
  });
  await world.addEndpoint({ target: silent.url });
  await world.notify();
  const stopped = world.makeNotifier();
  await stopped.step();
  await expect.poll(() => silent.received.length).toBe(1);
  await stopped.close();
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting', failures: 0, claimed_by: null }]);
  expect(await world.attempts()).toEqual([]);
  await world.makeNotifier().step();
  await untilAttempts(1);
  expect(silent.received.map(({ id }) => id)).toEqual([silent.received[0]?.id, silent.received[0]?.id]);
});
