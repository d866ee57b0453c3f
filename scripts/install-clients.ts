// Installs the clients of others that the tests run (tests/clients), where they are missing or older than their lock file.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('../tests/clients/', import.meta.url));

/** @throws Error when npm fails */
export function installClients(): void {
  // npm writes it last.
  const installed = join(folder, 'node_modules/.package-lock.json');
  const changedAt = (path: string) => statSync(path).mtimeMs;
  if (existsSync(installed) && changedAt(installed) >= changedAt(join(folder, 'package-lock.json'))) return;
  console.log('Installing the clients that the tests run.');
  // Where npm runs this, its own folder and options are in the environment.
  const options = ['--prefix', folder, '--include', 'dev', '--workspaces', 'true', '--include-workspace-root', 'true'];
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`The clients that the tests run could not be installed in ${folder}.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) installClients();
