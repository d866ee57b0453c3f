import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { invited, join, newEmail, secretOf } from '../D34-members/team.ts';
import { readAdminLog, readLog } from './support.ts';

const farthing = sharedFarthing();

const budget = { amount: 100, period: 'month', thresholds: [80] };

test('D34.3: an entry says who, when, from where, what, with the fields before and after; filters and pages select', async () => {
  const project = await farthing.createProject();
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const key = await project.createKey({ name: 'finance', scopes: ['write'] });
  const put = (body: object, token?: string) =>
    farthing.send('PUT', '/api/budgets/all/', {
      body,
      token: token ?? farthing.adminToken,
      ...(token === undefined && { headers: { 'farthing-project': project.id } }),
    });
  expectStatus(await put(budget), 201);
  expectStatus(await put({ ...budget, amount: 250.5, thresholds: [50, 80] }, key.api_key), 200);
  // Changes nothing, is refused, and is not valid: none of them makes an entry.
  expectStatus(await put({ ...budget, amount: 250.5, thresholds: [50, 80] }, key.api_key), 200);
  expectStatus(await put({ ...budget, amount: -1 }, key.api_key), 400);
  expect((await farthing.send('PUT', '/api/budgets/all/', { body: budget, token: 'fk_none' })).status).toBe(401);
  expectStatus(await project.api('DELETE', '/api/budgets/all/'), 204);

  const log = await readLog(project, 'kind=budget');
  const request = 'PUT /api/budgets/{name}/';
  const whole = {
    amount: 250.5,
    period: 'month',
    scope: {},
    each_of: null,
    thresholds: [50, 80],
    apply_credits: false,
  };
  expect(log).toMatchObject([
    { actor: 'api_key', actor_name: 'key', action: 'deleted', subject: 'all', before: whole, after: null },
    {
      ...{ actor: 'api_key', actor_id: key.id, actor_name: 'finance', address: '127.0.0.1', request },
      ...{ action: 'changed', kind: 'budget', subject: 'all' },
      before: { amount: 100, thresholds: [80] },
      after: { amount: 250.5, thresholds: [50, 80] },
    },
    { actor: 'admin_token', actor_id: null, action: 'created', request, before: null, after: { amount: 100 } },
  ]);
  expect(Object.keys(log[1]?.after ?? {})).toEqual(['amount', 'thresholds']);

  const all = await readLog(project);
  expect(await readLog(project, 'limit=1')).toEqual(all);
  for (const filter of [`actor=api_key&actor_id=${key.id}`, `who=${key.id}`, 'who=finance'])
    expect(await readLog(project, filter)).toEqual([log[1]]);
  expect(await readLog(project, 'who=admin_token&kind=budget')).toEqual([log[2]]);
  expect(await readLog(project, `from=${log[1]?.at}&to=${log[0]?.at}&kind=budget`)).toEqual(
    log.filter(({ at }) => at >= String(log[1]?.at) && at < String(log[0]?.at)),
  );
  expect(await readLog(project, `subject=all&from=${from}`)).toEqual(log);
  expect(await readLog(project, `to=${from}`)).toEqual([]);
  // PostgreSQL holds no NUL.
  for (const name of ['actor_id', 'subject'])
    expectStatus(await project.api('GET', `/api/audit/?${name}=nul%00inside`), 400);
  const csv = (await project.api('GET', '/api/audit/?kind=budget&format=csv')).text.trim().split(/\r?\n/);
  expect(csv).toHaveLength(log.length + 1);
  // Only with the admin token: the log of the whole service, which has who made the project.
  const ofService = await readAdminLog(farthing, `project_id=${project.id}`);
  expect(ofService.map(({ project_id: _, ...entry }) => entry)).toEqual(
    all.map(({ project_id: _, ...entry }) => entry),
  );
  expect((await readAdminLog(farthing, `subject=${project.id}`)).map(({ action, kind }) => [action, kind])).toEqual([
    ['created', 'project'],
  ]);
  expect((await farthing.send('GET', '/admin/audit/', { token: project.apiKey })).status).toBe(401);
  expect((await project.api('GET', '/api/audit/?kind=cost&from=yesterday')).body).toMatchObject({
    code: 'invalid_query',
    errors: [{ pointer: '/kind' }, { pointer: '/from' }],
  });
});

