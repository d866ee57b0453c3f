// Starts, stops, kills and restarts the service as an operator would: as a process, through its environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataRoot } from './data-root.ts';
import { isLong } from './effort.ts';
import { whenThisProcessEnds } from './leash.ts';
import { poll } from './poll.ts';
import { freePort } from './ports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const startWithin = 180_000;
/** The program under test: the bundle that the global set-up made, or the sources where a script starts a service. */
export const pathOfCli = (): string => process.env.TEST_CLI ?? join(root, 'src/cli.ts');

export interface ServiceOptions {
  /** `serve` by default; `engine` is the engine alone (see `startEngine`), `migrate` the migrations, which are never ready. */
  command?: 'serve' | 'engine' | 'migrate';
  /** Whether its output is a terminal. */
  inTerminal?: boolean;
  dataDir: string;
  /** The value of FARTHING_ADMIN_TOKEN; null leaves the variable unset. */
  adminToken?: string | null;
  port?: number;
  postgresUrl?: string;
  intakePort?: number;
  logLevel?: string;
  /** Whether it looks for alerts, at each project; not in the usual form of tests, unless they are about alerts. */
  alerts?: boolean;
  env?: Record<string, string>;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Service {
  url: string;
  port: number;
  adminToken: string;
  dataDir: string;
  pid: number;
  /** The output so far, of both streams. */
  output(): string;
  exited: Promise<Exit>;
  /** Sends SIGTERM and returns how the process ended. */
  stop(): Promise<Exit>;
  /** Sends SIGKILL to the whole process group: service and engine end at the same instant. */
  kill(): Promise<void>;
  /** The processes that the service started, including the engine. */
  childProcesses(): number[];
}

/** Makes a directory; it is removed when this process ends, if not earlier. */
export function makeDataDir(): string {
  const directory = mkdtempSync(join(dataRoot, 'farthing-data-'));
  whenThisProcessEnds('rm -rf -- "$0"', directory);
  return directory;
}

/** Makes a data folder with tables but no project, so that a start on it takes half the processor time. */
export function makeMigratedDataDir(): string {
  const directory = makeDataDir();
  const { TEST_DATA_DIR } = process.env;
  if (TEST_DATA_DIR !== undefined) cpSync(TEST_DATA_DIR, directory, { recursive: true });
  return directory;
}

/** Copies the control store of such a folder alone: migrating one takes sixteen times as long. */
export function copyMigratedControlStore(dataDir: string): void {
  const { TEST_DATA_DIR } = process.env;
  if (TEST_DATA_DIR !== undefined) cpSync(join(TEST_DATA_DIR, 'control.sqlite'), join(dataDir, 'control.sqlite'));
}

/** Starts a service and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = await launchService(options);
  try {
    await untilReady(service);
  } catch (error) {
    await service.kill();
    throw error;
  }
  return service;
}

/** Starts a service without waiting for it. */
export async function launchService({
  command = 'serve',
  inTerminal = false,
  dataDir,
  adminToken = 'admin-token-of-the-tests-0123456789',
  port,
  postgresUrl,
  intakePort,
  logLevel = 'warn',
  alerts = isLong || process.env.VITEST === undefined,
  env = {},
}: ServiceOptions): Promise<Service> {
  const listenPort = port ?? (await freePort());
  const run = [process.execPath, '--disable-warning=ExperimentalWarning', pathOfCli(), command] as const;
  const [program, ...args] = inTerminal ? ['script', '-qfec', run.join(' '), '/dev/null'] : run;
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...inheritedEnvironment(),
      FARTHING_PORT: String(listenPort),
      FARTHING_DATA_DIR: dataDir,
      FARTHING_LOG_LEVEL: logLevel,
      ...(adminToken !== null && { FARTHING_ADMIN_TOKEN: adminToken }),
      ...(!alerts && { FARTHING_ALERT_EVERY_SECONDS: '0' }),
      ...(postgresUrl !== undefined && { FARTHING_POSTGRES_URL: postgresUrl }),
      ...(intakePort !== undefined && { FARTHING_INTAKE_PORT: String(intakePort) }),
      ...env,
    },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the service could not be started');
  const output = collectOutput(child);
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const letGo = whenThisProcessEnds('kill -9 "$0"', `-${pid}`);
  let running = true;
  void exited.then(() => {
    running = false;
    letGo();
  });

