import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface Service {
  readonly url: string;
  readonly adminToken: string;
  readonly process: ChildProcess;
}

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const readyWithinMs = 60_000;

/** Starts a service on a data folder, at a free port; it is ready when this resolves. */
export async function startService(dir: string): Promise<Service> {
  const adminToken = randomUUID();
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', cli, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      FARTHING_ADMIN_TOKEN: adminToken,
      FARTHING_PORT: String(port),
      FARTHING_DATA_DIR: dir,
      FARTHING_LOG_LEVEL: 'error',
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + readyWithinMs;
  while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
    if (performance.now() > until || child.exitCode !== null) throw new Error('the service did not become ready');
    await pause(100);
  }
  return { url, adminToken, process: child };
}
