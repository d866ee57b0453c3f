// Acknowledged events survive any kill of the service (D3.2, D3.7, D4.2).
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { connect, type Farthing, type Json, type Project, send } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { someOf } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { SdkCalls } from './sdk-calls.ts';

/** Rounds of posting until everything is killed, in the long form. */
const rounds = 40;
const clients = 8;
/** The earliest kill after the first request, and the span of all kills, in milliseconds. */
const [firstKillMs, withinMs] = [20, 400];

interface Posted {
  event: Json;
  customer: string;
  cost: number;
  acknowledged: boolean;
}

/** An event whose customer and cost nobody else has, so that its presence, absence and repetition all show. */
function uniqueEvent(feature: string, serial: number): Posted {
  const customer = `${feature} ${serial}`;
  const cost = (serial + 1) / 1_000_000;
  const event = { event_id: randomUUID(), event_type: 'x.after', cost, tags: { customer, feature } };
  return { event, customer, cost, acknowledged: false };
}

/** Posts single events and batches, one request after the other, until the service is gone. */
async function postUntilKilled(project: Project, next: () => Posted, posted: Posted[], client: number): Promise<void> {
  for (let request = 0; ; request += 1) {
    const events = Array.from({ length: (request + client) % 3 === 0 ? 1 : 2 + (request % 12) }, next);
    posted.push(...events);
    const body = events.length === 1 ? events[0]?.event : events.map(({ event }) => event);
    const answer = await project.intake({ body }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status, answer.text).toBe(200);
    for (const event of events) event.acknowledged = true;
  }
}

async function costsOfFeature(project: Project, feature: string): Promise<Map<string, number>> {
  const rows = await project.allCosts({
    date_from: '2026-01-01',
    aggregate: 'all',
    group_by: 'customer',
    features: [feature],
  });
  return new Map(rows.map((row) => [row.customer ?? '', row.cost]));
}

/** Every acknowledged event is stored once, and no event is stored that was not posted. */
function expectAllAcknowledged(posted: readonly Posted[], found: ReadonlyMap<string, number>): void {
  const lost = posted.filter(({ customer, acknowledged }) => acknowledged && !found.has(customer));
  expect(lost.map(({ customer }) => customer)).toEqual([]);
  const expected = new Map(posted.map(({ customer, cost }) => [customer, cost]));
  const wrong = [...found].filter(([customer, cost]) => expected.get(customer) !== cost);
  expect(wrong).toEqual([]);
}

