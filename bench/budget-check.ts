import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from './free-port.ts';
import { type PacedAnswers, runPacedGets } from './paced-gets.ts';
import { startService, stopProcess } from './start-service.ts';

/**
 * Measures checks of budgets beside events: how long they take, and how far behind they are. The lag of an event is the
 * time from its acknowledgement to the first check that has its cost. By turns with them, at the same pace and beside the
 * same events, it measures `GET /healthz`, the least that the service can do for a request, and a server of another
 * process that does nothing else, the least that Node can do on this machine under this load.
 *
 *   node bin/runtime.js bench/budget-check.ts
 */
const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '2000' },
    events: { type: 'string', default: '1000' },
    batch: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '4' },
    customers: { type: 'string', default: '1000' },
  },
});
const [checks, events, batch, seconds, rounds, customers] = [
  values.checks,
  values.events,
  values.batch,
  values.seconds,
  values.rounds,
  values.customers,
].map(Number) as [number, number, number, number, number, number];
const connections = 64;
const cost = 0.001;

const dir = mkdtempSync(join(tmpdir(), 'farthing-bench-'));
const service = await startService(dir);
const { hostname: host, port } = new URL(service.url);
const send = async (method: string, path: string, token: string, body?: unknown) => {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
};

const project = await send('POST', '/admin/projects/', service.adminToken, { name: 'Bench' });
const client = await send('POST', `/admin/projects/${project.id}/clients/`, service.adminToken, {});
const key = await send('POST', `/admin/projects/${project.id}/api-keys/`, service.adminToken, {
  scopes: ['read', 'write'],
});
const token = key.api_key ?? '';
for (const [name, fields] of Object.entries({
  All: {},
  Chat: { scope: { feature: 'chat' } },
  'Per customer': { each: 'customer' },
  Probe: { scope: { customer: 'probe' } },
  Month: { period: 'month', scope: { models: ['gpt-4o'] } },
})) {
  await send('PUT', `/api/budgets/${encodeURIComponent(name)}/`, token, {
    amount: 1_000_000,
    period: 'day',
    ...fields,
  });
}

let acknowledged = 0;
let isPosting = true;

const eventOf = (customer: string, index = 0) => ({
  event_id: randomUUID(),
  event_type: 'llm.after',
  customer,
  feature: index % 2 === 0 ? 'chat' : 'search',
  model: 'gpt-4o',
  provider: 'openai',
  cost,
});
const postEvents = (body: unknown) => send('POST', `/intake/${client.client_id}/`, client.secret ?? '', body);

/** Posts the events at their pace, several requests at once. */
async function post(): Promise<void> {
  const startedAt = performance.now();
  let sent = 0;
  const underWay = new Set<Promise<void>>();
  while (isPosting) {
    const due = ((performance.now() - startedAt) / 1_000) * events;
    for (; sent < due && underWay.size < 16; sent += batch) {
      const body = Array.from({ length: batch }, (_, index) =>
        eventOf(`customer-${(sent + index) % customers}`, index),
      );
      const posted: Promise<void> = postEvents(body).then(() => {
        acknowledged += batch;
        underWay.delete(posted);
      });
      underWay.add(posted);
    }
    await pause(5);
  }
  await Promise.all(underWay);
}

/** The times of acknowledgement of the probed customer's events that no check has shown yet, in order. */
const unseen: number[] = [];
let probed = 0;

async function probe(): Promise<void> {
  while (isPosting) {
    await postEvents(eventOf('probe'));
    unseen.push(performance.now());
    probed += 1;
    await pause(50);
  }
}

const lagsMs: number[] = [];
const agesMs: number[] = [];
const noteSpent = (body: string) => {
  const { spent, as_of: asOf } = JSON.parse(body) as { spent: number; as_of: string };
  agesMs.push(Date.now() - Date.parse(asOf));
  // An event may be seen before its acknowledgement arrives here.
  const missing = Math.max(0, probed - Math.round(spent / cost));
  while (unseen.length > missing) lagsMs.push(performance.now() - (unseen.shift() ?? 0));
};

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
const round = (ms: number) => Math.round(ms * 10) / 10;
interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}
const spread = (numbers: readonly number[]): Spread => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { p50: round(at(sorted, 0.5)), p99: round(at(sorted, 0.99)), most: round(sorted.at(-1) ?? 0) };
};
const ratios = (one: Spread | undefined, other: Spread | undefined) => ({
  p50: round((one?.p50 ?? 0) / (other?.p50 ?? 0)),
  p99: round((one?.p99 ?? 0) / (other?.p99 ?? 0)),
});
const describe = (name: string, rows: readonly PacedAnswers[]) => {
  const latenciesMs = rows.flatMap((row) => row.latenciesMs);
  return {
    name,
    perSecond: Math.round(latenciesMs.length / seconds),
    failures: rows.reduce((sum, { failures }) => sum + failures, 0),
    ...spread(latenciesMs),
  };
};

const gets = { host, port: Number(port), token, perSecond: checks, connections };
const checkPaths = [
  () => '/api/budgets/All/check/',
  (number: number) => `/api/budgets/Per%20customer/check/?of=customer-${(number * 7) % customers}`,
  () => '/api/budgets/Probe/check/',
];
const checkPath = (number: number) => checkPaths[number % checkPaths.length]?.(number) ?? '';
const isProbe = (number: number) => number % checkPaths.length === 2;

const barePort = await freePort();
const bare = spawn(
  process.execPath,
  [...process.execArgv, fileURLToPath(new URL('bare-answers.ts', import.meta.url))],
  { stdio: 'inherit', env: { ...process.env, PORT: String(barePort) } },
);
while (!(await fetch(`http://${host}:${barePort}`).catch(() => undefined))) await pause(50);

const measured = {
  'only answered': {
    load: { ...gets, port: barePort, path: () => '/' },
    answers: [] as PacedAnswers[],
  },
  'GET /healthz': { load: { ...gets, path: () => '/healthz' }, answers: [] as PacedAnswers[] },
  check: {
    load: {
      ...gets,
      path: checkPath,
      take: (body: string, number: number) => {
        if (isProbe(number)) noteSpent(body);
      },
    },
    answers: [] as PacedAnswers[],
  },
};

const posting = Promise.all([post(), probe()]);
const warmingSeconds = 3;
for (const { load } of Object.values(measured)) await runPacedGets({ ...load, seconds: warmingSeconds });
agesMs.length = 0;
lagsMs.length = 0;

const before = acknowledged;
const startedAt = performance.now();
for (let number = 0; number < rounds; number += 1) {
  for (const { load, answers } of Object.values(measured)) {
    // No check ran meanwhile, so the lag of these events would be too long: it is not measured.
    unseen.length = 0;
    answers.push(await runPacedGets({ ...load, seconds: seconds / rounds }));
  }
}
const eventsPerSecond = Math.round((acknowledged - before) / ((performance.now() - startedAt) / 1_000));
isPosting = false;
await posting;
await stopProcess(bare);
await stopProcess(service.process);
rmSync(dir, { recursive: true, force: true });

const table = Object.entries(measured).map(([name, { answers }]) => describe(name, answers));
console.table(table);
const [ofBare, ofHealth, ofCheck] = table;
console.log({
  eventsPerSecond,
  lagMs: spread(lagsMs),
  ageOfAsOfMs: spread(agesMs),
  ofOnlyAnswered: ratios(ofCheck, ofBare),
  ofHealthz: ratios(ofCheck, ofHealth),
  load: loadavg().map(round),
  cpus: cpus().length,
});
