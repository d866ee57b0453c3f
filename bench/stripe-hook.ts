import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventsOf } from '../tests/support/stripe.ts';
import { eventsOfCall } from './made-calls.ts';
import { startService, stopProcess } from './start-service.ts';

/**
 * Measures how long a webhook of Stripe waits for its answer, with nothing else to do and while a reprice of all calls
 * runs. Each webhook is a paid invoice of its own.
 *
 *   node bin/runtime.js bench/stripe-hook.ts --calls 150000
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '150000' } } });
const calls = Number(values.calls);
const days = 30;
const dayMs = 86_400_000;
const until = Date.now();
const toDay = (at: number) => new Date(at).toISOString().slice(0, 10);
const hookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const dir = mkdtempSync(join(tmpdir(), 'farthing-bench-'));
const service = await startService(dir);

async function send<T>(method: string, path: string, token: string | undefined, body?: unknown, headers = {}) {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

let invoices = 0;

/** Posts a webhook as Stripe does; gives the milliseconds until its answer. */
async function postWebhook(path: string): Promise<number> {
  invoices += 1;
  const [from, to] = [until - 30 * dayMs, until].map((at) => Math.floor(at / 1_000)) as [number, number];
  const [event] = eventsOf({
    id: `in_${invoices}`,
    customer: `cus_${invoices % 100}`,
    currency: 'usd',
    version: '2024-06-20',
    madeAt: to,
    fate: 'paid',
    lines: [{ amount: 31_000, from, to }],
    creditNotes: [],
    refunds: [],
  });
  const payload = JSON.stringify(event);
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', hookSecret).update(`${at}.${payload}`).digest('hex');
  const startedAt = performance.now();
  await send('POST', path, undefined, payload, { 'stripe-signature': `t=${at},v1=${signature}` });
  return performance.now() - startedAt;
}

/** Posts twenty webhooks a second as long as it is asked to. */
async function postWebhooks(path: string, goesOn: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (goesOn()) {
    took.push(await postWebhook(path));
    await pause(50);
  }
  return took;
}

const show = (name: string, took: readonly number[]) => {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(`| ${name} | ${sorted.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
};

try {
  const project = await send<{ id: string }>('POST', '/admin/projects/', service.adminToken, {
    name: 'Bench',
    type: 'revenue',
  });
  const path = `/admin/projects/${project.id}`;
  const client = await send<{ client_id: string; secret: string }>('POST', `${path}/clients/`, service.adminToken, {});
  const key = await send<{ api_key: string }>('POST', `${path}/api-keys/`, service.adminToken, {
    scopes: ['read', 'write'],
  });
  const hook = await send<{ url_path: string }>('POST', '/api/stripe/', key.api_key, { signing_secret: hookSecret });
  for (let number = 0; number < calls; number += 500) {
    const events = Array.from({ length: 500 }, (_, index) =>
      eventsOfCall(number + index, until - ((number + index) % (days * 1_000)) * (dayMs / 1_000), 1),
    );
    await send('POST', `/intake/${client.client_id}/`, client.secret, events.flat());
  }
  const range = { date_from: toDay(until - days * dayMs), date_to: toDay(until) };
  await send('POST', '/api/costs/', key.api_key, { ...range, aggregate: 'all' });
  for (let round = 0; round < 20; round += 1) await postWebhook(hook.url_path);

  console.log(
    `${calls.toLocaleString('en')} calls\n\n| A webhook's answer | webhooks | p50, ms | p99, ms | longest, ms |`,
  );
  console.log('|---|---|---|---|---|');
  const quietUntil = performance.now() + 10_000;
  show('with nothing else to do', await postWebhooks(hook.url_path, () => performance.now() < quietUntil));

  const repriceAt = performance.now();
  const { id } = await send<{ id: string }>('POST', '/api/prices/reprice/', key.api_key, range);
  let isRunning = true;
  const repriced = (async () => {
    while ((await send<{ state: string }>('GET', `/api/prices/reprices/${id}/`, key.api_key)).state !== 'done')
      await pause(200);
    isRunning = false;
  })();
  show('while a reprice runs', await postWebhooks(hook.url_path, () => isRunning));
  await repriced;
  console.log(`\nThe reprice took ${((performance.now() - repriceAt) / 1_000).toFixed(1)} s.`);
} finally {
  await stopProcess(service.process);
  rmSync(dir, { recursive: true, force: true });
}
