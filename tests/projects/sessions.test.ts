import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiKeys } from '../../src/accounts/api-keys.ts';
import { makeInvitation } from '../../src/accounts/invitations.ts';
import { LastUsed } from '../../src/accounts/last-used.ts';
import { Members } from '../../src/accounts/members.ts';
import { Sessions } from '../../src/accounts/sessions.ts';
import { hashSecret } from '../../src/lib/ids.ts';
import { makeProject, type OpenControl, openControl } from '../support/stores.ts';

const hour = 3_600_000;
let opened: OpenControl;
let lastUsed: LastUsed;
let now = Date.parse('2026-11-21T09:00:00Z');
const clock = () => now;
const realNow = performance.now.bind(performance);
let skippedMs = 0;
vi.spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs);
/** Ten seconds later, also for what is cached. */
const skipTenSeconds = () => {
  now += 10_000;
  skippedMs += 10_000;
};

beforeAll(async () => {
  opened = await openControl();
  lastUsed = new LastUsed(opened.control, () => undefined);
});
afterAll(async () => {
  await lastUsed.close();
  await opened.close();
});

const makeSessions = (adminToken: string) => {
  const { control } = opened;
  const apiKeys = new ApiKeys(control, clock, lastUsed);
  const members = new Members({ control, clock });
  const adminTokenHash = hashSecret(adminToken);
  return { apiKeys, members, sessions: new Sessions({ control, clock, apiKeys, members, lastUsed, adminTokenHash }) };
};

test('D2: a session ends after 12 hours, and its row is deleted at a later sign-in', async () => {
  const { sessions } = makeSessions('the admin token');
  const signedIn = await sessions.signIn({ adminToken: 'the admin token' });
  if (!signedIn) throw new Error('the token is the right one');
  expect(signedIn.session).toEqual({ principal: { kind: 'admin' }, expiresAt: now + 12 * hour });
  now += 12 * hour - 1;
  expect(await sessions.find(signedIn.id)).toEqual(signedIn.session);
  now += 1;
  expect(await sessions.find(signedIn.id)).toBeUndefined();
  const stored = () => opened.control.selectFrom('sessions').selectAll().execute();
  expect(await stored()).toMatchObject([{ id_hash: hashSecret(signedIn.id) }]);
  const next = await sessions.signIn({ adminToken: 'the admin token' });
  expect(await stored()).toEqual([
    {
      id_hash: hashSecret(next?.id ?? ''),
      credential_hash: hashSecret('the admin token'),
      member_id: null,
      shown_to: null,
      last_seen_at: null,
      created_at: now,
      expires_at: now + 12 * hour,
    },
  ]);
});

test('D2: a session of the admin token dies when the token changes', async () => {
  const signedIn = await makeSessions('the admin token').sessions.signIn({ adminToken: 'the admin token' });
  expect(await makeSessions('the admin token').sessions.find(signedIn?.id ?? '')).toBeDefined();
  expect(await makeSessions('another admin token').sessions.find(signedIn?.id ?? '')).toBeUndefined();
});

test('D2: a session dies with its key on another instance within ten seconds', async () => {
  const [here, there] = [makeSessions('the admin token'), makeSessions('the admin token')];
  const project = await makeProject(opened.control, clock);
  const key = await here.apiKeys.create({ projectId: project.id, name: null, scopes: ['read'], expiresAt: null });
  const signedIn = await here.sessions.signIn({ apiKey: key.apiKey });
  const id = signedIn?.id ?? '';
  expect(await there.sessions.find(id)).toMatchObject({ principal: { key: { id: key.id, scopes: ['read'] } } });
  await here.apiKeys.revoke(project.id, key.id);
  expect(await here.sessions.find(id)).toBeUndefined();
  skipTenSeconds();
  expect(await there.sessions.find(id)).toBeUndefined();
  expect(await here.sessions.signIn({ apiKey: key.apiKey })).toBeUndefined();
});

test('D2: a sign-out ends the session here at once and elsewhere within ten seconds', async () => {
  const [here, there] = [makeSessions('the admin token'), makeSessions('the admin token')];
  const signedIn = await here.sessions.signIn({ adminToken: 'the admin token' });
  const id = signedIn?.id ?? '';
  expect(await there.sessions.find(id)).toBeDefined();
  await here.sessions.signOut(id);
  expect(await here.sessions.find(id)).toBeUndefined();
  skipTenSeconds();
  expect(await there.sessions.find(id)).toBeUndefined();
});

