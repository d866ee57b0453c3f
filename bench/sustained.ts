import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AnalyticStore } from '../src/clickhouse/analytic-store.ts';
import { startEmbeddedEngine } from '../src/clickhouse/embedded/engine.ts';
import { freePort } from './free-port.ts';

/**
 * Posts events as fast as they are taken while costs are asked for, and watches what it does to memory and parts; then says
 * what a call takes on disk, by table. A call has a `.before` and an `.after` of about 500 bytes, or with `--after-only` only
 * the second.
 *
 *   node bin/runtime.js bench/sustained.ts --events 10000000
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '30' },
    'after-only': { type: 'boolean', default: false },
    dir: { type: 'string' },
  },
});
const wanted = Number(values.events);
const perCall = values['after-only'] ? 1 : 2;
const perRequest = 500;
const connections = 4;
const dayMs = 86_400_000;
const rangeMs = Number(values.days) * dayMs;
const firstMs = Math.floor(Date.now() / dayMs) * dayMs - rangeMs;
const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'farthing-sustained-'));
const adminToken = randomUUID();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const service = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../src/cli.ts', import.meta.url)), 'serve'],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      FARTHING_PORT: String(port),
      FARTHING_DATA_DIR: dir,
      FARTHING_ADMIN_TOKEN: adminToken,
      FARTHING_LOG_LEVEL: 'error',
    },
  },
);
while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) await pause(100);

const send = async (path: string, token: string, body: unknown, headers: Record<string, string> = {}) =>
  await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const made = async (path: string, body: unknown) =>
  (await (await send(path, adminToken, body)).json()) as Record<string, string>;
const project = await made('/admin/projects/', { name: 'Sustained' });
const client = await made(`/admin/projects/${project.id}/clients/`, {});
const key = await made(`/admin/projects/${project.id}/api-keys/`, { scopes: ['read'] });

const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini', 'gpt-4-turbo'];
let callNumber = 0;
/** The events of the next call, three of which are a run. */
function eventsOfCall(): Record<string, unknown>[] {
  const number = callNumber;
  callNumber += 1;
  const run = Math.floor(number / 3);
  const at = firstMs + Math.floor((number / (wanted / perCall)) * rangeMs);
  const tags = {
    customer: `customer-${Math.floor(5_000 * ((run * 0.618_033_988_7) % 1) ** 2.5)}`,
    user: `user-${(run * 7_919) % 100_000}`,
    feature: `feature-${run % 20}`,
    run_id: `run-${run}-of-the-day`,
    region: 'eu-central-1',
  };
  const event = { event_id: randomUUID(), model: models[number % models.length], provider: 'openai', tags };
  const after = {
    ...event,
    event_type: 'chat.after',
    timestamp: new Date(at + 900).toISOString(),
    elapsed_ms: 300 + (number % 3_000),
    prompt_tokens: 100 + ((number * 31) % 4_000),
    completion_tokens: 10 + ((number * 17) % 800),
    output: 'The answer that the model gave to the question of the user, or the part of it that is kept. '.repeat(2),
  };
  if (perCall === 1) return [after];
  const before = {
    ...event,
    event_type: 'chat.before',
    timestamp: new Date(at).toISOString(),
    input: 'The question of the user, with what was put in front of it: the instructions, and some context. '.repeat(2),
  };
  return [before, after];
}

let stored = 0;
let refused = 0;
async function post(): Promise<void> {
  while (callNumber * perCall < wanted) {
    const events = Array.from({ length: perRequest / perCall }, eventsOfCall).flat();
    for (;;) {
      const answer = await send(`/intake/${client.client_id}/`, client.secret ?? '', events);
      await answer.arrayBuffer();
      if (answer.status === 200) break;
      if (answer.status !== 503) throw new Error(`events were refused: ${answer.status}`);
      refused += 1;
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    }
    stored += events.length;
  }
}

const asked: number[] = [];
const ask = async () => {
  const startedAt = performance.now();
  const body = { date_from: new Date(firstMs).toISOString().slice(0, 10), group_by: 'model', aggregate: 'month' };
  const answer = await send('/api/costs/', key.api_key ?? '', body, { 'farthing-consistency': 'relaxed' });
  await answer.arrayBuffer();
  if (answer.status === 200) asked.push(performance.now() - startedAt);
};

/** Resident memory of the service and its engine, in MiB. */
function readMemory(): number {
  const residentOf = (pid: number | string) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').trim().split(/\s+/);
  return [service.pid ?? 0, ...children].map(residentOf).reduce((sum, mib) => sum + mib, 0);
}

const readMetric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
};

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
let isDone = false;
const memory: number[] = [];
const watching = (async () => {
  for (let tick = 0; !isDone; tick += 1) {
    await ask();
    memory.push(readMemory());
    if (tick % 10 === 0) {
      const calls = await readMetric('farthing_calls_assembled_total');
      console.log(
        `${seconds()} s: ${stored.toLocaleString('en')} events stored, ${calls.toLocaleString('en')} calls, ${Math.round(memory.at(-1) ?? 0)} MiB`,
      );
    }
    await pause(1_000);
  }
})();
await Promise.all(Array.from({ length: connections }, post));
const storedIn = seconds();
while ((await readMetric('farthing_events_assembled_total')) < stored) await pause(500);
const assembledIn = seconds();
// All days but today are rolled up, so that what is on disk is everything.
while ((await readMetric('farthing_days_sealed_total')) < Number(values.days)) await pause(1_000);
isDone = true;
await watching;
service.kill('SIGTERM');
await once(service, 'exit');

asked.sort((a, b) => a - b);
const quarter = memory.slice(Math.floor(memory.length * 0.75));
const round = (number: number | undefined) => Math.round(number ?? 0).toLocaleString('en');
console.log(
  `\n${round(stored)} events stored in ${storedIn} s (${round(stored / storedIn)} a second; ${refused} requests asked to wait),`,
);
console.log(`all in calls after ${assembledIn} s, all days sealed after ${seconds()} s`);
console.log(
  `costs asked meanwhile: ${asked.length}, median ${round(asked[asked.length >> 1])} ms, longest ${round(asked.at(-1))} ms`,
);
console.log(
  `memory of service and engine: at most ${round(Math.max(...memory))} MiB; in the last quarter ${round(Math.min(...quarter))} to ${round(Math.max(...quarter))} MiB`,
);

const engine = await startEmbeddedEngine({
  dataDir: dir,
  logger: { info() {}, warn: console.warn, error: console.error },
});
const store = new AnalyticStore({
  url: engine.url,
  credentials: { username: engine.username, password: engine.password },
});
const tables = await store.select<{ table: string; parts: string; bytes: string }>(
  'SELECT table, count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active GROUP BY table ORDER BY sum(bytes_on_disk) DESC',
);
await store.close();
await engine.close();
const calls = stored / perCall;
const bytes = tables.reduce((sum, table) => sum + Number(table.bytes), 0);
console.log(
  `disk: ${(bytes / calls).toFixed(1)} bytes a call\n\n| Table | active parts | bytes a call |\n|---|---|---|`,
);
for (const table of tables)
  console.log(`| ${table.table} | ${table.parts} | ${(Number(table.bytes) / calls).toFixed(1)} |`);
if (values.dir === undefined) rmSync(dir, { recursive: true, force: true });
