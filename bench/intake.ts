import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from './free-port.ts';
import { runLoad } from './load.ts';
import { makeEvent } from './made-calls.ts';

/**
 * Measures how many events intake takes, durably, beside a server that only parses them, in the same run with the same load:
 * single events over many connections, and requests of 500.
 *
 *   node bin/runtime.js bench/intake.ts --seconds 10
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '1024' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'farthing-intake-'));
const adminToken = 'admin-token-of-the-benchmark';
const start = async (script: string[], env: Record<string, string>, url: string) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer && answer.status !== 503) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const [port, parsePort] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const parseUrl = `http://127.0.0.1:${parsePort}`;
const env = {
  FARTHING_PORT: String(port),
  FARTHING_DATA_DIR: join(dir, 'data'),
  FARTHING_ADMIN_TOKEN: adminToken,
  FARTHING_LOG_LEVEL: 'warn',
};
const parser = await start(['bench/parse-only.ts'], { PORT: String(parsePort) }, parseUrl);
const service = await start(['src/cli.ts', 'serve'], env, `${url}/readyz`);
try {
  const admin = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const project = await admin('/admin/projects/', { name: 'Bench' });
  const client = await admin(`/admin/projects/${project.id}/clients/`, { name: 'bench' });
  console.log('| Load | parse-only, events a second | Farthing, events a second | ratio | p50 ms | p99 ms |');
  console.log('|---|---|---|---|---|---|');
  for (const { name, events, connections } of [
    { name: `single events, ${values.connections} connections`, events: 1, connections: Number(values.connections) },
    { name: 'requests of 500, 8 connections', events: 500, connections: 8 },
  ]) {
    const bodies = Array.from({ length: 16 }, () =>
      JSON.stringify(events === 1 ? makeEvent() : Array.from({ length: events }, makeEvent)),
    );
    const common = { host: '127.0.0.1', connections, seconds: Number(values.seconds), bodies };
    const parsed = await runLoad({ ...common, port: parsePort, path: '/', token: 'none' });
    const taken = await runLoad({ ...common, port, path: `/intake/${client.client_id}/`, token: client.secret ?? '' });
    if (parsed.failures + taken.failures > 0) throw new Error('some requests were refused');
    const rates = [parsed, taken].map(({ perSecond }) => Math.round(perSecond * events).toLocaleString('en'));
    const ratio = (taken.perSecond / parsed.perSecond).toFixed(2);
    console.log(
      `| ${name} | ${rates.join(' | ')} | ${ratio} | ${[taken.p50Ms, taken.p99Ms].map(Math.round).join(' | ')} |`,
    );
  }
  const memory = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  console.log(`\nLargest memory of the service: ${Math.round(Number(memory) / 1_024)} MiB`);
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
} finally {
  parser.kill('SIGKILL');
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(dir, { recursive: true, force: true });
}
