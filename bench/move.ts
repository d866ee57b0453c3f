import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase, startPostgres } from '../tests/support/postgres.ts';
import { freePort } from './free-port.ts';
import { startEngine, startService, stopProcess } from './start-service.ts';

/**
 * Moves calls from embedded stores to a separate engine and PostgreSQL while events come in. Checks that nothing acknowledged
 * is lost and nothing counts twice, and prints how long each step takes and how long no events are taken.
 *
 *   node bin/runtime.js bench/move.ts --calls 1000000
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '1000000' } } });
const calls = Number(values.calls);
const root = fileURLToPath(new URL('..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'farthing-move-'));
const dataDir = join(dir, 'data');
const adminToken = randomUUID();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = { FARTHING_SEAL_AFTER_SECONDS: '1' };

/** Runs a program to its end, and returns its output. */
async function run(args: readonly string[], more: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...more },
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${printed}`);
  return printed;
}
const seconds = (sinceMs: number) => (performance.now() - sinceMs) / 1_000;
const count = (number: number) => Math.round(number).toLocaleString('en');

async function send(path: string, token: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}
async function makeProject(name: string) {
  const { id } = await send('/admin/projects/', adminToken, { name });
  const client = await send(`/admin/projects/${id}/clients/`, adminToken, { name });
  const key = await send(`/admin/projects/${id}/api-keys/`, adminToken, { name });
  return {
    clientId: String(client.client_id),
    secret: String(client.secret),
    apiKey: String(key.api_key),
  };
}

const postgres = await startPostgres();
const running: ChildProcess[] = [];
try {
  const before = await startService(dataDir, { port, adminToken, env });
  running.push(before.process);
  const [large, light] = [await makeProject('large'), await makeProject('light')];

  const file = join(dir, 'events.ndjson');
  await run(['bench/generate-events.ts', '--calls', values.calls, '--days', '90', '--out', file], {});
  const importingAt = performance.now();
  const credentials = { FARTHING_CLIENT_ID: large.clientId, FARTHING_CLIENT_SECRET: large.secret };
  await run(['src/cli.ts', 'import', file, '--json'], { FARTHING_URL: url, ...credentials });
  rmSync(file);
  console.log(`imported ${count(2 * calls)} events in ${seconds(importingAt).toFixed(0)} s`);

  // Light intake: each of its events costs a dollar, so the cost in the answers counts them. A request without an answer
  // is sent again, with the same events.
  let acknowledged = 0;
  let longestPauseMs = 0;
  let isOver = false;
  let lastAt = performance.now();
  const intake = (async () => {
    while (!isOver) {
      const events = Array.from({ length: 5 }, () => ({ event_id: randomUUID(), event_type: 'x.after', cost: 1 }));
      for (;;) {
        const answer = await send(`/intake/${light.clientId}/`, light.secret, events).catch(() => undefined);
        if (answer) break;
        await pause(20);
      }
      acknowledged += events.length;
      longestPauseMs = Math.max(longestPauseMs, performance.now() - lastAt);
      lastAt = performance.now();
      await pause(50);
    }
  })();

  const engine = await startEngine(join(dir, 'engine'));
  running.push(engine.process);
  const to = { clickhouse: engine.url, postgres: await createDatabase(postgres.url) };
  const move = async () => {
    const startedAt = performance.now();
    const args = ['src/cli.ts', 'move', '--to-clickhouse', to.clickhouse, '--to-postgres', to.postgres, '--json'];
    const settings = { FARTHING_URL: url, FARTHING_DATA_DIR: dataDir, FARTHING_ADMIN_TOKEN: adminToken };
    const printed = JSON.parse(await run(args, settings)) as Record<string, unknown>;
    return { ...printed, seconds: seconds(startedAt), events: Number(printed.events), copied: Number(printed.copied) };
  };
  for (let pass = 0; pass < 2; pass += 1) {
    const copied = await move();
    console.log(
      `copied while the service was up: ${count(copied.copied)} of ${count(copied.events)} events in ${copied.seconds.toFixed(1)} s, ${count(copied.copied / copied.seconds)} a second`,
    );
  }
  const switchedAt = performance.now();
  await stopProcess(before.process);
  const moved: Record<string, unknown> & { seconds: number; copied: number; events: number } = await move();
  console.log(
    `copied the rest, ${count(moved.copied)} events, made the calls again and compared ${moved.compared} answers, all equal, in ${moved.seconds.toFixed(1)} s, ${count(moved.events / moved.seconds)} events a second`,
  );
  const after = await startService(dataDir, {
    port,
    adminToken,
    env: { ...env, FARTHING_CLICKHOUSE_URL: to.clickhouse, FARTHING_POSTGRES_URL: to.postgres },
  });
  running.push(after.process);
  console.log(`the service was away for ${seconds(switchedAt).toFixed(1)} s`);
  await pause(2_000);
  isOver = true;
  await intake;

  const today = new Date().toISOString().slice(0, 10);
  const range = { date_from: new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10), date_to: today };
  const { rows } = await send('/api/costs/', light.apiKey, { ...range, aggregate: 'all' });
  const [{ cost } = { cost: 0 }] = rows as { cost: number }[];
  if (cost !== acknowledged) throw new Error(`${cost} of ${acknowledged} acknowledged events are in the answers`);
  const usage = await send('/api/usage/', large.apiKey, { ...range, aggregate: 'all' });
  const [{ calls: found } = { calls: 0 }] = usage.rows as { calls: number }[];
  if (found !== calls) throw new Error(`${found} of ${calls} calls are in the answers`);
  console.log(
    `${count(acknowledged)} events acknowledged meanwhile, each counted once; the longest pause between two was ${(longestPauseMs / 1_000).toFixed(1)} s`,
  );
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, ${today}`);
} finally {
  for (const child of running.toReversed()) await stopProcess(child);
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
