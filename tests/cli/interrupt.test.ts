// How a command ends at Ctrl-C, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDataDir } from '../support/service.ts';

const module = new URL('../../src/cli/progress-bar.ts', import.meta.url).href;

/** Its exit code, and what it wrote to standard error. */
async function runCode(code: string): Promise<{ exit: unknown; said: string }> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [exit] = await once(child, 'close');
  return { exit, said };
}

test.each([
  ['SIGINT', true, 130],
  ['SIGTERM', false, 143],
])('%s gives the cursor back and says how to go on; on a terminal: %s', async (signal, isTerminal, expected) => {
  const code = `
    import { startBar } from ${JSON.stringify(module)};
    process.stderr.isTTY = ${isTerminal};
    startBar(10, 'Run the same command again to continue.').update(3);
    process.kill(process.pid, '${signal}');
    setInterval(() => {}, 1000);`;
  const { exit, said } = await runCode(code);
  expect(exit).toBe(expected);
  expect(said).toContain('Run the same command again to continue.');
  const [hide, show] = ['\u001b[?25l', '\u001b[?25h'];
  expect(said.includes(hide)).toBe(isTerminal);
  if (isTerminal) expect(said.lastIndexOf(show)).toBeGreaterThan(said.lastIndexOf(hide));
});

test('an interrupted export leaves no part of its file, and says to run it again', async () => {
  const file = join(makeDataDir(), 'costs.csv');
  const code = `
    import { writeTo } from ${JSON.stringify(new URL('../../src/cli/output.ts', import.meta.url).href)};
    setInterval(() => {}, 1000);
    await writeTo(${JSON.stringify(file)}, async ({ write }) => {
      await write('a row');
      process.kill(process.pid, 'SIGINT');
      await new Promise(() => {});
    });`;
  const { exit, said } = await runCode(code);
  expect(exit).toBe(130);
  expect(said).toContain(`Interrupted: ${file} was not written. Run the same command again.`);
  expect(readdirSync(dirname(file))).toEqual([]);
});
