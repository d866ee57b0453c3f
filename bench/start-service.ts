import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface Engine {
  /** With user and password, as FARTHING_CLICKHOUSE_URL takes it. */
  readonly url: string;
  readonly process: ChildProcess;
}

export interface Service {
  readonly url: string;
  readonly adminToken: string;
  readonly process: ChildProcess;
}

export interface ServiceSettings {
  readonly port?: number;
  readonly adminToken?: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const readyWithinMs = 60_000;

/** Starts a service on a data folder, at a free port by default; it is ready when this resolves. */
export async function startService(dir: string, settings: ServiceSettings = {}): Promise<Service> {
  const { port = await freePort(), adminToken = randomUUID(), env = {} } = settings;
  const url = `http://127.0.0.1:${port}`;
  const process = await launch('serve', `${url}/readyz`, {
    FARTHING_DATA_DIR: dir,
    FARTHING_ADMIN_TOKEN: adminToken,
    FARTHING_PORT: String(port),
    ...env,
  });
  return { url, adminToken, process };
}

/** Starts the embedded engine alone on a data folder; it answers when this resolves. */
export async function startEngine(dir: string): Promise<Engine> {
  const [port, token] = [await freePort(), randomUUID()];
  const process = await launch('engine', `http://127.0.0.1:${port}/ping`, {
    FARTHING_DATA_DIR: dir,
    FARTHING_ENGINE_PORT: String(port),
    FARTHING_ENGINE_TOKEN: token,
  });
  return { url: `http://farthing:${token}@127.0.0.1:${port}`, process };
}

async function launch(command: string, answersAt: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...process.execArgv, cli, command], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, FARTHING_LOG_LEVEL: 'error', ...env },
  });
  const until = performance.now() + readyWithinMs;
  while ((await fetch(answersAt).catch(() => undefined))?.status !== 200) {
    if (performance.now() > until || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error(`farthing ${command} did not become ready`);
    }
    await pause(100);
  }
  return child;
}

/** Stops a process by SIGTERM and waits for its end. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