test('a key that signs in again and again has its newest sessions alone, and takes none of another', async () => {
  const { apiKeys, sessions } = makeSessions('the admin token');
  const project = await makeProject(opened.control, clock);
  const [one, other] = await Promise.all(
    [1, 2].map(() => apiKeys.create({ projectId: project.id, name: null, scopes: ['read'], expiresAt: null })),
  );
  if (!one || !other) throw new Error('both were made');
  const kept = await sessions.signIn({ apiKey: other.apiKey });
  const ids: string[] = [];
  for (let count = 0; count < 110; count += 1) {
    now += 1;
    ids.push((await sessions.signIn({ apiKey: one.apiKey }))?.id ?? '');
  }
  const found = await Promise.all(ids.map(async (id) => (await sessions.find(id)) !== undefined));
  expect(found).toEqual([...Array(10).fill(false), ...Array(100).fill(true)]);
  expect(await sessions.find(kept?.id ?? '')).toBeDefined();
});

const day = 24 * hour;
/** A member of a project on two instances, and a session by a link. */
async function signInMember(email: string) {
  const { control } = opened;
  const [here, there] = [makeSessions('the admin token'), makeSessions('the admin token')];
  const project = await makeProject(control, clock);
  const within = <T>(work: (transaction: typeof control) => Promise<T>) => control.transaction().execute(work as never);
  const { id } = (await within((transaction) =>
    here.members.add(
      { email, name: null, isAdmin: false, roles: [{ projectId: project.id, role: 'editor' }] },
      transaction,
    ),
  )) as { id: string };
  const change = async (fields: Parameters<typeof here.members.change>[1]) => {
    now += 1;
    await within((transaction) => here.members.change(id, fields, transaction));
    here.members.forget(id);
  };
  const { secret } = await makeInvitation({ memberId: id, shownTo: [] }, { control, clock });
  now += 1;
  const signedIn = await here.sessions.signInByLink(secret);
  if (!signedIn) throw new Error('the link is new');
  const roleAt = async ({ sessions }: typeof here) => {
    const found = await sessions.find(signedIn.id);
    return found?.principal.kind === 'member' ? (found.principal.member.roles.get(project.id) ?? 'none') : undefined;
  };
  return { here, there, project, id, secret, change, within, roleAt };
}

test('D34.1: a link signs in once, within 24 hours, and only its hash is stored', async () => {
  const { here, id, secret } = await signInMember('links@example.com');
  const { control } = opened;
  expect(await here.sessions.signInByLink(secret)).toBeUndefined();
  expect(await here.sessions.signInByLink(`${secret.slice(0, -1)}!`)).toBeUndefined();
  const first = await makeInvitation({ memberId: id, shownTo: [] }, { control, clock });
  const second = await makeInvitation({ memberId: id, shownTo: [] }, { control, clock });
  expect(JSON.stringify(await control.selectFrom('invitations').selectAll().execute())).not.toContain(second.secret);
  expect(await here.sessions.signInByLink(first.secret)).toBeUndefined();
  now += day;
  expect(await here.sessions.signInByLink(second.secret)).toBeUndefined();
  const third = await makeInvitation({ memberId: id, shownTo: [] }, { control, clock });
  now += day - 1;
  const both = await Promise.all([1, 2].map(() => here.sessions.signInByLink(third.secret)));
  expect(both.filter((one) => one !== undefined)).toHaveLength(1);
});

test('D34.1: a session of a member ends after 30 days, and after 7 without a request', async () => {
  const used = await signInMember('used@example.com');
  for (let days = 5; days < 30; days += 5) {
    now += 5 * day;
    skippedMs += 10_000;
    expect(await used.roleAt(used.here)).toBe('editor');
    await lastUsed.write();
  }
  now += 5 * day;
  expect(await used.roleAt(used.here)).toBeUndefined();
  const idle = await signInMember('idle@example.com');
  now += 7 * day - 1;
  expect(await idle.roleAt(idle.here)).toBe('editor');
  now += 7 * day + 2;
  expect(await idle.roleAt(idle.here)).toBeUndefined();
});

