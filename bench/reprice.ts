import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { readFilled } from './filled.ts';
import { freePort } from './free-port.ts';
import { dayBefore } from './questions.ts';

/**
 * Imports a month of calls, asks what if, and reprices it, while the total is asked for all the time and the service is killed
 * half-way. Prints how long each step takes, its memory above idle, and which totals were seen: only the old one and the new
 * one are allowed. The ratios at the end are those to a reread, which prices each call by itself.
 *
 * With `--dir`, it does the same on a copy of a folder that `bench/fill.ts --priced` made. Its calls have no events, so
 * nothing is reread.
 *
 *   node bin/runtime.js bench/reprice.ts --calls 1000000
 */
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' }, dir: { type: 'string' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'farthing-reprice-'));
const filled = values.dir === undefined ? undefined : readFilled(values.dir);
if (values.dir !== undefined) cpSync(values.dir, join(dir, 'data'), { recursive: true });
const file = join(dir, 'events.ndjson');
const adminToken = 'admin-token-of-the-benchmark';
const month = filled
  ? { date_from: dayBefore(filled.days), date_to: dayBefore(1) }
  : { date_from: '2026-09-01', date_to: '2026-09-30' };

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  FARTHING_PORT: String(port),
  FARTHING_DATA_DIR: join(dir, 'data'),
  FARTHING_ADMIN_TOKEN: adminToken,
  FARTHING_LOG_LEVEL: 'warn',
};
// Meanwhile connections that the service closes are noticed.
const node = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { cwd: root, env });

let service = await start();
try {
  const apiKey = filled?.projects[0]?.apiKey ?? (await importCalls());
  const total = async () => {
    const { rows } = await ask<{ rows: { cost: number }[] }>(
      'POST',
      '/api/costs/',
      { ...month, aggregate: 'all' },
      apiKey,
    );
    return rows[0]?.cost ?? 0;
  };
  await timed('until all of them are in the calls', () => untilAnswered(total));
  await ask('POST', '/api/prices/', { model: 'gpt-4o-mini', input_per_mtok: 7, output_per_mtok: 9 }, apiKey);

  // A model of another maker, so that each call's price is first looked up at its own provider.
  const assume = {
    models: { 'gpt-4o-2024-08-06': 'claude-sonnet-4-5', 'gpt-4.1': 'gemini-2.5-pro' },
    cached_share: 0.5,
  };
  const tookMs = new Map<string, number>();
  for (const { name, body, isKilled } of [
    // The first one finds cold memories.
    { name: 'dry run, cold', body: {}, isKilled: false },
    { name: 'dry run', body: {}, isKilled: false },
    { name: 'what if', body: { assume }, isKilled: false },
    ...(filled ? [] : [{ name: 'reread, dry run', body: { reread: true }, isKilled: false }]),
    { name: 'reprice in force', body: { dry_run: false }, isKilled: false },
    { name: 'reprice in force, killed half-way and continued', body: { dry_run: false }, isKilled: true },
  ]) {
    const isDryRun = !name.includes('in force');
    if (isKilled)
      await ask('POST', '/api/prices/', { model: 'gpt-4o-mini', input_per_mtok: 6, output_per_mtok: 8 }, apiKey);
    const before = await untilAnswered(total);
    const idleMiB = await readMemory();
    const totals = new Set<number>();
    const waits: number[] = [];
    let mostMiB = 0;
    let isDone = false;
    const watch = async () => {
      while (!isDone) {
        const askedAt = performance.now();
        totals.add(await untilAnswered(total));
        waits.push(performance.now() - askedAt);
        mostMiB = Math.max(mostMiB, await readMemory().catch(() => 0));
        await pause(50);
      }
    };
    const startedAt = performance.now();
    const watching = watch();
    const { id } = await ask<{ id: string }>('POST', '/api/prices/reprice/', { ...month, ...body }, apiKey);
    const read = () =>
      ask<{ state: string; progress: number; after: number }>('GET', `/api/prices/reprices/${id}/`, undefined, apiKey);
    let killed = !isKilled;
    for (;;) {
      const { state, progress } = await read();
      if (state === 'done') break;
      if (!killed && progress >= 0.5) {
        killed = true;
        process.kill(-(service.pid ?? 0), 'SIGKILL');
        await new Promise((resolve) => service.once('exit', resolve));
        service = await start();
      }
      await pause(100);
    }
    const { after } = await read();
    tookMs.set(name, performance.now() - startedAt);
    isDone = true;
    await watching;
    waits.sort((a, b) => a - b);
    console.log(
      [
        name,
        `${((tookMs.get(name) ?? 0) / 1_000).toFixed(2)} s`,
        `${Math.round(mostMiB - idleMiB)} MiB above idle`,
        `${waits.length} totals meanwhile, median ${Math.round(waits[waits.length >> 1] ?? 0)} ms, longest ${Math.round(waits.at(-1) ?? 0)} ms`,
        `seen: ${[...totals].join(', ')}; before ${before}, after ${after}`,
      ].join(' | '),
    );
    const allowed = isDryRun ? [before] : [before, after];
    if ([...totals].some((seen) => !allowed.includes(seen)))
      throw new Error('a total was seen that is of neither price');
    if (!isDryRun && (await total()) !== after) throw new Error('the new price is not in force');
  }
  const each = tookMs.get('reread, dry run');
  for (const name of ['dry run', 'what if', 'reprice in force']) {
    if (each === undefined) break;
    console.log(`${name}, over pricing each call | ${((tookMs.get(name) ?? 0) / each).toFixed(4)} times as long`);
  }
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
} finally {
  process.kill(-(service.pid ?? 0), 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
}

/** Imports a month of calls into a project; returns its key. */
async function importCalls(): Promise<string> {
  await node(
    'bench/generate-events.ts',
    '--calls',
    values.calls,
    '--days',
    '30',
    '--until',
    '2026-10-01',
    '--out',
    file,
  );
  const project = await ask<{ id: string }>('POST', '/admin/projects/', {
    name: 'Bench',
    type: 'revenue',
    timezone: 'UTC',
  });
  const path = `/admin/projects/${project.id}`;
  const client = await ask<{ client_id: string; secret: string }>('POST', `${path}/clients/`, {
    name: 'bench',
  });
  const key = await ask<{ api_key: string }>('POST', `${path}/api-keys/`, { name: 'bench', scopes: ['read', 'write'] });
  await timed(`import of ${2 * Number(values.calls)} events`, async () => {
    await node('src/cli.ts', 'import', file, '--url', url, '--client-id', client.client_id, '--secret', client.secret);
  });
  return key.api_key;
}

async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...process.execArgv, 'src/cli.ts', 'serve'], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return child;
    await pause(50);
  }
}

async function timed<T>(name: string, action: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await action();
  console.log(`${name} | ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}

/** The resident memory of the service and its engine, in MiB. */
async function readMemory(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-g', String(service.pid)]);
  return (
    stdout
      .trim()
      .split(/\s+/)
      .reduce((sum, kib) => sum + Number(kib), 0) / 1_024
  );
}

/** Repeats a question while the answer is `catching_up`. */
async function untilAnswered<T>(question: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await question();
    } catch (error) {
      // While the service starts again there is no connection.
      if (!(error instanceof Error && /catching_up|fetch failed/.test(error.message))) throw error;
    }
  }
}

async function ask<T>(method: string, path: string, body?: unknown, token = adminToken): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}
