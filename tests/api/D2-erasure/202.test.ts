import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { addRevenue, marginOf } from '../../support/margin.ts';
import { readReprice, rebuildProject, repriceDays } from '../../support/reprice.ts';
import { erase } from './support.ts';

const farthing = sharedFarthing();
const call = (cost: number, tags: Record<string, string>) => costEvent({ cost, tags });

test('D2: a customer is erased with its calls, tags and revenue, and no other customer is', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  await project.post(
    call(1, { customer: 'ann & söhne', user: 'u1' }),
    call(2, { customer: 'bravo', user: 'u1' }),
    // The customer comes from another event of the call.
    { event_id: id, event_type: 'x.before', tags: { customer: 'ann & söhne' } },
  );
  await project.post({ event_id: id, event_type: 'x.after', cost: 4 });
  await project.tag(
    { customer_name: 'ann & söhne', tags: { plan: 'pro' } },
    { customer_name: 'bravo', tags: { plan: 'pro' } },
  );
  await addRevenue(
    project,
    { external_id: 'i-1', customer: 'ann & söhne', amount: 10, date_from: '2024-05-15' },
    { external_id: 'i-2', customer: 'bravo', amount: 20, date_from: '2024-05-15' },
  );
  expect(await project.costBy('customer')).toEqual({ 'ann & söhne': 5, bravo: 2 });
  const may = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all', group_by: 'customer' };
  const revenueOf = async () =>
    Object.fromEntries((await marginOf(project, may)).rows.map(({ customer, revenue }) => [customer, revenue]));
  expect(await revenueOf()).toEqual({ 'ann & söhne': 10, bravo: 20 });
  const { id: reprice } = await repriceDays(project, { date_from: '2024-05-01', date_to: '2024-05-31' });
  const named = async () => (await readReprice(project, reprice)).by_customer.map(({ customer }) => customer);
  expect(await named()).toEqual(['ann & söhne', 'bravo']);

  await erase(project, `/api/customers/${encodeURIComponent('ann & söhne')}/`);
  expect(await project.costBy('customer')).toEqual({ bravo: 2 });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(2);
  expect(await revenueOf()).toEqual({ bravo: 20 });
  expect((await project.api('GET', '/api/revenue/')).text).not.toContain('i-1');
  expect((await project.api('GET', '/api/events/')).text).not.toContain('söhne');
  // Tags can be set without a conflict, because none are left.
  expectStatus(await project.postTags([{ customer_name: 'ann & söhne', tags: { plan: 'free' } }]), 200);

  // The reports of reprices lose the name, and still add up.
  expect(await named()).toEqual(['bravo']);
  expect(await readReprice(project, reprice)).toMatchObject({
    before: 3,
    after: 3,
    others: { customers: 1, before: 1, after: 1 },
  });

  // The events are gone too: a rebuild brings nothing back.
  await rebuildProject(project);
  expect(await project.costBy('customer')).toEqual({ bravo: 2 });
});

test('D2: a user is erased, and a call that moved to another user is erased with that one', async () => {
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
