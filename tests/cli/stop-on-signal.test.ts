// How a command that serves ends, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const module = new URL('../../src/cli/stop-on-signal.ts', import.meta.url).href;

/** Runs a process that sends itself SIGTERM; `stop` is the code of what it then does. */
async function endOf(stop: string): Promise<{ code: unknown; log: string }> {
  const code = `
    import { pino } from 'pino';
    import { stopOnSignal } from ${JSON.stringify(module)};
    stopOnSignal(pino(), async () => { ${stop} });
    process.kill(process.pid, 'SIGTERM');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const [exit] = await once(child, 'close');
  return { code: exit, log };
}

test('D13.3: a process that has stopped says so and ends with 0', async () => {
  const { code, log } = await endOf('');
  expect(code).toBe(0);
  expect(log).toContain('"signal":"SIGTERM","msg":"stopping"');
  expect(log).toContain('"msg":"stopped"');
});

test('a stop that fails is logged with its cause, and ends with 1', async () => {
  const { code, log } = await endOf("throw new Error('the lease was not given back');");
  expect(code).toBe(1);
  expect(log).toContain('the lease was not given back');
  expect(log).not.toContain('"msg":"stopped"');
});