test('D34.2: a changed role and a removal count here at once, and elsewhere within ten seconds', async () => {
  const { here, there, project, id, change, within, roleAt } = await signInMember('changed@example.com');
  expect([await roleAt(here), await roleAt(there)]).toEqual(['editor', 'editor']);
  await change({ roles: [{ projectId: project.id, role: 'viewer' }] });
  expect(await roleAt(here)).toBe('viewer');
  skipTenSeconds();
  expect(await roleAt(there)).toBe('viewer');
  await change({ roles: [{ projectId: project.id, role: null }] });
  expect(await roleAt(here)).toBe('none');
  await within((transaction) => here.members.remove(id, transaction));
  here.members.forget(id);
  expect(await roleAt(here)).toBeUndefined();
  skipTenSeconds();
  expect(await roleAt(there)).toBeUndefined();
  expect(await opened.control.selectFrom('sessions').selectAll().where('member_id', '=', id).execute()).toEqual([]);
});

test('D34.2: a session by a link that somebody saw may at most what they may, here at once, elsewhere within ten seconds', async () => {
  const { here, there, id, project, change } = await signInMember('shown@example.com');
  const owner = await signInMember('owner@example.com');
  const sources = { control: opened.control, clock };
  const signInBy = async (shownTo: readonly string[]) => {
    const { secret } = await makeInvitation({ memberId: id, shownTo }, sources);
    return (await here.sessions.signInByLink(secret))?.id ?? '';
  };
  const rights = async ({ sessions }: typeof here, session: string) => {
    const principal = (await sessions.find(session))?.principal;
    if (principal?.kind !== 'member') return undefined;
    return principal.member.isAdmin ? 'admin' : (principal.member.roles.get(project.id) ?? 'none');
  };
  await change({ roles: [{ projectId: project.id, role: 'owner' }] });
  const give = async (role: 'owner' | 'viewer' | null, isAdmin = false) => {
    await owner.change({ isAdmin, roles: [{ projectId: project.id, role }] });
    here.members.forget(owner.id);
  };
  await give('owner');
  const byOwner = await signInBy([owner.id]);
  const sent = await signInBy([]);
  const both = async (instance: typeof here) => [await rights(instance, byOwner), await rights(instance, sent)];
  expect(await both(there)).toEqual(['owner', 'owner']);
  await give('viewer');
  expect(await both(here)).toEqual(['viewer', 'owner']);
  skipTenSeconds();
  expect(await both(there)).toEqual(['viewer', 'owner']);
  // Nothing is left of what the link gave, until it is given again.
  await give(null);
  expect(await both(here)).toEqual([undefined, 'owner']);
  await give('owner');
  expect(await both(here)).toEqual(['owner', 'owner']);
  await change({ isAdmin: true, roles: [{ projectId: project.id, role: null }] });
  expect(await both(here)).toEqual(['owner', 'admin']);
  await give('viewer', true);
  expect(await both(here)).toEqual(['admin', 'admin']);
  await owner.within((transaction) => owner.here.members.remove(owner.id, transaction));
  here.members.forget(owner.id);
  expect(await both(here)).toEqual([undefined, 'admin']);
  skipTenSeconds();
  expect(await both(there)).toEqual([undefined, 'admin']);
});

test('D34.2: an invitation takes no right of somebody who is a member already', async () => {
  const { here, there, id, project, within, roleAt } = await signInMember('again@example.com');
  const invited = { email: 'again@example.com', name: null, isAdmin: false };
  const roles = [{ projectId: project.id, role: 'viewer' as const }];
  const again = await within((transaction) => here.members.add({ ...invited, roles }, transaction));
  expect(again).toEqual({ id, isNew: false });
  here.members.forget(id);
  expect([await roleAt(here), await roleAt(there)]).toEqual(['editor', 'editor']);
});

test('D1.4: what is being written of uses is in the store once it is closed', async () => {
  const { apiKeys } = makeSessions('the admin token');
  const project = await makeProject(opened.control, clock);
  const fields = { projectId: project.id, name: null, scopes: ['read'], expiresAt: null } as const;
  const keys = await Promise.all([1, 2, 3].map(() => apiKeys.create(fields)));
  const uses = new LastUsed(opened.control, () => undefined);
  for (const { id } of keys) uses.note('api_keys', id, now);
  void uses.write();
  await uses.close();
  const rows = opened.control.selectFrom('api_keys').select('last_used_at').where('project_id', '=', project.id);
  expect(await rows.execute()).toEqual(keys.map(() => ({ last_used_at: now })));
});