  return {
    url: `http://127.0.0.1:${listenPort}`,
    port: listenPort,
    adminToken: adminToken ?? '',
    dataDir,
    pid,
    output,
    exited,
    stop: async () => {
      // Never signal a process that has ended: another process may have its id by now.
      if (running) process.kill(pid, 'SIGTERM');
      const exit = await exited;
      await untilGroupIsGone(pid);
      return exit;
    },
    kill: async () => {
      if (running) process.kill(-pid, 'SIGKILL');
      await exited;
      await untilGroupIsGone(pid);
    },
    childProcesses: () => processes().flatMap((found) => (found.parent === pid ? [found.pid] : [])),
  };
}

/** Starts the engine alone and waits until it answers; `url` includes its user and token, as a service needs it. */
export async function startEngine(options: { dataDir: string; port: number; token: string }): Promise<Service> {
  const { dataDir, port, token } = options;
  const engine = await launchService({
    command: 'engine',
    dataDir,
    adminToken: null,
    env: { FARTHING_ENGINE_PORT: String(port), FARTHING_ENGINE_TOKEN: token },
  });
  try {
    await poll('the engine answers', { within: startWithin }, async () =>
      (await fetch(`http://127.0.0.1:${port}/ping`).catch(() => undefined))?.ok ? true : undefined,
    );
  } catch (error) {
    const output = engine.output();
    await engine.kill();
    throw new Error(`the engine did not start; it printed:\n${output}`, { cause: error });
  }
  return { ...engine, port, url: `http://farthing:${token}@127.0.0.1:${port}` };
}

/** Runs a statement on the engine of a data folder that no service uses, and returns the answer. */
export async function askEngine(dataDir: string, statement: string): Promise<string> {
  const engine = await startEngine({ dataDir, port: await freePort(), token: 'token-of-the-engine-0123456789' });
  try {
    const { username, password, origin } = new URL(engine.url);
    const answer = await fetch(`${origin}/?mutations_sync=1`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
      body: statement,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  } finally {
    await engine.stop();
  }
}

/** Waits until a launched service is ready. */
export async function untilReady(service: Service): Promise<void> {
  let exit: Exit | undefined;
  void service.exited.then((value) => {
    exit = value;
  });
  let last = '';
  const ready = poll('the service is ready', { within: startWithin }, async () => {
    if (exit) throw new Error(`the service ended at start (${JSON.stringify(exit)}):\n${service.output()}`);
    try {
      const answer = await fetch(`${service.url}/readyz`);
      last = await answer.text();
      return answer.status === 200 ? true : undefined;
    } catch (error) {
      last = `${error}: ${(error as Error).cause}`;
      return undefined;
    }
  });
  await ready.catch((cause: unknown) => {
    throw new Error(`${cause}; ${service.url} answered last: ${last}; it printed:\n${service.output()}`, { cause });
  });
}

/** The environment of the tests, without the variables that configure the service. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(FARTHING_|VITEST|NODE_OPTIONS|NODE_ENV)/.test(name)),
  );
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-200_000);
    });
  }
  return () => text;
}

/** Whether there is a process with this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGroupIsGone(pid: number): Promise<void> {
  await poll(`the process group ${pid} is gone`, { within: 60_000 }, () =>
    processes().some((found) => found.group === pid && found.state !== 'Z') ? undefined : true,
  );
}

interface ProcessEntry {
  pid: number;
  state: string;
  parent: number;
  group: number;
}

function processes(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The second field is the program's name in brackets, which may itself hold spaces and brackets.
      const [state = '', parent = '', group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), state, parent: Number(parent), group: Number(group) }];
    } catch {
      return [];
    }
  });
}
