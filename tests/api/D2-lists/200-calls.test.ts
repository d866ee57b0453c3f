// What lists say of calls. No name is of the control store alone.
import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { isLong } from '../../support/effort.ts';
import { changeTimezone, rebuildProject } from '../../support/reprice.ts';
import { allNames, list, of, page } from './support.ts';

const farthing = sharedFarthing();

test('D2: each list has the values of its dimension with their first and last time and their number of calls', async () => {
  const project = await farthing.createProject();
  await project.post(
    of({
      timestamp: '2024-05-03T10:00:00.123Z',
      tags: { customer: 'acme', user: 'ann', feature: 'chat' },
      model: 'm',
      provider: 'p',
    }),
    of({
      timestamp: '2024-05-01T10:00:00+02:00',
      tags: { customer: 'acme', user: 'bob', feature: 'find' },
      model: 'm',
      provider: 'q',
    }),
    of({ timestamp: '2024-05-02T10:00:00Z', tags: { customer: 'zeta' } }),
  );
  const [first, last] = ['2024-05-01T08:00:00.000Z', '2024-05-03T10:00:00.123Z'];
  const middle = '2024-05-02T10:00:00.000Z';
  const nobody = { name: '', first_seen: middle, last_seen: middle, calls: 1 };
  const once = (name: string, time: string) => ({ name, first_seen: time, last_seen: time, calls: 1 });
  expect((await list(project, 'customers')).rows).toEqual([
    { name: 'acme', first_seen: first, last_seen: last, calls: 2, tags: {} },
    { ...once('zeta', middle), tags: {} },
  ]);
  expect((await list(project, 'users')).rows).toEqual([
    { ...nobody, tags: {} },
    { ...once('ann', last), tags: {} },
    { ...once('bob', first), tags: {} },
  ]);
  expect((await list(project, 'features')).rows).toEqual([nobody, once('chat', last), once('find', first)]);
  expect((await list(project, 'models')).rows).toEqual([
    { ...nobody, has_price: false },
    { name: 'm', first_seen: first, last_seen: last, calls: 2, has_price: false },
  ]);
  expect((await list(project, 'providers')).rows).toEqual([nobody, once('p', last), once('q', first)]);
});

test('D1.1: a list has nothing of other projects', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await other.post(of({ tags: { customer: 'theirs', user: 'u' }, model: 'x' }));
  await other.tag({ customer_name: 'tagged', tags: { k: 'v' } });
  for (const path of ['customers', 'users', 'features', 'models', 'providers']) {
    expect((await list(mine, path)).rows).toEqual([]);
  }
});

test('D4.3: a call counts once, on its current day', async () => {
  const project = await farthing.createProject();
  const event = of({ tags: { customer: 'a' }, timestamp: '2024-05-15T12:00:00Z' });
  await project.post(event);
  await project.post({ ...event, timestamp: '2024-06-15T12:00:00Z' });
  await project.post({ ...event, tags: { customer: 'b' } });
  expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'b', calls: 1 }]);
});

test('D2: a call counts once after a rebuild of its day', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'a' } }), of({ tags: { customer: 'a' } }));
  if (isLong) {
    await rebuildProject(project);
    expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'a', calls: 2 }]);
  }
  // A new timezone rebuilds every day too.
  await changeTimezone(project, 'Asia/Tokyo');
  expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'a', calls: 2 }]);
  const coverage = await project.api('GET', '/api/coverage/?date_from=2024-05-01&date_to=2024-05-31');
  expect(expectStatus(coverage, 200)).toMatchObject({ calls: 2, cost: 2 });
  const events = await project.api('GET', '/api/events/?customer=a');
  expect(expectStatus(events, 200)).toMatchObject({ rows: [{}, {}], has_more: false });
});

test('D2: the trailing slash is optional, and more than 1,000 names come in pages', async () => {
  const project = await farthing.createProject();
  const names = Array.from({ length: 1_203 }, (_, index) => `c${String(index).padStart(4, '0')}`);
  await project.post(...names.map((customer) => of({ tags: { customer } })));
  expect(page.parse((await project.api('GET', '/api/customers')).body).rows).toHaveLength(100);
  expect(await allNames(project, 'customers', { limit: '1000' })).toEqual(names);
  expect(await allNames(project, 'customers', { limit: '1000', search: 'C1' })).toEqual(names.slice(1_000));
});

test('D4.7: a list includes acknowledged events and says up to which time it is complete', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'now' } }));
  const answer = await project.api('GET', '/api/customers/');
  expect(answer.text).toContain('"now"');
  expect(Date.parse(answer.headers.get('farthing-as-of') ?? '')).toBeGreaterThan(Date.now() - 60_000);
});
