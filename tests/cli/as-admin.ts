// Runs commands against a service as its admin, for people and for programs.
import { expect } from 'vitest';
import type { Farthing } from '../support/client.ts';
import { type CommandResult, runInHost } from './command.ts';

export interface AdminCommands {
  /** What the command prints for people; it must succeed. */
  run(...args: string[]): Promise<string>;
  /** What it prints with `--json`; it must succeed. */
  runJson(...args: string[]): Promise<unknown>;
  /** The one line that a command which must fail prints. */
  fail(...args: string[]): Promise<string>;
}

/** `environment` is what the commands have in their environment besides. */
export function commandsOf(
  service: Pick<Farthing, 'url' | 'adminToken'>,
  environment: Readonly<Record<string, string>> = {},
): AdminCommands {
  const settings = { FARTHING_URL: service.url, FARTHING_ADMIN_TOKEN: service.adminToken, ...environment };
  const succeed = async (args: string[]): Promise<CommandResult> => {
    const result = await runInHost(args, settings);
    expect(result.code, `${args.join(' ')}: ${result.stderr}`).toBe(0);
    return result;
  };
  return {
    run: async (...args) => (await succeed(args)).stdout,
    runJson: async (...args) => JSON.parse((await succeed([...args, '--json'])).stdout) as unknown,
    fail: async (...args) => {
      const { code, stderr } = await runInHost(args, settings);
      expect(code, args.join(' ')).toBe(1);
      const lines = stderr.trim().split('\n');
      expect(lines, stderr).toHaveLength(1);
      return lines[0] ?? '';
    },
  };
}
