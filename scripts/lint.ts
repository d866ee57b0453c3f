/*
 * The command behind `npm run lint`: dead code, types, format and lint, all beside each other.
 *
 *   node bin/runtime.js scripts/lint.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { installClients } from './install-clients.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// The four checkers that tsc has by default work out the same types: one takes a third less processor time.
const types = (folder: string) => ['tsc', '-p', folder, '--checkers', '1'];
const checks = [types('.'), ['knip'], ['biome', 'check', '.'], types('dashboard'), types('packages/sdk')];

/** Whether a check finds nothing; prints what it finds. */
async function passes([name = '', ...args]: readonly string[]): Promise<boolean> {
  const check = spawn(`node_modules/.bin/${name}`, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(check.stdout), text(check.stderr)]);
  const [code] = await once(check, 'close');
  const command = [name, ...args].join(' ');
  console.log(code === 0 ? `passed: ${command}` : `failed: ${command}\n${(await said).join('')}`);
  return code === 0;
}

installClients();
const results = await Promise.all(checks.map(passes));
if (results.includes(false)) process.exitCode = 1;
