// The SDK's queue bridges a service that is killed and started again (D15.3).
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Farthing } from '../../packages/sdk/src/index.ts';
import { connect, type Json, onceCaughtUp, wholeRange } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { isRunning, makeMigratedDataDir, startService } from '../support/service.ts';

const calls = usualOrLong(1_000, 100_000);
const kills = usualOrLong(1, 8);
const customers = 7;

test(`D15.3: ${calls} calls while the service is killed ${kills} times lose nothing and count nothing twice`, async () => {
  const dataDir = makeMigratedDataDir();
  const port = await freePort();
  let service = await startService({ dataDir, port });
  const project = await connect(service.url, service.adminToken).createProject();
  const told: string[] = [];
  const farthing = new Farthing({
    url: service.url,
    clientId: project.clientId,
    clientSecret: project.secret,
    maxQueued: 2 * calls,
    maxQueuedBytes: 2 ** 30,
    maxBatch: 200,
    delayMs: 5,
    onProblem: ({ code }) => told.push(code),
  });
  const client = farthing.wrap({
    chat: {
      completions: {
        // Each call has a number of tokens of its own, so that one lost and one twice can't even out.
        create: async ({ number }: Json) => ({
          model: 'm1',
          choices: [],
          usage: { prompt_tokens: Number(number), completion_tokens: 1, total_tokens: Number(number) + 1 },
        }),
      },
    },
  });
  try {
    for (let round = 0; round <= kills; round += 1) {
      const [from, to] = [Math.floor((calls * round) / (kills + 1)), Math.floor((calls * (round + 1)) / (kills + 1))];
      for (let number = from; number < to; number += 1) {
        await farthing.with({ customer: `customer ${number % customers}` }, () =>
          client.chat.completions.create({ number }),
        );
        if (number % 50 === 0) await yieldToOthers();
        // In the midst of the round, so that requests are under way.
        if (round < kills && number === Math.floor((from + to) / 2)) {
          await poll('a part is sent', { within: 60_000 }, () =>
            farthing.queued < 2 * (number - from) ? true : undefined,
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
    expect(await farthing.close({ withinMs: 120_000 })).toBe(true);
    expect(farthing.dropped).toBe(0);
    expect(new Set(told)).toEqual(new Set(['unreachable']));

    const question = { ...wholeRange, aggregate: 'all', group_by: 'customer' };
    const { body } = await onceCaughtUp(() => project.api('POST', '/api/usage/', question));
    const counted = (body as { rows: Array<{ customer: string; calls: number; tokens: Json }> }).rows;
    const expected = Array.from({ length: customers }, (_, rest) => {
      const numbers = Array.from({ length: calls }, (_none, number) => number).filter(
        (one) => one % customers === rest,
      );
      const input = numbers.reduce((sum, one) => sum + one, 0);
      return { customer: `customer ${rest}`, calls: numbers.length, input, output: numbers.length };
    });
    expect(
      counted.map(({ customer, calls: made, tokens }) => ({
        customer,
        calls: made,
        input: tokens.input,
        output: tokens.output,
      })),
    ).toEqual(expected);
  } finally {
    await farthing.close({ withinMs: 0 });
    await service.kill();
  }
});
