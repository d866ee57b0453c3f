import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Farthing, sharedFarthing } from '../../support/client.ts';
import { readOperations } from '../../support/openapi.ts';
import { goodRequests } from '../D11.3-openapi/requests.ts';
import { makeWorld } from '../D11.3-openapi/world.ts';
import { changeNothing, expectedEntries, reads } from './expected-entries.ts';
import { type Entry, readAdminLog } from './support.ts';

/** The service, and every project that is made through it. */
function collecting(through: Farthing): { farthing: Farthing; ids: Set<string>; secrets: Set<string> } {
  const [ids, secrets] = [new Set<string>(), new Set([through.adminToken])];
  const farthing: Farthing = {
    ...through,
    createProject: async (fields) => {
      const project = (await through.createProject(fields)).through(farthing);
      ids.add(project.id);
      return project;
    },
    send: async (method, path, options) => {
      const answer = await through.send(method, path, options);
      const { id } = z.object({ id: z.string() }).safeParse(answer.body).data ?? {};
      if (path.startsWith('/admin/') && id !== undefined) ids.add(id);
      // The log itself has what tests beside this one call a key.
      const told = path.includes('/audit/') ? [] : secretsIn(answer.body);
      for (const secret of [...secretsIn(options?.body), ...told]) secrets.add(secret);
      return answer;
    },
  };
  farthing.admin = (method, path, body) => farthing.send(method, path, { body, token: through.adminToken });
  return { farthing, ids, secrets };
}

const secretFields: ReadonlySet<string> = new Set(['secret', 'api_key', 'key', 'admin_token', 'url', 'signing_secret']);

/** The values of fields that hold secrets, at any depth. */
function secretsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    secretFields.has(name) && typeof value === 'string' && isSecret(value) ? [value] : secretsIn(value),
  );
}

/** What is created by the service itself, too, whenever it comes to it. */
const whenever: ReadonlySet<string> = new Set(['price_list', 'alert']);

/** An address is secret where it is Slack's. */
const isSecret = (text: string): boolean => text.length >= 16 && (!text.startsWith('http') || text.includes('slack'));

test('D34.3: every operation that writes makes exactly its entries, with who, before and after; others make none', async () => {
  const { farthing, ids, secrets } = collecting(sharedFarthing());
  const operations = (await readOperations(farthing)).filter(
    ({ method, path }) => method !== 'GET' && !path.startsWith('/api/files/'),
  );
  const listed = new Set([...Object.keys(expectedEntries), ...reads, ...changeNothing]);
  expect(operations.map(({ key }) => key).filter((key) => !listed.has(key))).toEqual([]);
  expect([...listed].filter((key) => !operations.some((operation) => operation.key === key))).toEqual([]);

  const world = await makeWorld(farthing);
  const of: Record<string, Entry[]> = {};
  let from = await newestTime(farthing);
  const before = new Set((await readAdminLog(farthing, `?from=${from}`)).map(({ id }) => id));
  for (const { key } of operations) {
    await goodRequests[key]?.(world);
    const made = (await readAdminLog(farthing, `?from=${from}`)).filter(({ id }) => !before.has(id));
    for (const { id } of made) before.add(id);
    from = made[0]?.at ?? from;
    of[key] = made.filter(
      (entry) => entry.request === key && (ids.has(entry.project_id ?? entry.subject) || entry.kind === 'price_list'),
    );
  }
  const said = Object.entries(of).map(([key, entries]) => [
    key,
    entries.map(({ action, kind }) => (whenever.has(kind) ? kind : `${action} ${kind}`)).sort(),
  ]);
  const expected = operations.map(({ key }) => [key, expectedEntries[key] ?? []]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(expected));
  const faults = Object.values(of)
    .flat()
    .filter((entry) => !isWhole(entry));
  expect(faults).toEqual([]);
  const log = JSON.stringify(await readAdminLog(farthing));
  expect(secrets.size).toBeGreaterThan(20);
  expect([...secrets].filter((secret) => log.includes(secret))).toEqual([]);
});

/** The time of the newest entry, or the beginning of all. */
async function newestTime(farthing: Farthing): Promise<string> {
  const answer = await farthing.admin('GET', '/admin/audit/?limit=1');
  return Object(answer.body).entries[0]?.at ?? '2020-01-01T00:00:00Z';
}

/** Who made the change, from where, and what it was: before and after have the fields that the action says. */
function isWhole({ actor, actor_id: id, address, action, before, after }: Entry): boolean {
  const isNamed = actor === 'admin_token' ? id === null : id !== null;
  const [hadFields, hasFields] = [before, after].map((fields) => Object.keys(fields ?? {}).length > 0);
  return isNamed && address !== null && hadFields === (action !== 'created') && hasFields === (action !== 'deleted');
}
