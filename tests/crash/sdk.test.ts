// The SDK's queue bridges a service that is killed and started again, often (D15.3). Usually tests/crash/kill does so once.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { isRunning, makeMigratedDataDir, startService } from '../support/service.ts';
import { SdkCalls } from './sdk-calls.ts';

const calls = 100_000;
const kills = 8;

test(`D15.3: ${calls} calls while the service is killed ${kills} times lose nothing and count nothing twice`, async () => {
  const dataDir = makeMigratedDataDir();
  const port = await freePort();
  let service = await startService({ dataDir, port });
  const told = new SdkCalls(await connect(service.url, service.adminToken).createProject());
  try {
    for (let round = 0; round <= kills; round += 1) {
      const [from, to] = [Math.floor((calls * round) / (kills + 1)), Math.floor((calls * (round + 1)) / (kills + 1))];
      for (let number = from; number < to; number += 1) {
        await told.make();
        if (number % 50 === 0) await yieldToOthers();
        // In the midst of the round, so that requests are under way.
        if (round < kills && number === Math.floor((from + to) / 2)) {
          await poll('a part is sent', { within: 60_000 }, () =>
            told.sdk.queued < 2 * (number - from) ? true : undefined,
          );
          const engine = service.childProcesses();
          expect(engine.length).toBeGreaterThan(0);
          process.kill(service.pid, 'SIGKILL');
          await service.exited;
          // It ends with the service, so that the folder can be served at once.
          await poll('the engine is gone', { within: 60_000 }, () => (engine.some(isRunning) ? undefined : true));
        }
      }
      if (round < kills) service = await startService({ dataDir, port });
    }
    await told.expectAll();
  } finally {
    await told.sdk.close({ withinMs: 0 });
    await service.kill();
  }
});
