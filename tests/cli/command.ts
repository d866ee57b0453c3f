import { type ChildProcess, spawn } from 'node:child_process';
import { pathOfCli } from '../support/service.ts';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a command of the CLI as a shell would; `settings` are its FARTHING_ variables. */
export function startCommand(args: readonly string[], settings: Record<string, string> = {}): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FARTHING_|VITEST|NODE_OPTIONS)/.test(name));
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', pathOfCli(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), FARTHING_DATA_DIR: '/nonexistent', ...settings },
  });
}

/** Runs a command to its end. */
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
