// D3.6: the time of a refusal tells nothing about what exists: each takes the same look-ups of the store.
import { expect, test, vi } from 'vitest';
import { ApiKeys } from '../../src/accounts/api-keys.ts';
import { Clients } from '../../src/accounts/clients.ts';
import { LastUsed } from '../../src/accounts/last-used.ts';
import { Members } from '../../src/accounts/members.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { Sessions } from '../../src/accounts/sessions.ts';
import { hashSecret } from '../../src/lib/ids.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { openControlStore } from '../../src/storage/control/control-store.ts';
import { makeMigratedDataDir } from '../support/service.ts';

const hourMs = 3_600_000;

/** A project, whose store counts its statements. */
async function open() {
  const onError = () => undefined;
  const plain = await openControlStore({ dataDir: makeMigratedDataDir(), postgresUrl: undefined, onError });
  let statements = 0;
  const control = plain.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1;
      return result;
    },
  });
  const time = { now: Date.UTC(2026, 0, 1) };
  const clock = () => time.now;
  const fields = { name: 'p', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const { id: projectId } = await new Projects(plain, clock).create(fields, new PriceBooks(plain, clock));
  const lastUsed = new LastUsed(plain, onError);
  const clients = new Clients(control, clock, lastUsed);
  const apiKeys = new ApiKeys(control, clock, lastUsed);
  const members = new Members({ control, clock });
  const sessions = new Sessions({ control, clock, apiKeys, members, lastUsed, adminTokenHash: hashSecret('admin') });
  const count = async (ask: () => Promise<unknown>) => {
    statements = 0;
    const answer = await ask();
    return { answer, statements };
  };
  return { projectId, clients, apiKeys, sessions, time, count, close: () => plain.destroy() };
}

const refused = { answer: undefined, statements: 1 };

test('D3.6: every refusal of a client takes one look-up, however often it is asked, and a valid secret none when it is known', async () => {
  const { projectId, clients, time, count, close } = await open();
  const [first, second] = [await clients.create(projectId, 'a'), await clients.create(projectId, 'b')];
  const [id, other] = [first.client.id, second.client.id];
  const short = await clients.addSecret(projectId, id, time.now + hourMs);
  const gone = await clients.addSecret(projectId, id, null);
  await clients.authenticate(id, first.secret);
  await clients.authenticate(id, short?.secret ?? '');
  await clients.authenticate(id, gone?.secret ?? '');
  await clients.revokeSecret(projectId, id, gone?.id ?? '');
  await clients.revoke(projectId, other);
  time.now += 2 * hourMs;
  await clients.authenticate(id, first.secret);
  const ways: [clientId: string, secret: string][] = [
    [id, 'fs_wrong'],
    [id, ''],
    [crypto.randomUUID(), 'fs_wrong'],
    ['no-uuid', 'fs_wrong'],
    [`${id}'--`, 'fs_wrong'],
    ['', ''],
    ['x'.repeat(8_000), 'fs_wrong'],
    [id, short?.secret ?? ''],
    [id, gone?.secret ?? ''],
    [other, second.secret],
    [other, 'fs_wrong'],
  ];
  for (let again = 0; again < 2; again += 1) {
    for (const [clientId, secret] of ways)
      expect([clientId, await count(() => clients.authenticate(clientId, secret))]).toEqual([clientId, refused]);
  }
  expect(await count(() => clients.authenticate(id, first.secret))).toEqual({ answer: projectId, statements: 0 });
  // A valid secret with the id of another client, known or not: who has it knows that it is one.
  for (const clientId of [other, crypto.randomUUID(), 'no-uuid'])
    expect(await count(() => clients.authenticate(clientId, first.secret))).toEqual({
      answer: undefined,
      statements: 0,
    });
  await close();
});

test('D3.6: so do those of API keys and sessions', async () => {
  const { projectId, apiKeys, sessions, time, count, close } = await open();
  const make = (expiresAt: number | null) => apiKeys.create({ projectId, name: null, scopes: ['read'], expiresAt });
  const [short, gone] = [await make(time.now + hourMs), await make(null)];
  for (const { apiKey } of [short, gone]) await apiKeys.findByHash(hashSecret(apiKey));
  const signedIn = await sessions.signIn({ apiKey: short.apiKey });
  await sessions.find(signedIn?.id ?? '');
  await apiKeys.revoke(projectId, gone.id);
  time.now += 13 * hourMs;
  const later = performance.now() + 13 * hourMs;
  const elapsed = vi.spyOn(performance, 'now').mockImplementation(() => later);
  for (let again = 0; again < 2; again += 1) {
    for (const text of ['fk_wrong', '', 'x'.repeat(8_000), short.apiKey, gone.apiKey])
      expect([text, await count(() => apiKeys.findByHash(hashSecret(text)))]).toEqual([text, refused]);
    for (const id of ['wrong', '', signedIn?.id ?? ''])
      expect([id, await count(() => sessions.find(id))]).toEqual([id, refused]);
  }
  elapsed.mockRestore();
  await close();
});
