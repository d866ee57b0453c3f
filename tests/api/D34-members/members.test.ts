import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { cookieOf, signIn } from '../D2-session/session.ts';
import { invite, invited, join, newEmail, secretOf } from './team.ts';

const farthing = sharedFarthing();
const price = { model: 'm', input_per_mtok: 1, output_per_mtok: 2 };

test('D34.1, D34.2: who is invited signs in once by the link, works as the role says, and is shut out when removed', async () => {
  const project = await farthing.createProject({ name: 'a team' });
  const email = newEmail().toUpperCase();
  const roles = [{ project_id: project.id, role: 'editor' }];
  const answer = await invite(farthing, { email, name: 'Ada', roles });
  const made = invited.parse(expectStatus(answer, 201));
  expect(made).toMatchObject({ email: email.toLowerCase(), name: 'Ada', is_admin: false, roles });
  expect(made.invitation?.link).toMatch(`${farthing.url}/sign-in/#fi_`);
  const hours = (Date.parse(made.invitation?.expires_at ?? '') - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThanOrEqual(24.1);
  const secret = secretOf(made.invitation?.link);

  const look = () => farthing.send('POST', '/session/link/', { body: { invitation: secret } });
  expect(expectStatus(await look(), 200)).toEqual({ email: email.toLowerCase(), name: 'Ada' });
  const signed = await farthing.send('POST', '/session/', { body: { invitation: secret } });
  expectProblem(await look(), 401, 'unauthenticated');
  expect(expectStatus(signed, 200)).toMatchObject({
    kind: 'member',
    member: { id: made.id, email: email.toLowerCase(), name: 'Ada', is_admin: false },
    roles: [{ role: 'editor', project: { id: project.id, name: 'a team' } }],
  });
  expect(cookieOf(signed)).toMatch(/; Max-Age=(2592000|2591999);.*HttpOnly; SameSite=Strict$/);
  const cookie = cookieOf(signed).split(';')[0] ?? '';
  const headers = { cookie, 'farthing-project': project.id, origin: farthing.url };
  const set = await farthing.send('POST', '/api/prices/', { body: price, headers });
  expectStatus(set, 201);
  expectStatus(
    await farthing.send('POST', '/api/prices/', { body: price, headers: { cookie, origin: farthing.url } }),
    403,
  );
  // Used, guessed, and forwarded after its use.
  for (const link of [secret, secret, `fi_${'0'.repeat(40)}`, '', 'x'.repeat(3_000)])
    expectStatus(await farthing.send('POST', '/session/', { body: { invitation: link } }), link === '' ? 400 : 401);

  expectStatus(
    await farthing.admin('PATCH', `/admin/members/${made.id}/`, { roles: [{ ...roles[0], role: 'viewer' }] }),
    200,
  );
  expectProblem(await farthing.send('POST', '/api/prices/', { body: price, headers }), 403, 'forbidden');
  expectStatus(await farthing.send('GET', '/api/prices/', { headers }), 200);
  expectStatus(await farthing.admin('DELETE', `/admin/members/${made.id}/`), 204);
  expectStatus(await farthing.send('GET', '/api/prices/', { headers }), 401);
  expectStatus(await farthing.send('GET', '/session/', { headers }), 401);
  expectStatus(await farthing.admin('DELETE', `/admin/members/${made.id}/`), 404);
});

test('D34.1: a new link ends the open one, and both devices stay signed in', async () => {
  const project = await farthing.createProject();
  const member = await join(farthing, { role: 'viewer', project: project.id });
  const path = `/admin/members/${member.id}/links/`;
  const [first, second] = [await farthing.admin('POST', path), await farthing.admin('POST', path)].map((answer) =>
    secretOf(Object(expectStatus(answer, 201)).link),
  );
  expectStatus(await farthing.send('POST', '/session/', { body: { invitation: first } }), 401);
  const device = await signIn(farthing, { invitation: second });
  expectStatus(await device.send('GET', '/session/'), 200);
  expectStatus(await member.send('GET', '/api/project/'), 200);
});

test('D34.2: an owner manages the members of their projects, and gets no right that is not theirs', async () => {
  const [mine, theirs] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const owner = await join(farthing, { role: 'owner', project: mine.id });
  const inMine = (role: string) => [{ project_id: mine.id, role }];
  const post = (body: object) => invite(farthing, body, owner);

  const made = invited.parse(expectStatus(await post({ email: newEmail(), roles: inMine('owner') }), 201));
  expect(made.invitation?.link).toBeTruthy();
  const listed = await owner.send('GET', `/admin/members/?project_id=${mine.id}`);
  expect(
    Object(expectStatus(listed, 200))
      .members.map(({ id }: { id: string }) => id)
      .sort(),
  ).toEqual([owner.id, made.id].sort());
  // Not of the instance, of another project, or with a right beyond the project.
  expectStatus(await owner.send('GET', '/admin/members/'), 403);
  expectStatus(await owner.send('GET', `/admin/members/?project_id=${theirs.id}`), 404);
  expectStatus(await post({ email: newEmail(), roles: inMine('viewer'), is_admin: true }), 403);
  expectStatus(await post({ email: newEmail() }), 403);
  expectStatus(
    await post({ email: newEmail(), roles: [...inMine('viewer'), { project_id: theirs.id, role: 'viewer' }] }),
    404,
  );
  for (const change of [{ is_admin: true }, { name: 'Eve' }])
    expectStatus(await owner.send('PATCH', `/admin/members/${made.id}/`, { body: change }), 403);
  const foreign = { roles: [{ project_id: theirs.id, role: 'viewer' }] };
  expectStatus(await owner.send('PATCH', `/admin/members/${owner.id}/`, { body: foreign }), 404);
  expectStatus(await owner.send('DELETE', `/admin/members/${made.id}/`), 403);

  // Members with more rights: seen only when they share a project, and never by a link.
  const admin = await join(farthing, { isAdmin: true });
  const other = await join(farthing, { role: 'editor', project: theirs.id });
  for (const { id } of [admin, other]) {
    expectStatus(await owner.send('POST', `/admin/members/${id}/links/`), 404);
    expectStatus(await owner.send('PATCH', `/admin/members/${id}/`, { body: { roles: inMine('owner') } }), 404);
    expectStatus(await owner.send('DELETE', `/admin/members/${id}/?project_id=${mine.id}`), 404);
  }
  for (const { email, id } of [admin, other]) {
    const added = invited.parse(expectStatus(await post({ email, name: 'Eve', roles: inMine('viewer') }), 200));
    expect(added).toMatchObject({ id, name: null, roles: inMine('viewer'), invitation: null });
    expectProblem(await owner.send('POST', `/admin/members/${id}/links/`), 403, 'forbidden');
  }
  // Theirs is not shown to an owner of mine, who ends neither a session nor a link of theirs by giving a role in mine.
  expectStatus(await other.send('GET', '/api/project/'), 200);
  expectStatus(await admin.send('GET', '/admin/members/'), 200);
  const left = invited.omit({ invitation: true });
  expectStatus(await owner.send('DELETE', `/admin/members/${other.id}/?project_id=${mine.id}`), 204);
  const members = Object(expectStatus(await farthing.admin('GET', '/admin/members/'), 200)).members as unknown[];
  const kept = members.map((one) => left.parse(one)).find(({ id }) => id === other.id);
  expect(kept?.roles).toEqual([{ project_id: theirs.id, role: 'editor' }]);
  // Without a role anywhere, nothing is left of a member.
  expectStatus(await owner.send('DELETE', `/admin/members/${made.id}/?project_id=${mine.id}`), 204);
  expectStatus(await farthing.admin('PATCH', `/admin/members/${made.id}/`, {}), 404);
});

test('D34.2: further rights count at once, and an open link stays', async () => {
  const [one, two] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const member = await join(farthing, { role: 'viewer', project: one.id });
  const open = await farthing.admin('POST', `/admin/members/${member.id}/links/`);
  const owner = await join(farthing, { role: 'owner', project: two.id });
  const roles = [{ project_id: two.id, role: 'editor' }];
  const changed = invited.parse(expectStatus(await invite(farthing, { email: member.email, roles }, owner), 200));
  expect(changed).toMatchObject({ roles, invitation: null });
  const another = await signIn(farthing, { invitation: secretOf(Object(expectStatus(open, 201)).link) });
  const at = (project: string) => ({ headers: { 'farthing-project': project } });
  for (const browser of [member, another]) {
    expectStatus(await browser.send('POST', '/api/prices/', { body: price, ...at(two.id) }), 201);
    expectStatus(await browser.send('POST', '/api/prices/', { body: price, ...at(one.id) }), 403);
  }
  // A deleted project is gone from the roles.
  expectStatus(await farthing.admin('DELETE', `/admin/projects/${two.id}/`), 204);
  expectStatus(await another.send('GET', '/api/project/', at(two.id)), 404);
});

test('D34.2: an owner who is removed keeps no session by a link that they were shown, and gets no right by it', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const at = (project: string) => ({ headers: { 'farthing-project': project } });
  const linkBy = async (browser: { send: typeof owner.send }, id: string) =>
    await signIn(farthing, {
      invitation: secretOf(Object(expectStatus(await browser.send('POST', `/admin/members/${id}/links/`), 201)).link),
    });
  const owner = await join(farthing, { role: 'owner', project: mine.id });
  const second = await join(farthing, { role: 'owner', project: mine.id });
  const third = await join(farthing, { role: 'viewer', project: mine.id });
  // The owner uses the links themselves, one of them to be shown a further one.
  const asSecond = await linkBy(owner, second.id);
  const asThird = await linkBy(asSecond, third.id);
  const mineOnly = [asSecond, asThird];
  const given = { roles: [{ project_id: other.id, role: 'viewer' }], is_admin: false };
  for (const { id } of [second, third])
    expectStatus(await farthing.admin('PATCH', `/admin/members/${id}/`, given), 200);
  for (const browser of [second, third]) expectStatus(await browser.send('GET', '/api/project/', at(other.id)), 200);
  for (const browser of mineOnly) {
    expectStatus(await browser.send('GET', '/api/project/', at(other.id)), 404);
    expectStatus(await browser.send('GET', '/api/project/', at(mine.id)), 200);
    expect(expectStatus(await browser.send('GET', '/session/'), 200)).toMatchObject({
      roles: [{ project: { id: mine.id } }],
    });
  }
  expectStatus(await farthing.admin('DELETE', `/admin/members/${owner.id}/`), 204);
  for (const browser of mineOnly) expectStatus(await browser.send('GET', '/api/project/', at(mine.id)), 401);
  for (const browser of [second, third]) expectStatus(await browser.send('GET', '/api/project/'), 200);
});

test('D34.2: a wrong body names every fault and changes nothing', async () => {
  const project = await farthing.createProject();
  const email = newEmail();
  const bad = [
    { email: 'ada' },
    { email, roles: [{ project_id: project.id, role: 'king' }] },
    { email, is_admin: 'yes', name: '' },
    { email, role: 'viewer' },
    { email: `${'a'.repeat(250)}@example.com` },
    {},
    { email, roles: ['viewer', 'owner'].map((role) => ({ project_id: project.id, role })) },
  ];
  for (const body of bad) expectStatus(await invite(farthing, body), 400);
  expectStatus(await invite(farthing, { email, roles: [{ project_id: 'prj_none', role: 'viewer' }] }), 404);
  const { members } = Object(expectStatus(await farthing.admin('GET', '/admin/members/'), 200));
  expect(JSON.stringify(members)).not.toContain(email);
  // Of two roles in one project, nobody can tell which is meant.
  const { id } = await join(farthing, { role: 'viewer', project: project.id });
  const roles = ['owner', null].map((role) => ({ project_id: project.id, role }));
  expectInvalid(await farthing.admin('PATCH', `/admin/members/${id}/`, { roles }), [
    '/roles/0/project_id',
    '/roles/1/project_id',
  ]);
});
