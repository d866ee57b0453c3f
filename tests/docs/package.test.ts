// The file that `npm pack` makes, run in an empty folder: by npx, which installs its packages; in the usual form beside those of the repository.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { isLong } from '../support/effort.ts';
import { whenThisProcessEnds } from '../support/leash.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'farthing-package-'));
const letGo = whenThisProcessEnds('rm -rf -- "$0"', folder);
const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };

afterAll(() => {
  letGo();
  rmSync(folder, { recursive: true, force: true });
});

test('the package runs in an empty folder: the service with its page, and commands that are typed as their help says', {
  timeout: 900_000,
}, async () => {
  const { stdout: packed } = await run('npm', ['pack', '--json', '--pack-destination', folder], { env, cwd: '.' });
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as [{ filename: string }];
  // What npm has fetched before, but nothing that npx has installed: it takes a file of the same name for the same.
  const { stdout: cache } = await run('npm', ['config', 'get', 'cache'], { env });
  mkdirSync(join(folder, 'npm'));
  symlinkSync(join(cache.trim(), '_cacache'), join(folder, 'npm/_cacache'));
  const npx = ['npx', '--prefer-offline', `./${filename}`] as const;
  if (!isLong) {
    await run('tar', ['-xzf', filename], { cwd: folder });
    symlinkSync(resolve('node_modules'), join(folder, 'package/node_modules'));
  }
  const [program, ...args] = isLong ? npx : ([process.execPath, 'package/bin/farthing.js'] as const);
  const port = await freePort();
  const settings = { FARTHING_PORT: String(port), FARTHING_URL: `http://127.0.0.1:${port}` };
  // At a terminal npx would ask before it installs.
  const ofNpm = { npm_config_cache: join(folder, 'npm'), npm_config_yes: 'true' };
  const options = { cwd: folder, env: { ...env, ...settings, ...ofNpm } };
  const service = spawn(program, [...args, 'serve'], {
    ...options,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = whenThisProcessEnds('kill -9 "$0"', `-${service.pid}`);
  try {
    await poll('the service is ready', { within: 300_000 }, async () => {
      if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`);
      return (await fetch(`${settings.FARTHING_URL}/readyz`).catch(() => undefined))?.ok ? true : undefined;
    });
    const page = await (await fetch(settings.FARTHING_URL)).text();
    const [, script = ''] = /<script[^>]*src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(`${settings.FARTHING_URL}${script}`)).status).toBe(200);
    expect(readFileSync(join(folder, 'farthing-data/first-start.txt'), 'utf8')).toContain('in a browser');

    const { stdout: help } = await run(program, [...args, 'doctor', '--help'], options);
    const [, typed = ''] = /^Example:\n {2}(.+)$/m.exec(help) ?? [];
    expect(typed).toMatch(isLong ? /^npx .*\.tgz doctor$/ : /^node package\/bin\/farthing.js doctor$/);
    const { stdout: findings } = await run('bash', ['-c', `${typed} --json`], options);
    expect(findings).toContain('"admin token"');
  } finally {
    if (service.pid !== undefined && service.exitCode === null) {
      process.kill(-service.pid, 'SIGTERM');
      await new Promise((resolve) => service.once('exit', resolve));
    }
    stop();
  }
});
