import { type ChildProcess, spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { pathOfCli } from '../support/service.ts';
import type { Answered, Asked } from './command-host.ts';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a command: `settings` are its FARTHING_ variables. */
function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(FARTHING_|VITEST|NODE_OPTIONS)/.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), FARTHING_DATA_DIR: '/nonexistent', ...settings };
}

/** Starts a command of the CLI as a shell would; `settings` are its FARTHING_ variables. */
export function startCommand(args: readonly string[], settings: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', pathOfCli(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(settings),
  });
}

/** Runs a command to its end, in a process of its own. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<CommandResult> {
  const command = startCommand(args, settings);
  let stdout = '';
  let stderr = '';
  command.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  command.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => command.once('close', resolve));
  return { code, stdout, stderr };
}

const waiting = new Map<number, (result: CommandResult) => void>();
let host: Worker | undefined;
let asked = 0;

function startHost(): Worker {
  const started = new Worker(new URL('./command-host.ts', import.meta.url), {
    env: environmentOf({}),
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  started.on('message', ({ id, ...result }: Answered) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
  });
  return started;
}

/**
 * Runs a command to its end in a thread that has its modules loaded, which takes a tenth of the processor time of a
 * process. For what is asked of the service and printed; how a process starts and ends is `runCommand`'s.
 */
export async function runInHost(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  host ??= startHost();
  asked += 1;
  const question: Asked = { id: asked, program: pathOfCli(), args, environment: environmentOf(settings) };
  return await new Promise((resolve) => {
    waiting.set(question.id, resolve);
    host?.ref();
    host?.postMessage(question);
  });
}
