// D3.7: requests beyond the service's capacity are refused at once and clearly; accepted events are stored soon.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, expectStatus, type Project, wholeRange } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { untilWell } from './ready.ts';

/** How long the overload lasts, in seconds. */
const seconds = usualOrLong(3, 60);
const tinyRequests = usualOrLong(4_000, 100_000);
const eventsPerRequest = 200;
const timesCapacity = 10;
/** What a row in the buffer has for a byte of these events. */
const rowBytesPerByte = 2.5;

let service: Service;
let project: Project;

beforeAll(async () => {
  service = await startService({ dataDir: makeMigratedDataDir() });
});

afterAll(async () => {
  await service?.kill();
});

interface Sent {
  readonly customer: string;
  readonly status: number | undefined;
  readonly elapsedMs: number;
  readonly retryAfter: string | undefined;
}

/** Posts with node:http, which takes less of the machine than fetch. */
async function post(agent: Agent, customer: string, body: string): Promise<Sent> {
  const startedAt = performance.now();
  return await new Promise((resolve) => {
    const end = (status: number | undefined, retryAfter?: string) =>
      resolve({ customer, status, retryAfter, elapsedMs: performance.now() - startedAt });
    const posted = request(
      `${service.url}${project.intakePath}`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${project.secret}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        response.once('end', () => end(response.statusCode, response.headers['retry-after']));
        response.once('error', () => end(undefined));
      },
    );
    posted.once('error', () => end(undefined));
    posted.end(body);
  });
}

const ids = Array.from({ length: eventsPerRequest }, () => randomUUID().slice(8));
/** Events that cost 1 each, of a customer that no other request has. */
function makeBody(serial: number): string {
  const prefix = serial.toString(16).padStart(8, '0');
  const customer = `r${serial}`;
  const events = ids.map(
    (id) =>
      `{"event_id":"${prefix}${id}","event_type":"x.after","cost":1,"timestamp":"2024-05-15T12:00:00Z","customer":"${customer}"}`,
  );
  return `[${events.join(',')}]`;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** Waits until answers are level with the log again: until then they are refused (D4.7). */
async function untilCaughtUp(): Promise<void> {
  await poll('answers are level with the log', { within: 180_000, every: 250 }, async () => {
    const { status } = await project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all' });
    return status === 200 ? true : undefined;
  });
}

const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? 0;

test(`D3.7: at ${timesCapacity} times the capacity, what is taken is answered within a second, the rest refused, and nothing lost`, {
  timeout: 120_000 + 10_000 * seconds,
}, async () => {
  project = await connect(service.url, service.adminToken).createProject();
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
  const sent: Sent[] = [];
  let serial = 0;
  const sendOne = async () => {
    const mine = serial;
    serial += 1;
    sent.push(await post(agent, `r${mine}`, makeBody(mine)));
  };
  // The capacity: what a few clients get done that wait for each answer.
  const warmUpMs = 2_000;
  const until = performance.now() + warmUpMs;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (performance.now() < until) await sendOne();
    }),
  );
  const perSecond = (1_000 * sent.length) / warmUpMs;
  const warm = sent.length;
  /** What an answer takes at capacity on this machine, in milliseconds. */
  const usualMs = quantile(
    sent.map(({ elapsedMs }) => elapsedMs),
    0.99,
  );

  const startedAt = performance.now();
  const memory: number[] = [];
  const under: Promise<void>[] = [];
  let watchedAt = startedAt;
  while (performance.now() < startedAt + 1_000 * seconds) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond * timesCapacity;
    while (serial - warm < due) under.push(sendOne());
    if (performance.now() - watchedAt > 200) {
      memory.push(memoryOf(service.pid));
      watchedAt = performance.now();
    }
    await pause(2);
  }
  await Promise.all(under);
  const overMs = performance.now() - startedAt;
  const recovered = performance.now();
  while ((await post(agent, `r${serial}`, makeBody(serial))).status !== 200) await pause(50);
  const taken = new Set([`r${serial}`]);
  const recoveredMs = performance.now() - recovered;

  const during = sent.slice(warm);
  const accepted = during.filter(({ status }) => status === 200);
  const refused = during.filter(({ status }) => status !== 200);
  const p99 = quantile(
    accepted.map(({ elapsedMs }) => elapsedMs),
    0.99,
  );
  process.stdout.write(
    `faults: overload: capacity ${Math.round(perSecond * eventsPerRequest)} events a second; ${during.length} requests of ${eventsPerRequest} events in ${(overMs / 1_000).toFixed(1)} s, ` +
      `${accepted.length} taken (p50 ${Math.round(
        quantile(
          accepted.map(({ elapsedMs }) => elapsedMs),
          0.5,
        ),
      )} ms, p99 ${Math.round(p99)} ms), ${refused.length} refused ` +
      `(p99 ${Math.round(
        quantile(
          refused.map(({ elapsedMs }) => elapsedMs),
          0.99,
        ),
      )} ms); memory ${Math.round(Math.min(...memory))} to ${Math.round(Math.max(...memory))} MiB; taken again after ${Math.round(recoveredMs)} ms\n`,
  );
  expect(accepted.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, retryAfter } of refused) {
    expect([429, 503]).toContain(status);
    expect(retryAfter).toMatch(/^[1-9]\d*$/);
  }
  // On a machine that is busy with others, what may always wait (2 MiB) takes long by itself.
  const bytesPerSecond = perSecond * makeBody(0).length * rowBytesPerByte;
  expect(p99).toBeLessThan(Math.max(1_000, 10 * usualMs, (6 * 2 * 1_048_576 * 1_000) / bytesPerSecond));
  expect(recoveredMs).toBeLessThan(Math.max(5_000, 10 * usualMs));

  await untilWell(service);
  await untilCaughtUp();
  for (const { customer, status } of sent) if (status === 200) taken.add(customer);
  const rows = await project.allCosts({ ...wholeRange, aggregate: 'all', group_by: 'customer' });
  const found = new Map(rows.map((row) => [row.customer ?? '', row.cost]));
  expect([...taken].filter((customer) => found.get(customer) !== eventsPerRequest)).toEqual([]);
  expect([...found].filter(([, cost]) => cost > eventsPerRequest)).toEqual([]);
  agent.destroy();
});

test(`D3.2: of ${tinyRequests.toLocaleString('en')} tiny requests each one is stored once`, {
  timeout: 120_000 + 10 * tinyRequests,
}, async () => {
  project = await connect(service.url, service.adminToken).createProject();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let next = 0;
  const statuses = new Map<number | undefined, number>();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < tinyRequests) {
        const body = `{"event_id":"${randomUUID()}","event_type":"x.after","cost":1,"timestamp":"2024-05-15T12:00:00Z","customer":"c${next % 100}"}`;
        next += 1;
        const { status } = await post(agent, '', body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  process.stdout.write(
    `faults: tiny requests: ${tinyRequests} in ${(elapsedMs / 1_000).toFixed(1)} s (${Math.round((1_000 * tinyRequests) / elapsedMs)} a second)\n`,
  );
  expect([...statuses]).toEqual([[200, tinyRequests]]);
  await untilCaughtUp();
  const usage = await project.api('POST', '/api/usage/', { ...wholeRange, aggregate: 'all' });
  expect(expectStatus(usage, 200)).toMatchObject({ rows: [{ calls: tinyRequests }] });
  expect(await project.totalCost()).toBe(tinyRequests);
  agent.destroy();
});
