import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiKeys } from '../../src/accounts/api-keys.ts';
import { LastUsed } from '../../src/accounts/last-used.ts';
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
  const apiKeys = new ApiKeys(opened.control, clock, lastUsed);
  return {
    apiKeys,
    sessions: new Sessions({ control: opened.control, clock, apiKeys, adminTokenHash: hashSecret(adminToken) }),
  };
};

test('D2: a session ends after 12 hours, and its row is deleted at a later sign-in', async () => {
  const { sessions } = makeSessions('the admin token');
  const signedIn = await sessions.signIn({ adminToken: 'the admin token' });
  if (!signedIn) throw new Error('the token is the right one');
  expect(signedIn.session).toEqual({ caller: 'admin', expiresAt: now + 12 * hour });
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
  expect(await there.sessions.find(id)).toMatchObject({ caller: { id: key.id, scopes: ['read'] } });
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