test('D34.3: a request that changes many subjects has one entry for each; long fields say how long they are', async () => {
  const project = await farthing.createProject();
  const entries = Array.from({ length: 600 }, (_, place) => ({
    ...{
      external_id: `e-${place}`,
      customer: `c-${place % 7}`,
      amount: place,
      date_from: '2024-05-01',
      date_to: '2024-05-31',
    },
  }));
  expectStatus(await project.api('POST', '/api/revenue/', { entries }), 200);
  const changed = entries.map((entry, place) => (place < 250 ? entry : { ...entry, amount: 9_000 }));
  expectStatus(await project.api('POST', '/api/revenue/', { entries: changed }), 200);
  const log = await readLog(project, 'kind=revenue_entry&limit=1000');
  const actions = log.map(({ action, subject }) => `${action} ${subject}`);
  expect(new Set(actions).size).toBe(600 + 350);
  expect(actions).toHaveLength(600 + 350);
  expect(log.find(({ action, subject }) => action === 'changed' && subject === 'e-300')).toMatchObject({
    before: { amount: 300 },
    after: { amount: 9_000 },
  });

  await project.tag({ customer_name: 'acme', tags: { plan: 'pro', region: 'eu' } });
  await project.tag({ customer_name: 'acme', tags: { plan: 'free', region: 'eu', seat: '3' } });
  expect((await readLog(project, 'kind=customer_tags'))[0]).toMatchObject({
    ...{ action: 'changed', subject: 'acme' },
    before: { plan: 'pro', seat: null },
    after: { plan: 'free', seat: '3' },
  });

  await project.addPrice({ model: 'house-llm', input_per_mtok: 1.5, output_per_mtok: '2', service_tier: 'batch' });
  const [price] = await readLog(project, 'kind=price');
  expect(price?.after).toMatchObject({ model: 'house-llm', input_per_mtok: '1.5', output_per_mtok: '2' });
  expect(JSON.stringify(price?.after)).not.toMatch(/null|[a-z][A-Z]/);

  const customers = Array.from({ length: 100 }, (_, place) => `customer ${place} ${'x'.repeat(900)}`);
  expectStatus(await project.api('POST', '/api/budgets/', { name: 'long', ...budget, scope: { customers } }), 201);
  const [long] = await readLog(project, 'subject=long');
  expect(long?.after).toMatchObject({
    amount: 100,
    scope: expect.stringMatching(/^\(\d{5} characters\)$/),
  });
  expect(JSON.stringify(long).length).toBeLessThan(3_000);
});

test('D34.3: an owner sees who was invited to the project, changed and removed, by the e-mail address, also later', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const owner = await join(farthing, { role: 'owner', project: project.id });
  const email = newEmail();
  const role = (role: string | null, in_ = project) => ({ roles: [{ project_id: in_.id, role }] });
  const made = invited.parse(
    expectStatus(await farthing.admin('POST', '/admin/members/', { email, ...role('viewer') }), 201),
  );
  const path = `/admin/members/${made.id}/`;
  expectStatus(
    await farthing.send('POST', '/session/', { body: { invitation: secretOf(made.invitation?.link) } }),
    200,
  );
  expectStatus(await owner.send('PATCH', path, { body: role('editor') }), 200);
  expectStatus(await farthing.admin('PATCH', path, role('viewer', other)), 200);
  expectStatus(await farthing.admin('PATCH', path, { is_admin: true }), 200);
  expectStatus(await farthing.admin('DELETE', path), 204);

  // Who may not list the members learns no address here, nor whether there is somebody with it.
  const viewer = await join(farthing, { role: 'viewer', project: project.id });
  for (const ask of [viewer.send, project.api]) {
    expect(Object(expectStatus(await ask('GET', `/api/audit/?subject=${email}`), 200)).entries).toEqual([]);
    const { text } = await ask('GET', '/api/audit/?kind=member_role&format=csv');
    expect(text).toContain(made.id);
    expect(text).not.toContain(email);
  }
  const seen = Object(expectStatus(await owner.send('GET', `/api/audit/?subject=${email}`), 200)).entries;
  const told = { kind: 'member_role', subject: made.id, subject_name: email };
  expect(seen).toMatchObject([
    { ...told, action: 'deleted', before: { role: 'editor' }, after: null },
    { ...told, action: 'changed', before: { role: 'viewer' }, after: { role: 'editor' }, actor_name: owner.email },
    { ...told, action: 'created', before: null, after: { role: 'viewer' } },
  ]);
  // The whole service has the rest: the member and the links, which are of no project alone.
  const all = await readAdminLog(farthing, `subject=${made.id}`);
  expect(all.map(({ kind, action }) => `${kind} ${action}`).sort()).toEqual(
    [
      ...['member created', 'member changed', 'member deleted'],
      ...['invitation created', 'invitation deleted'],
      ...['member_role created', 'member_role changed', 'member_role deleted'],
      ...['member_role created', 'member_role deleted'],
    ].sort(),
  );
  expect(new Set(all.map(({ subject_name: name }) => name))).toEqual(new Set([email]));
  expect((await readLog(project, 'kind=price')).map(({ subject_name: name }) => name)).toEqual([]);
});