// Usually one kill, with others' work before it (below). The journal has kills of its own (journal.test.ts).
longTest(
  `D3.2: ${rounds} kills of everything while ${clients} clients post lose nothing that an INSERT acknowledged`,
  async () => {
    const dataDir = makeMigratedDataDir();
    const port = await freePort();
    const start = async () => await startService({ dataDir, port, env: { FARTHING_JOURNAL: 'off' } });
    let service = await start();
    try {
      const project = await connect(service.url, service.adminToken).createProject();
      const all: Posted[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const feature = `round ${round}`;
        const { posted, untilKilled } = beginToPost(project, feature);
        await pause(firstKillMs + (withinMs * round) / rounds);
        await service.kill();
        await untilKilled;

        service = await start();
        await expectOnce(project, feature, posted);
        all.push(...posted);
      }

      expect(all.length).toBeGreaterThan(rounds * clients);
      const [total] = await project.allCosts({ date_from: '2026-01-01', aggregate: 'all' });
      const sum = all.reduce((picodollars, { cost }) => picodollars + picos(cost), 0n);
      expect(picos(total?.cost ?? 0)).toBe(sum);
      expect((await service.stop()).code).toBe(0);
    } finally {
      await service.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);

/** Clients that post since one moment before a kill. */
function beginToPost(project: Project, feature: string) {
  const posted: Posted[] = [];
  let serial = 0;
  const next = () => {
    serial += 1;
    return uniqueEvent(feature, serial);
  };
  const posting = Array.from({ length: clients }, (_, client) => postUntilKilled(project, next, posted, client));
  return { posted, untilKilled: Promise.all(posting) };
}

/** What was acknowledged is there once, and all once it was posted again. */
async function expectOnce(project: Project, feature: string, posted: readonly Posted[]): Promise<void> {
  expectAllAcknowledged(posted, await costsOfFeature(project, feature));
  // What was not acknowledged is posted again, and some of the rest with it: each is there exactly once.
  const again = posted.filter(({ acknowledged }, index) => !acknowledged || index % 10 === 0);
  if (again.length > 0) await project.post(...again.map(({ event }) => event), ...again.map(({ event }) => event));
  for (const event of posted) event.acknowledged = true;
  expectAllAcknowledged(posted, await costsOfFeature(project, feature));
}

/** Work before a kill; each returns the check for after it. */
type BeforeKill = (farthing: Farthing) => Promise<() => Promise<void>>;

const call = { event_type: 'x.after', timestamp: '2024-05-15T12:00:00Z' };

/** The last one is killed right after its answer. */
const beforeKill: Record<string, BeforeKill> = {
  'D4.1: a call whose .before came before a kill and whose .after comes after it is one call': async (farthing) => {
    const project = await farthing.createProject();
    const event_id = randomUUID();
    await project.post({ event_id, event_type: 'x.before', model: 'm1', tags: { customer: 'acme', feature: 'chat' } });
    return async () => {
      await project.post({ ...call, event_id, cost: 0.5 });
      expect(await project.costBy('customer')).toEqual({ acme: 0.5 });
      expect(await project.costBy('model')).toEqual({ m1: 0.5 });
      await project.post({ ...call, event_id, cost: 0.75, timestamp: '2024-05-16T12:00:00Z' });
      expect(await project.costBy('feature')).toEqual({ chat: 0.75 });
    };
  },
  'D10.1, D5.3, D1.4: tags, prices and revocations that were answered survive a kill': async (farthing) => {
    const project = await farthing.createProject();
    const { id, api_key: apiKey } = await project.createKey({ scopes: ['read'] });
    await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
    await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
    const revocation = await farthing.admin('DELETE', `${project.adminPath}/api-keys/${id}/`);
    expect(revocation.status).toBe(204);
    return async () => {
      const event = { ...call, event_id: randomUUID(), model: 'm1', prompt_tokens: 1_000_000 };
      await project.post({ ...event, tags: { customer: 'acme' } });
      expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(1);
      expect((await send('GET', `${farthing.url}/api/project/`, { token: apiKey })).status).toBe(401);
    };
  },
  'D15.3: calls that the SDK reports before a kill, while nobody answers and after it are all there, and none twice':
    async (farthing) => {
      const told = new SdkCalls(await farthing.createProject());
      let isOver = false;
      const calling = (async () => {
        for (; !isOver; await pause(20)) for (let some = 0; some < 10; some += 1) await told.make();
      })();
      await poll('a part is sent', { within: 60_000 }, () =>
        told.made > 100 && told.sdk.queued < 2 * told.made ? true : undefined,
      );
      return async () => {
        isOver = true;
        await calling;
        await told.expectAll();
      };
    },
  'D2: a project that was deleted before a kill stays deleted': async (farthing) => {
    const project = await farthing.createProject();
    await project.post({ event_id: randomUUID(), event_type: 'x.after', cost: 1 });
    expect((await farthing.admin('DELETE', `${project.adminPath}/`)).status).toBe(204);
    return async () => {
      expect((await farthing.admin('GET', `${project.adminPath}/`)).status).toBe(404);
      expect((await project.api('GET', '/api/project/')).status).toBe(401);
    };
  },
  'D3.2: clients that post until a kill lose nothing that an INSERT acknowledged': async (farthing) => {
    const project = await farthing.createProject();
    const feature = 'until the kill';
    const { posted, untilKilled } = beginToPost(project, feature);
    await pause(firstKillMs + Math.random() * withinMs);
    return async () => {
      await untilKilled;
      expect(posted.length).toBeGreaterThan(clients);
      await expectOnce(project, feature, posted);
    };
  },
  'D3.2: an event that was acknowledged at the moment of a kill is stored': async (farthing) => {
    const project = await farthing.createProject();
    await project.post({ ...call, event_id: randomUUID(), cost: 1 });
    return async () => expect(await project.totalCost()).toBe(1);
  },
};

// Usually one of the two: what is written is the same.
describe.each(someOf(['sqlite', 'postgres'] as const, 1))('with the control store in %s', (kind) => {
  const dataDir = makeMigratedDataDir();
  const after = new Map<string, () => Promise<void>>();
  let service: Service;

  beforeAll(async () => {
    const stores = kind === 'postgres' ? { postgresUrl: await createDatabase(inject('postgresUrl')) } : {};
    const start = async (port?: number) =>
      await startService({ dataDir, env: { FARTHING_JOURNAL: 'off' }, ...stores, ...(port !== undefined && { port }) });
    service = await start();
    const farthing = connect(service.url, service.adminToken);
    for (const [what, prepare] of Object.entries(beforeKill)) after.set(what, await prepare(farthing));
    await service.kill();
    service = await start(service.port);
  });

  afterAll(async () => {
    await service?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each(Object.keys(beforeKill))('%s', async (what) => {
    await after.get(what)?.();
  });
});
