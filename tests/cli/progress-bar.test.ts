// How a command with a progress bar ends at Ctrl-C, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const module = new URL('../../src/cli/progress-bar.ts', import.meta.url).href;

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
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [exit] = await once(child, 'close');
  expect(exit).toBe(expected);
  expect(said).toContain('Run the same command again to continue.');
  const [hide, show] = ['\u001b[?25l', '\u001b[?25h'];
  expect(said.includes(hide)).toBe(isTerminal);
  if (isTerminal) expect(said.lastIndexOf(show)).toBeGreaterThan(said.lastIndexOf(hide));
});
