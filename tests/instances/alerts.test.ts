// However often instances die and endpoints fail, each cause of an alert fires exactly once, and is told at least once.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { askFirings, type Firing, listAlerts } from '../api/D20-alerts/support.ts';
import { connect, costEvent, expectStatus, type Farthing, type Project } from '../support/client.ts';
import { seed, usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { Deployment } from './deployment.ts';

const rounds = usualOrLong(2, 20);
/** More causes than one transaction enters, so that a kill can come between two of them. */
const customers = Array.from({ length: 30 }, (_, index) => `customer ${index}`);
const thresholds = [50, 80, 100];

let deployment: Deployment;
let farthing: Farthing;
let receiver: Server;
let url: string;
/** How often the receiver has got each event of each firing, and answered that it has. */
const told = new Map<string, number>();
/** The events whose first attempt has come, and the paths that were asked. */
const tried = new Set<string>();
const paths = new Set<string | undefined>();

/** What the first attempt of an event meets, by how many came before: few are slow, as each takes a sender 15 seconds. */
function meets(before: number): 'silence' | 'error' | 'redirect' | 'success' {
  if (before % 40 === 7) return 'silence';
  if (before % 10 === 3) return 'error';
  return before % 10 === 6 ? 'redirect' : 'success';
}

const delivery = z.object({
  type: z.enum(['alert.fired', 'alert.ended']),
  data: z.object({ details: z.object({ id: z.string(), others: z.array(z.object({ id: z.string() })) }) }),
});

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { type, data } = delivery.parse(JSON.parse((await request.setEncoding('utf8').toArray()).join('')));
    const key = `${data.details.id} ${type}`;
    paths.add(request.url);
    const met = tried.has(key) ? 'success' : meets(tried.size);
    tried.add(key);
    if (met === 'error') response.writeHead(500).end();
    if (met === 'redirect') response.writeHead(307, { location: `${url}private` }).end();
    if (met !== 'success') return;
    for (const { id } of [data.details, ...data.details.others]) {
      const firing = `${id} ${type}`;
      told.set(firing, (told.get(firing) ?? 0) + 1);
    }
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  deployment = await Deployment.start(3, {
    FARTHING_ALERT_EVERY_SECONDS: '1',
    FARTHING_WEBHOOK_HOSTS: '127.0.0.1',
    FARTHING_SECRETS_KEY: 'a key of the tests, of 32 characters or more',
  });
  // Each request goes to an instance that runs.
  let turn = 0;
  farthing = connect(() => {
    const alive = deployment.instances.filter(({ index }) => !dead.has(index));
    turn += 1;
    return alive[turn % alive.length]?.url ?? '';
  }, deployment.adminToken);
});

afterAll(async () => {
  await deployment?.close();
  receiver?.close();
});

const dead = new Set<number>();

/** Kills the holder of the lease, and starts it again. */
async function killHolder(): Promise<void> {
  const holder = await deployment.holder();
  dead.add(holder.index);
  await holder.service.kill();
  await deployment.holder(holder);
  await deployment.revive(holder);
  dead.delete(holder.index);
}

test('D20.3, D20.5: with three instances, kills and endpoints that fail, each cause fires exactly once and is told at least once', {
  timeout: 120_000 + rounds * 300_000,
}, async () => {
  const kill = fc.record({ afterMs: fc.integer({ min: 0, max: 3_000 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(kill, { minLength: 1, maxLength: 3 }), async (kills) => {
      const project = await farthing.createProject();
      const endpoint = { kind: 'webhook', url };
      expectStatus(await project.api('POST', '/api/notification-endpoints/', endpoint), 201);
      const budget = { amount: 10, period: 'quarter', each: 'customer', thresholds };
      expectStatus(await project.api('PUT', '/api/budgets/each/', budget), 201);
      // Two waves: the first passes the lowest threshold of all, the second the others of half of them.
      const spend = async (names: readonly string[], cost: number) => {
        const timestamp = new Date().toISOString();
        await project.post(...names.map((customer) => costEvent({ cost, timestamp, tags: { customer } })));
      };
      await spend(customers, 5);
      await disturb(kills);
      await spend(customers.slice(15), 6);
      await disturb(kills.slice(0, 1));
      await untilFired(project, 30 + 2 * 15);
      expectStatus(await project.api('DELETE', '/api/budgets/each/'), 204);
      await disturb(kills.slice(0, 1));
      const ended = await untilEnded(project);

      expect(ended.map(({ subject: { of, threshold } }) => `${of} ${threshold}`).sort()).toEqual(
        customers
          .flatMap((customer, index) =>
            thresholds.filter((pct) => pct === 50 || index >= 15).map((pct) => `${customer} ${pct}`),
          )
          .sort(),
      );
      const events = ended.flatMap(({ id }) => [`${id} alert.fired`, `${id} alert.ended`]);
      await poll('each firing and its end is told', { within: 120_000, every: 200 }, async () =>
        events.every((event) => told.has(event)) ? true : undefined,
      );
      const alerts = await listAlerts(project);
      expect(alerts.map(({ open }) => open)).toEqual(alerts.map(() => 0));
      expect([...paths]).toEqual(['/']);
    }),
    { numRuns: rounds, seed, endOnFailure: true },
  );
});

async function disturb(kills: readonly { readonly afterMs: number }[]): Promise<void> {
  for (const { afterMs } of kills) {
    await pause(afterMs);
    await killHolder();
  }
}

/** All firings of the project, on all pages. */
async function listAll(project: Project): Promise<Firing[]> {
  const all: Firing[] = [];
  for (let query: string | undefined = '?kind=budget&limit=100'; query !== undefined; ) {
    const { firings, next_cursor: cursor }: Awaited<ReturnType<typeof askFirings>> = await askFirings(project, query);
    all.push(...firings);
    query = cursor === null ? undefined : `?kind=budget&limit=100&cursor=${encodeURIComponent(cursor)}`;
  }
  return all;
}

const untilFired = (project: Project, count: number) =>
  poll('every cause has fired', { within: 120_000, every: 300 }, async () =>
    (await listAll(project)).length >= count ? true : undefined,
  );

const untilEnded = (project: Project) =>
  poll('every firing has ended', { within: 120_000, every: 300 }, async () => {
    const all = await listAll(project);
    return all.every(({ ended_at: endedAt }) => endedAt !== null) ? all : undefined;
  });
