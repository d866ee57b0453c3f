// After a kill of any process at any moment, no acknowledged event is lost, none counts twice, and the service recovers by itself.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { launchService, makeMigratedDataDir, startService } from '../support/service.ts';
import { untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { otherWork, Workload } from './workload.ts';

const rounds = countRounds(1);

const running = ['the service', 'the engine', 'the service and the engine'] as const;
const killOf = <What extends string>(...what: What[]) =>
  fc.record({
    what: fc.constantFrom(...what),
    afterMs: fc.integer({ min: 20, max: 900 }),
    /** Starts after it that are killed as well, and when. */
    starts: fc.array(fc.integer({ min: 50, max: 2_500 }), { maxLength: 1 }),
  });
const round = fc.record({
  work: fc.subarray([...otherWork], { maxLength: usualOrLong(1, otherWork.length) }),
  // Where nothing is imported, a kill of the import kills nothing: the first is of something that runs.
  kills: fc
    .tuple(killOf(...running), fc.array(killOf(...running, 'the import'), { maxLength: usualOrLong(0, 2) }))
    .map(([first, others]) => [first, ...others]),
});

test('D3.2, D3.7, D4.2, D5.5: kills at any moment of any work lose nothing and count nothing twice', {
  timeout: timeoutOf(rounds),
}, async () => {
  const dataDir = makeMigratedDataDir();
  const port = await freePort();
  // Days are rolled up at once, so that kills come in the middle of that too.
  const options = { dataDir, port, env: { FARTHING_SEAL_AFTER_SECONDS: '0' } };
  let service = await startService(options);
  try {
    await tryRounds('kills', rounds, round, async ({ work, kills }, tried) => {
      const workload = await Workload.begin(await connect(service.url, service.adminToken).createProject(), work);
      for (const { what, afterMs, starts } of kills) {
        await pause(afterMs);
        if (what === 'the import') {
          workload.killImport();
          if (work.includes('import')) tried('kill of the import');
          continue;
        }
        if (what === 'the engine') {
          for (const pid of service.childProcesses()) process.kill(pid, 'SIGKILL');
        } else {
          if (what === 'the service') {
            process.kill(service.pid, 'SIGKILL');
            await service.exited;
          } else {
            await service.kill();
          }
          for (const startedMs of starts) {
            const starting = await launchService(options);
            await pause(startedMs);
            await starting.kill();
            tried('kill of a start');
          }
          service = await startService(options);
        }
        tried(`kill of ${what}${work.length > 0 ? ` (${work.join(', ')})` : ''}`);
      }
      await untilWell(service);
      if (kills.at(-1)?.what === 'the engine') expect(service.output()).toContain('the embedded engine has died');
      await workload.finish();
      expect(workload.acknowledged).toBeGreaterThan(0);
    });
    expect((await service.stop()).code).toBe(0);
  } finally {
    await service.kill();
  }
});
