// SQLite's write-ahead log is cut off, so that committed transactions are lost; parts of the embedded engine's tables are broken or
// gone: repaired where it can be, and never in silence.
import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, type Service, type ServiceOptions, startService } from '../support/service.ts';
import { clearReplaced, type Harm, harm, harms } from './parts-on-disk.ts';
import { readReadiness, untilSays, untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { untilAnswered, Workload } from './workload.ts';
import { headerBytes, readCommits } from './write-ahead-log.ts';

const rounds = countRounds(1);

const derived = ['narrow_cells', 'cells', 'customer_cells', 'run_cells', 'calls', 'event_ids', 'runs'] as const;
const round = fc.record({
  table: fc.constantFrom(...derived, ...usualOrLong([], ['migrations'] as const)),
  // Usually the one that the engine does not notice itself.
  how: fc.constantFrom(...usualOrLong<readonly Harm[]>(['the folder gone'], harms)),
  at: fc.double({ min: 0, max: 0.99, noNaN: true }),
  /** Which of the parts. */
  which: fc.nat(100),
});

const cut = fc.record({
  afterMs: fc.integer({ min: 300, max: 1_500 }),
  /** How much of it is kept, of what was written since the project was made; usually nothing, which must be noticed. */
  kept: usualOrLong(fc.constant(0), fc.double({ min: 0, max: 0.95, noNaN: true })),
});

const dataDir = makeMigratedDataDir();
let options: ServiceOptions;
let service: Service;
/** The last one: in the usual form the only one, so that whatever breaks is asked for. */
let last: Workload | undefined;

beforeAll(async () => {
  options = { dataDir, port: await freePort(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } };
  service = await startService(options);
});
afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** One that is cut off because the machine is busy has not noted its parts. */
async function stop(): Promise<void> {
  while ((await service.stop()).code !== 0) service = await startService(options);
}

test('D3.2, D4.7: a cut-off SQLite write-ahead log is detected, and no total is wrong', {
  timeout: timeoutOf(rounds),
}, async () => {
  await tryRounds('wal', rounds, cut, async ({ afterMs, kept }, tried) => {
    const wal = join(dataDir, 'control.sqlite-wal');
    const project = await connect(service.url, service.adminToken).createProject();
    const before = await Workload.begin(project, []);
    last = before;
    await pause(afterMs);
    await before.finish();
    const known = readCommits(wal);
    await pause(600);
    before.goOn();
    await pause(afterMs);
    await before.stop();
    // Until all of it is in the calls, which is what the control store has to know of.
    await untilAnswered(() => project.totalCost());
    await service.kill();
    const { salt, ends } = readCommits(wal);
    // SQLite begins the log anew now and then: what was in it before is in the database then.
    const safe = salt === known.salt ? known.ends.length : 0;
    const until = safe + Math.floor(kept * (ends.length - safe));
    truncateSync(wal, ends[until - 1] ?? headerBytes);
    tried('write-ahead log cut off');

    service = await startService(options);
    if (until === safe) {
      await untilSays(service, 'the control store has lost changes', ({ warnings }) =>
        warnings.some((warning) => warning.includes('the control store has lost its last changes')),
      );
      expect(service.output()).toContain('the control store has lost its last changes');
    }
    await before.finish();
    if (isLong) {
      // It is made good, so the next start has nothing to say.
      await stop();
      service = await startService(options);
      await untilSays(service, 'all is well', ({ ok, warnings }) => ok && warnings.length === 0);
      await before.expectModel();
    }
  });
});

test('D4.7: a broken or missing part of derived data is rebuilt, and no answer is wrong meanwhile', {
  timeout: timeoutOf(rounds),
}, async () => {
  await tryRounds('parts', rounds, round, async ({ table, how, at, which }, tried) => {
    if (last && !isLong) last.goOn();
    else last = await Workload.begin(await connect(service.url, service.adminToken).createProject(), []);
    const workload = last;
    await pause(700);
    await workload.finish();
    // Most days are sealed by then, so that answers come from rollups and calls.
    await pause(1_500);
    await stop();
    const parts = clearReplaced(dataDir, table);
    const part = parts[which % parts.length];
    if (part === undefined) throw new Error(`${table} has no part`);
    harm(part, how, at);

    service = await startService(options);
    await workload.expectModel();
    const isNoted = service.output().includes(part.name);
    // Bytes that no answer reads are found by nobody. What has only the first part of `migrations` makes it anew, by the same name.
    const isMadeAnew = table === 'migrations' && parts.length === 1 && part.name === 'all_1_1_0';
    if (how === 'the folder gone' && !isMadeAnew)
      expect(service.output()).toContain(`part ${part.name} of ${table} is gone`);
    else if (how !== 'bytes changed' && how !== 'the folder gone')
      expect(service.output()).toContain(`broken-on-start_${part.name}`);
    tried(`${how} of ${table}${isNoted ? '' : ', not read'}`);
    await untilWell(service);
    await workload.expectModel();
  });
});

test('D3.2: when a part of the log is missing, the service names it and the remedy, and its calls still count', async () => {
  if (!last) throw new Error('the tests above fill the log');
  const workload = last;
  for (const how of usualOrLong(['the folder gone'] as const, ['a file cut off', 'the folder gone'] as const)) {
    await stop();
    const [part] = clearReplaced(dataDir, 'events');
    if (part === undefined) throw new Error('the log has no part');
    harm(part, how, 0.5);
    service = await startService(options);
    const { warnings } = await untilSays(service, 'events are missing', (said) => said.warnings.length > 0);
    const month = part.name.replace(/^(\d{4})(\d{2})_.*/, '$1-$2');
    expect(warnings.join('\n')).toMatch(
      new RegExp(`part \\S*${part.name} of events .*: events received in ${month} are missing`),
    );
    expect(service.output()).toContain(`${part.name} of events`);
    expect((await readReadiness(service))?.ok).toBe(true);
    await workload.expectModel();
    // What is posted again counts, once.
    await workload.postAgain();
    await workload.expectModel();
  }
  await stop();
});
