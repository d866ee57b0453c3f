import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { createDatabase, startPostgres } from '../tests/support/postgres.ts';
import { freePort } from './free-port.ts';
import { type Load, runLoad } from './load.ts';
import { makeEvent } from './made-calls.ts';
import { type Service, startEngine, startService, stopProcess } from './start-service.ts';

/**
 * Measures how many events a second intake stores durably, beside a server that only parses them, in the same run with the same
 * load: single events over many connections, and requests of 500. It measures intake by itself (assembly is left to another
 * instance, which here does nothing) and intake while its events are assembled into calls, with the journal and without.
 *
 *   node bin/runtime.js bench/intake.ts --seconds 10
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '1024' } },
});
const dir = mkdtempSync(join(tmpdir(), 'farthing-intake-'));
const processes: ChildProcess[] = [];

type Target = Pick<Load, 'port' | 'path' | 'token'>;

async function startParser(): Promise<Target> {
  const port = await freePort();
  const script = fileURLToPath(new URL('parse-only.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script], {
    stdio: 'inherit',
    env: { ...process.env, PORT: String(port) },
  });
  processes.unshift(child);
  while (!(await fetch(`http://127.0.0.1:${port}`).catch(() => undefined))) await pause(50);
  return { port, path: '/', token: 'none' };
}

async function addClient({ url, adminToken }: Service): Promise<Target> {
  const admin = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const project = await admin('/admin/projects/', { name: 'Bench' });
  const client = await admin(`/admin/projects/${project.id}/clients/`, { name: 'bench' });
  return { port: Number(new URL(url).port), path: `/intake/${client.client_id}/`, token: client.secret ?? '' };
}

async function startAssembling(journal: 'on' | 'off'): Promise<Target> {
  const service = await startService(join(dir, `assembling-${journal}`), { env: { FARTHING_JOURNAL: journal } });
  processes.unshift(service.process);
  return addClient(service);
}

/** A service with the journal that does not assemble, as another instance seems to hold the lease. */
async function startJournaling(postgresUrl: string): Promise<Target> {
  const url = await createDatabase(postgresUrl);
  const service = await startService(join(dir, 'journaling'), {
    env: { FARTHING_POSTGRES_URL: url, FARTHING_JOURNAL: 'on' },
  });
  processes.unshift(service.process);
  const control = new Client({ connectionString: url });
  await control.connect();
  await control.query('UPDATE lease SET holder = $1, epoch = epoch + 1, expires_at = $2', [
    randomUUID(),
    Number.MAX_SAFE_INTEGER,
  ]);
  await control.end();
  return addClient(service);
}

/** The same without the journal. */
async function startByItself(): Promise<Target> {
  const home = join(dir, 'by-itself');
  const engine = await startEngine(join(home, 'engine'));
  processes.unshift(engine.process);
  const service = await startService(home, { env: { FARTHING_CLICKHOUSE_URL: engine.url } });
  processes.unshift(service.process);
  const control = new DatabaseSync(join(home, 'control.sqlite'), { timeout: 10_000 });
  control.exec(
    `UPDATE lease SET holder = '${randomUUID()}', epoch = epoch + 1, expires_at = ${Number.MAX_SAFE_INTEGER}`,
  );
  control.close();
  return addClient(service);
}

const postgres = await startPostgres();
try {
  const targets = [
    { name: 'only parsed', target: await startParser() },
    { name: 'Farthing with the journal, by itself', target: await startJournaling(postgres.url) },
    { name: 'Farthing with the journal and assembly', target: await startAssembling('on') },
    { name: 'Farthing without the journal, by itself', target: await startByItself() },
    { name: 'Farthing without the journal, with assembly', target: await startAssembling('off') },
  ];
  console.log('| Load | Server | events a second | of only parsed | p50 ms | p99 ms |');
  console.log('|---|---|---|---|---|---|');
  for (const { load, events, connections } of [
    { load: `single events, ${values.connections} connections`, events: 1, connections: Number(values.connections) },
    { load: 'requests of 500, 8 connections', events: 500, connections: 8 },
  ]) {
    const bodies = Array.from({ length: 16 }, () =>
      JSON.stringify(events === 1 ? makeEvent() : Array.from({ length: events }, makeEvent)),
    );
    let parsedPerSecond: number | undefined;
    for (const { name, target } of targets) {
      const common = { host: '127.0.0.1', connections, seconds: Number(values.seconds), bodies };
      const { perSecond, p50Ms, p99Ms, failures } = await runLoad({ ...common, ...target });
      if (failures > 0) throw new Error(`${failures} requests were refused`);
      parsedPerSecond ??= perSecond;
      const rate = Math.round(perSecond * events).toLocaleString('en');
      const ratio = (perSecond / parsedPerSecond).toFixed(2);
      console.log(`| ${[load, name, rate, ratio, Math.round(p50Ms), Math.round(p99Ms)].join(' | ')} |`);
    }
  }
  const memory = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${processes[0]?.pid}/status`, 'utf8'))?.[1];
  console.log(`\nLargest memory of the service that assembles: ${Math.round(Number(memory) / 1_024)} MiB`);
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
} finally {
  for (const child of processes) await stopProcess(child);
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
