// As of a close the answers stay the same when the service is killed at any moment of what changes its days.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { checkClosed, closedHistory } from '../support/closed-history.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const dataDir = makeMigratedDataDir();
let service: Service;

const start = async () => {
  const env = { FARTHING_SEAL_AFTER_SECONDS: '0' };
  service = await startService({ dataDir, env, ...(service && { port: service.port }) });
};

beforeAll(start);

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

test('D19.1: killed after any change of closed days, a close answers the same', { timeout: 1_500_000 }, async () => {
  let kills = 0;
  // A change is acknowledged before it is assembled: the kill comes before, during or after the copy of its days.
  const delays = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(closedHistory, delays, async (history, delaysMs) => {
      const farthing = connect(service.url, service.adminToken);
      let at = 0;
      await checkClosed(farthing, history, async () => {
        at += 1;
        await pause(delaysMs[at % delaysMs.length]);
        await service.kill();
        await start();
        kills += 1;
      });
    }),
    // A smaller case would only tell of the service that this one has left behind.
    { endOnFailure: true, numRuns: 12 },
  );
  // Otherwise the kills proved nothing.
  expect(kills).toBeGreaterThan(0);
});
