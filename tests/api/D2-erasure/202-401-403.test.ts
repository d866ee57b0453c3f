import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { addRevenue, marginOf } from '../../support/margin.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { readReprice, rebuildProject, repriceDays } from '../../support/reprice.ts';

const farthing = sharedFarthing();

const asAdmin = (project: Project, method: string, path: string) =>
  farthing.send(method, path, { token: farthing.adminToken, headers: { 'farthing-project': project.id } });

const erasures = z.object({
  erasures: z.array(z.object({ id: z.string(), dimension: z.string(), finished_at: z.string().nullable() })),
});

/** Erases and waits until nothing is left. */
async function erase(project: Project, path: string): Promise<void> {
  const { id } = z.strictObject({ id: z.string() }).parse(expectStatus(await asAdmin(project, 'DELETE', path), 202));
  await poll('it is erased', { within: backgroundWithin }, async () => {
    const listed = erasures.parse(expectStatus(await asAdmin(project, 'GET', '/api/erasures/'), 200));
    return listed.erasures.find((one) => one.id === id)?.finished_at ?? undefined;
  });
}

const call = (cost: number, tags: Record<string, string>) => costEvent({ cost, tags });

test('D2: a customer is erased with its calls, its tags and its revenue, and nobody else is', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  await project.post(
    call(1, { customer: 'ann & söhne', user: 'u1' }),
    call(2, { customer: 'bravo', user: 'u1' }),
    // Its customer is known from another event of the call.
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
  // Tags can be set anew without a conflict: none are left.
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

test('D2: a user is erased, and a call that changed hands goes with the one it belongs to', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  await project.post({ event_id: id, event_type: 'x.after', cost: 3, tags: { user: 'old' } });
  expect(await project.totalCost()).toBe(3);
  // The later event wins: the call is of the new user.
  await project.post({ event_id: id, event_type: 'x.after', cost: 3, tags: { user: 'new' } });
  await project.post(call(1, { user: 'old' }));
  expect(await project.totalCost()).toBe(4);
  await erase(project, '/api/users/old/');
  expect(await project.totalCost()).toBe(3);
  await erase(project, '/api/users/new/');
  expect(await project.totalCost()).toBe(0);
});

test('D2: what is posted after an erasure counts anew', async () => {
  const project = await farthing.createProject();
  await project.post(call(1, { customer: 'acme' }));
  await erase(project, '/api/customers/acme/');
  await project.post(call(2, { customer: 'acme' }));
  expect(await project.costBy('customer')).toEqual({ acme: 2 });
});

test('D2: what is posted while an erasure is under way stays whole: its calls keep their events, and revenue stays', async () => {
  const project = await farthing.createProject();
  await project.post(call(1, { customer: 'acme' }));
  let isErased = false;
  const erased = erase(project, '/api/customers/acme/').then(() => {
    isErased = true;
  });
  await poll('the erasure is asked for', { within: 10_000 }, async () => {
    const listed = erasures.parse(expectStatus(await asAdmin(project, 'GET', '/api/erasures/'), 200));
    return listed.erasures[0];
  });
  const later = { external_id: 'later', customer: 'acme', amount: 9, date_from: '2024-05-15' };
  expectStatus(await project.api('POST', '/api/revenue/', { entries: [later] }), 200);
  while (!isErased) {
    await project.post(call(2, { customer: 'acme' }));
    await pause(20);
  }
  await erased;
  const left = await project.totalCost();
  expect(left).toBeGreaterThan(0);
  await rebuildProject(project);
  expect(await project.totalCost()).toBe(left);
  expect(expectStatus(await project.api('GET', '/api/revenue/'), 200)).toMatchObject({
    rows: [{ external_id: 'later' }],
  });
});

test('D2: erasure needs the admin token and a project', async () => {
  const project = await farthing.createProject();
  await project.post(call(1, { customer: 'acme' }));
  expectProblem(await farthing.send('DELETE', '/api/customers/acme/'), 401, 'unauthenticated');
  expectProblem(await project.api('DELETE', '/api/customers/acme/'), 403, 'forbidden');
  expectProblem(await project.api('GET', '/api/erasures/'), 403, 'forbidden');
  expectProblem(await farthing.admin('DELETE', '/api/customers/acme/'), 403, 'forbidden');
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
});

test('D1.1: an erasure is of its project only', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await Promise.all([project, other].map((one) => one.post(call(1, { customer: 'acme' }))));
  await erase(project, '/api/customers/acme/');
  expect(await other.costBy('customer')).toEqual({ acme: 1 });
  expect(expectStatus(await asAdmin(other, 'GET', '/api/erasures/'), 200)).toEqual({
    erasures: [],
    next_cursor: null,
    has_more: false,
  });
});

test('D2: a rebuild at the same time brings nothing back', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 400 }, (_, at) => call(1, { customer: at % 2 === 0 ? 'gone' : 'stays' })));
  await Promise.all([rebuildProject(project), erase(project, '/api/customers/gone/'), rebuildProject(project)]);
  expect(await project.costBy('customer')).toEqual({ stays: 200 });
  await rebuildProject(project);
  expect(await project.costBy('customer')).toEqual({ stays: 200 });
});
