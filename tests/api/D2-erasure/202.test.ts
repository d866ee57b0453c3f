import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { addRevenue, marginOf } from '../../support/margin.ts';
import { poll } from '../../support/poll.ts';
import { readReprice, rebuildProject, repriceDays } from '../../support/reprice.ts';
import { asAdmin, erase, erasures } from './support.ts';

const farthing = sharedFarthing();
const call = (cost: number, tags: Record<string, string>) => costEvent({ cost, tags });

test('D1.1, D2: customers and users are erased with all that is theirs, from one project, and what is posted meanwhile stays', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const name = 'ann & söhne';
  const [id, moved] = [randomUUID(), randomUUID()];
  await other.post(call(1, { customer: name, user: 'old' }));
  await project.post(
    call(1, { customer: name, user: 'u1' }),
    call(2, { customer: 'bravo', user: 'u1' }),
    call(16, { customer: 'charlie', user: 'old' }),
    costEvent({ event_id: moved, cost: 8, tags: { customer: 'charlie', user: 'old' } }),
    // The customer comes from another event of the call.
    { event_id: id, event_type: 'x.before', tags: { customer: name } },
  );
  await project.post(
    { event_id: id, event_type: 'x.after', cost: 4 },
    // The later event wins: the call belongs to the new user.
    costEvent({ event_id: moved, cost: 8, tags: { customer: 'charlie', user: 'new' } }),
  );
  await project.tag({ customer_name: name, tags: { plan: 'pro' } }, { customer_name: 'bravo', tags: { plan: 'pro' } });
  await addRevenue(
    project,
    { external_id: 'i-1', customer: name, amount: 10, date_from: '2024-05-15' },
    { external_id: 'i-2', customer: 'bravo', amount: 20, date_from: '2024-05-15' },
  );
  expect(await project.costBy('customer')).toEqual({ [name]: 5, bravo: 2, charlie: 24 });
  const may = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all', group_by: 'customer' };
  const revenueOf = async () =>
    Object.fromEntries((await marginOf(project, may)).rows.map(({ customer, revenue }) => [customer, revenue]));
  expect(await revenueOf()).toEqual({ [name]: 10, bravo: 20, charlie: 0 });
  const { id: reprice } = await repriceDays(project, { date_from: '2024-05-01', date_to: '2024-05-31' });
  const named = async () => (await readReprice(project, reprice)).by_customer.map(({ customer }) => customer);
  expect((await named()).toSorted()).toEqual([name, 'bravo', 'charlie']);

  // A rebuild at the same time brings nothing back.
  const rebuilt = rebuildProject(project);
  const erased = [`/api/customers/${encodeURIComponent(name)}/`, '/api/users/old/'].map((path) => erase(project, path));
  await poll('the erasures are listed', { within: 60_000 }, async () => {
    const listed = erasures.parse(expectStatus(await asAdmin(project, 'GET', '/api/erasures/'), 200));
    return listed.erasures.length === 2 ? true : undefined;
  });
  await project.post(call(32, { customer: 'bravo' }));
  await Promise.all([...erased, rebuilt]);
  const left = { bravo: 34, charlie: 8 };
  expect(await project.costBy('customer')).toEqual(left);
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(34);
  expect(await revenueOf()).toEqual({ bravo: 20, charlie: 0 });
  expect((await project.api('GET', '/api/revenue/')).text).not.toContain('i-1');
  expect((await project.api('GET', '/api/events/')).text).not.toContain('söhne');
  // Tags can be set without a conflict, because none are left.
  expectStatus(await project.postTags([{ customer_name: name, tags: { plan: 'free' } }]), 200);

  // The reports of reprices lose the name, and still add up.
  expect((await named()).toSorted()).toEqual(['bravo', 'charlie']);
  expect(await readReprice(project, reprice)).toMatchObject({
    before: 27,
    after: 27,
    others: { customers: 1, before: 1, after: 1 },
  });

  // The events are gone too, and those that stay are whole. Events posted afterwards count.
  await rebuildProject(project);
  await project.post(call(64, { customer: name }));
  expect(await project.costBy('customer')).toEqual({ ...left, [name]: 64 });
  expect(await other.costBy('customer')).toEqual({ [name]: 1 });
  expect(expectStatus(await asAdmin(other, 'GET', '/api/erasures/'), 200)).toEqual({
    erasures: [],
    next_cursor: null,
    has_more: false,
  });
});

longTest('D2: a user is erased, and a call that moved to another user is erased with that one', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  await project.post({ event_id: id, event_type: 'x.after', cost: 3, tags: { user: 'old' } });
  expect(await project.totalCost()).toBe(3);
  // The later event wins: the call belongs to the new user.
  await project.post({ event_id: id, event_type: 'x.after', cost: 3, tags: { user: 'new' } });
  await project.post(call(1, { user: 'old' }));
  expect(await project.totalCost()).toBe(4);
  await erase(project, '/api/users/old/');
  expect(await project.totalCost()).toBe(3);
  await erase(project, '/api/users/new/');
  expect(await project.totalCost()).toBe(0);
});

test('D2, D4.1: a call of another customer is made again without the erased events, and is reproduced', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 1 });
  const [shared, own, later] = [randomUUID(), randomUUID(), randomUUID()];
  const usage = { event_type: 'x.after', prompt_tokens: 1_000_000, timestamp: '2024-05-15T12:00:00Z' };
  // The log begins with the erased events: what is left of their calls was received later.
  const begun = { event_type: 'x.before', model: 'm1', tags: { customer: 'acme' } };
  await project.post({ event_id: shared, ...begun }, { event_id: later, ...begun });
  await project.post(
    // The model comes from an event of the erased customer.
    { event_id: shared, ...usage, tags: { customer: 'bravo' } },
    { event_id: later, ...usage, model: 'm1', tags: { customer: 'bravo' } },
    { event_id: own, ...usage, model: 'm1', tags: { customer: 'bravo' } },
  );
  expect(await project.costBy('customer')).toEqual({ bravo: 9 });
  const close = expectStatus(await project.api('POST', '/api/closes/', { through: '2024-05-31' }), 201);
  // It has finished when no call is made of erased events any more.
  await erase(project, '/api/customers/acme/');
  expect(await project.totalCost()).toBe(6);
  const call = expectStatus(await project.api('GET', `/api/calls/${shared}/`), 200);
  expect(call).toMatchObject({ model: '', explanation: { reproduced: true } });
  const drift = await project.api('POST', `/api/closes/${Object(close).id}/drift/`, { group_by: 'cause' });
  expect(Object(expectStatus(drift, 200)).rows).toEqual([{ cause: 'erasure', cost: -3 }]);
  await rebuildProject(project);
  expect(await project.costBy('customer')).toEqual({ bravo: 6 });
  expectStatus(await project.api('GET', `/api/calls/${later}/`), 200);
});
