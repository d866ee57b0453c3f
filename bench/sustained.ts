import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { startEmbeddedEngine } from '../src/storage/analytic/embedded/engine.ts';
import { eventsOfCall } from './made-calls.ts';
import { startWatched } from './watched-service.ts';

/**
 * Posts events as fast as they are taken, and watches memory. Meanwhile it asks for costs, strictly and a second after each
 * answer, and in the end for coverage. Then prints active parts and the bytes that a call takes on disk, by table. A call has a `.before` and an `.after` of
 * about 500 bytes, or with `--after-only` only the second.
 *
 *   node bin/runtime.js bench/sustained.ts --events 10000000
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '30' },
    'after-only': { type: 'boolean', default: false },
    /** Asks for nothing, as an import at night. */
    unwatched: { type: 'boolean', default: false },
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
const firstDay = new Date(firstMs).toISOString().slice(0, 10);
const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'farthing-sustained-'));
const watched = await startWatched(dir);
const { client, key, send, readMemory, readMetric } = watched;

let callNumber = 0;
/** The events of the next call. */
function eventsOfNext(): Record<string, unknown>[] {
  const number = callNumber;
  callNumber += 1;
  return eventsOfCall(number, firstMs + Math.floor((number / (wanted / perCall)) * rangeMs), perCall);
}

let stored = 0;
let refused = 0;
async function post(): Promise<void> {
  while (callNumber * perCall < wanted) {
    const events = Array.from({ length: perRequest / perCall }, eventsOfNext).flat();
    for (;;) {
      const answer = await send(`/intake/${client.id}/`, client.secret, events);
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
let unanswered = 0;
const ask = async () => {
  const startedAt = performance.now();
  const body = { date_from: firstDay, group_by: 'model', aggregate: 'month' };
  const answer = await send('/api/costs/', key, body);
  await answer.arrayBuffer();
  if (answer.status === 200) asked.push(performance.now() - startedAt);
  else unanswered += 1;
};

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
let isLoaded = false;
let isDone = false;
const memory: number[] = [];
const watching = (async () => {
  for (let tick = 0; !isDone; tick += 1) {
    if (!isLoaded && !values.unwatched) await ask();
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
isLoaded = true;
while ((await readMetric('farthing_events_assembled_total')) < stored) await pause(500);
const assembledIn = seconds();
// Waits until all days but today are rolled up, so that the disk has all rollups.
while ((await readMetric('farthing_days_sealed_total')) < Number(values.days)) await pause(1_000);
isDone = true;
await watching;
const coverage: number[] = [];
while (coverage.length < 9) {
  const startedAt = performance.now();
  const answer = await fetch(`${watched.url}/api/coverage/?date_from=${firstDay}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`coverage was refused: ${answer.status}`);
  coverage.push(performance.now() - startedAt);
}
await watched.stop();

for (const times of [asked, coverage]) times.sort((a, b) => a - b);
const quarter = memory.slice(Math.floor(memory.length * 0.75));
const round = (number: number | undefined) => Math.round(number ?? 0).toLocaleString('en');
console.log(
  `\n${round(stored)} events stored in ${storedIn} s (${round(stored / storedIn)} a second; ${refused} requests were told to wait),`,
);
console.log(`all in the calls after ${assembledIn} s, all days sealed after ${seconds()} s`);
if (!values.unwatched) {
  const at = (share: number) => round(asked[Math.floor(share * asked.length)]);
  console.log(
    `costs asked meanwhile: ${asked.length} answers, median ${at(0.5)} ms, p90 ${at(0.9)}, longest ${round(asked.at(-1))}; ${unanswered} refused`,
  );
}
console.log(`coverage of these days, afterwards: median ${round(coverage[4])} ms`);
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
