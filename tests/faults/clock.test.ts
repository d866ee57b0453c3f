// A clock that jumps, as when it is corrected or a machine wakes up.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/main.ts';
import { connect, expectStatus } from '../support/client.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir } from '../support/service.ts';
import { untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { otherWork, untilAnswered, Workload } from './workload.ts';

const rounds = countRounds(1);
const adminToken = 'admin-token-of-the-tests-0123456789';
const hourMs = 3_600_000;
const longAgoMs = 300 * hourMs;

const systemNow = Date.now.bind(Date);
let aheadMs = 0;

afterEach(() => {
  vi.restoreAllMocks();
});

const round = fc.record({
  work: fc.subarray([...otherWork]),
  jumps: fc.array(
    fc.record({
      afterMs: fc.integer({ min: 20, max: 900 }),
      byMs: fc.oneof(
        fc.integer({ min: -5_000, max: 5_000 }),
        fc.integer({ min: -2 * hourMs, max: 2 * hourMs }),
        fc.constantFrom(-72 * hourMs, 72 * hourMs),
      ),
      isStartedAgain: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

test('D3.2, D4.7: a clock that jumps to and fro loses nothing, and answers neither wait for it nor get older', {
  timeout: timeoutOf(rounds),
}, async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + aheadMs);
  const port = await freePort();
  const config = readConfig({
    FARTHING_PORT: String(port),
    FARTHING_DATA_DIR: makeDataDir(),
    FARTHING_ADMIN_TOKEN: adminToken,
    FARTHING_SEAL_AFTER_SECONDS: '0',
  });
  const start = () => startService(config, { logger: pino({ level: 'silent' }), terminal: undefined });
  let service = await start();
  try {
    await tryRounds('clock', rounds, round, async ({ work, jumps }, tried) => {
      // A call has the prices of when it was received (D5.5): these are set so long ago that no jump leads to before them.
      aheadMs -= longAgoMs;
      const project = await connect(service.url, adminToken).createProject();
      const workload = await Workload.begin(project, work);
      aheadMs += longAgoMs;
      let mostAheadMs = aheadMs;
      for (const { afterMs, byMs, isStartedAgain } of jumps) {
        await pause(afterMs);
        aheadMs += byMs;
        mostAheadMs = Math.max(mostAheadMs, aheadMs);
        tried(`clock ${byMs < 0 ? 'back' : 'forward'} by ${Math.abs(byMs) <= 5_000 ? 'seconds' : 'hours'}`);
        if (isStartedAgain) {
          await service.stop();
          service = await start();
          tried('start after a jump');
        }
        const acknowledged = workload.acknowledged;
        // On a machine that is busy with others it may say more than once that it is catching up, always in time.
        const rows = await untilAnswered(async () => {
          const askedAt = performance.now();
          const answer = await project.api('POST', '/api/usage/', { date_from: '2025-05-01', date_to: '2025-05-31' });
          expect(performance.now() - askedAt).toBeLessThan(15_000);
          return (expectStatus(answer, 200) as { rows: { calls: number }[] }).rows;
        });
        expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThanOrEqual(acknowledged);
      }
      await untilWell(service);
      await workload.stop();
      // Prices that were set while the clock was ahead can be changed again once it has got there.
      aheadMs = Math.max(aheadMs, mostAheadMs);
      await workload.finish();
    });
  } finally {
    await service.stop();
  }
});
