import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Projects } from '../src/accounts/projects.ts';
import { Assembler } from '../src/calls/assembly/assembler.ts';
import { Progress } from '../src/calls/assembly/progress.ts';
import { registerWriter } from '../src/calls/assembly/watermarks.ts';
import { readEvent } from '../src/calls/events/event.ts';
import type { EventToStore } from '../src/calls/events/event-columns.ts';
import { ReportKeys } from '../src/calls/joins/report-keys.ts';
import { TouchedDays } from '../src/calls/touched-days.ts';
import { IntakeBuffer } from '../src/ingest/intake/buffer.ts';
import { PriceBooks } from '../src/pricing/books/price-books.ts';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { startEmbeddedEngine } from '../src/storage/analytic/embedded/engine.ts';
import { openControlStore } from '../src/storage/control/control-store.ts';
import { Lease } from '../src/storage/control/lease.ts';
import { noSignalBus } from '../src/storage/control/signals.ts';

/**
 * Stores the events of calls in the log, then measures how fast one assembler turns them into calls, by step.
 *
 *   node bin/runtime.js bench/assembly.ts --calls 300000
 */
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '300000' }, batch: { type: 'string', default: '50000' } },
});
const clock = Date.now;
const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: console.warn, error: console.error };
const dir = mkdtempSync(join(tmpdir(), 'farthing-assembly-'));
const engine = await startEmbeddedEngine({ dataDir: dir, logger });
const { url, username, password } = engine;
const store = new AnalyticStore({ url, credentials: { username, password } });
await store.migrate();
const control = await openControlStore({ dataDir: dir, postgresUrl: undefined, onError: console.error });
const projects = new Projects(control, clock);
const priceBooks = new PriceBooks(control, clock);
const project = await projects.create(
  { name: 'Bench', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null },
  priceBooks,
);
const writer = 'bench';
const registeredAt = clock();
await registerWriter(control, writer, registeredAt);

const file = join(dir, 'events.ndjson');
execFileSync(process.execPath, ['bench/generate-events.ts', '--calls', values.calls, '--days', '30', '--out', file]);
const progress = new Progress(clock);
const buffer = new IntakeBuffer({
  store,
  writer,
  clock,
  notBefore: registeredAt,
  maxBufferedBytes: 1e9,
  onStored: (batch) => progress.noteStored(batch),
  onError: console.error,
  isShared: () => false,
});
const limits = { maxTags: 100, maxEventBytes: 1e6 };
let events: EventToStore[] = [];
for await (const text of createInterface({ input: createReadStream(file) })) {
  const reading = readEvent(JSON.parse(text), buffer.receivedAt(), limits);
  if (!('columns' in reading)) throw new Error('an event was refused');
  events.push({ projectId: project.id, clientId: 'bench', columns: reading.columns, text: Buffer.from(text) });
  if (events.length < 10_000) continue;
  await buffer.store(events, buffer.receivedAt());
  events = [];
}
await buffer.store(events, buffer.receivedAt());

const lease = new Lease({ control, clock, holder: 'bench', exclusive: true });
const stepsMs = new Map<string, number>();
let calls = 0;
const assembler = new Assembler({
  store,
  control,
  lease,
  projects,
  priceBooks,
  reportKeys: new ReportKeys(store, lease),
  touchedDays: new TouchedDays(control, clock),
  maxEvents: Number(values.batch),
  clock,
  logger,
  writer,
  progress,
  exclusive: true,
  signalBus: noSignalBus,
  storedSeq: () => null,
  idleSince: () => undefined,
  hasUnstored: () => false,
  flush: async () => undefined,
  jobs: [],
  afterStep: (step, elapsedMs) => void stepsMs.set(step, (stepsMs.get(step) ?? 0) + elapsedMs),
  onBatch: (batch) => {
    calls += batch.calls;
  },
});
const before = readCpuMs();
const startedAt = performance.now();
assembler.start();
// An answer gives up after ten seconds.
for (;;) {
  const isDone = await progress.waitFor(project.id, 'strict').then(
    () => true,
    () => false,
  );
  if (isDone) break;
}
const seconds = (performance.now() - startedAt) / 1_000;
const after = readCpuMs();
for (const [step, ms] of stepsMs) console.log(`${step} | ${Math.round(ms)} ms`);
console.log(
  `${calls} calls in ${seconds.toFixed(1)} s, ${Math.round(calls / seconds)} a second; processor time a call: ${((1_000 * (after.own - before.own)) / calls).toFixed(1)} µs in Node.js, ${((1_000 * (after.engine - before.engine)) / calls).toFixed(1)} µs in the engine; ${cpus().length} cores`,
);
await assembler.stop();
await buffer.close();
await control.destroy();
await store.close();
await engine.close();
rmSync(dir, { recursive: true, force: true });

/** The processor time of this process and of the engine, in milliseconds. */
function readCpuMs(): { own: number; engine: number } {
  const { user, system } = process.cpuUsage();
  // Fields 14 and 15: user and system time in hundredths of a second.
  const fields = readFileSync(`/proc/${engine.pid()}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return { own: (user + system) / 1_000, engine: 10 * (Number(fields[11]) + Number(fields[12])) };
}
