import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/lib/logger.ts';
import { startService } from '../src/main.ts';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { startEmbeddedEngine } from '../src/storage/analytic/embedded/engine.ts';

/**
 * Measures the bytes a call takes on disk, by table: posts the events of calls through the API, waits until all days but
 * today are rolled up, and asks the store.
 *
 *   node bin/runtime.js bench/bytes.ts --calls 100000
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '100000' } } });
const calls = Number(values.calls);
const dataDir = mkdtempSync(join(tmpdir(), 'farthing-bytes-'));
const adminToken = 'admin-token-of-the-bench';
const config = readConfig({
  FARTHING_DATA_DIR: dataDir,
  FARTHING_PORT: '0',
  FARTHING_ADMIN_TOKEN: adminToken,
  FARTHING_SEAL_AFTER_SECONDS: '1',
  FARTHING_LOG_LEVEL: 'warn',
});
const logger = await createLogger('warn', false);
const service = await startService(config, { logger, terminal: undefined });

const send = async (path: string, token: string, body: string): Promise<Record<string, string>> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
};
const project = await send('/admin/projects/', adminToken, '{"name":"bytes"}');
const client = await send(`/admin/projects/${project.id}/clients/`, adminToken, '{"name":"bytes"}');

const file = join(dataDir, 'events.ndjson');
execFileSync(process.execPath, ['bench/generate-events.ts', '--calls', values.calls, '--days', '10', '--out', file]);
let batch: string[] = [];
let posted = 0;
const post = async () => {
  await send(`/intake/${client.client_id}/`, client.secret ?? '', `[${batch.join(',')}]`);
  posted += batch.reduce((sum, line) => sum + line.length, 0);
  batch = [];
};
for await (const line of createInterface({ input: createReadStream(file) })) {
  batch.push(line);
  if (batch.length === 5_000) await post();
}
if (batch.length > 0) await post();
// Days that are quiet are sealed, and their parts merged.
await new Promise((resolve) => setTimeout(resolve, 30_000));
await service.stop();

const engine = await startEmbeddedEngine({ dataDir, logger });
const { url, username, password } = engine;
const store = new AnalyticStore({ url, credentials: { username, password } });
const rows = await store.select<{ table: string; bytes: string; parts: string; rows: string }>(
  'SELECT table, sum(bytes_on_disk) AS bytes, count() AS parts, sum(rows) AS rows FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table ORDER BY sum(bytes_on_disk) DESC',
);
console.log(`posted: ${(posted / calls).toFixed(0)} bytes a call`);
for (const { table, bytes, parts, rows: count } of rows) {
  console.log(`${table}: ${(Number(bytes) / calls).toFixed(1)} bytes a call, ${count} rows, ${parts} parts`);
}
const total = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
console.log(`all: ${(total / calls).toFixed(0)} bytes a call`);
await store.close();
await engine.close();
rmSync(dataDir, { recursive: true, force: true });
