// A thread that runs commands of the CLI one after the other, as processes of their own would but for their start.
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { CommandResult } from './command.ts';

export interface Asked {
  readonly id: number;
  /** The program: the bundle. Each import with another query runs it anew, on modules that are loaded once. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface Answered extends CommandResult {
  readonly id: number;
}

class Exit extends Error {}

type Write = typeof process.stdout.write;

/** Collects what is written, as a pipe would. */
function collect(stream: NodeJS.WriteStream): { take(): string } {
  let parts: Buffer[] = [];
  stream.setMaxListeners(0);
  stream.write = ((part: string | Uint8Array, ...rest: readonly unknown[]) => {
    parts.push(Buffer.from(part as string));
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  }) as Write;
  return {
    take: () => {
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      return text;
    },
  };
}

const stdout = collect(process.stdout);
const stderr = collect(process.stderr);

process.exit = ((code?: number) => {
  process.exitCode = code ?? process.exitCode ?? 0;
  throw new Exit();
}) as typeof process.exit;

async function run({ id, program, args, environment }: Asked): Promise<Answered> {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = 0;
  try {
    await import(`${pathToFileURL(program).href}?run=${id}`);
  } catch (error) {
    if (!(error instanceof Exit)) {
      process.exitCode = 1;
      process.stderr.write(String((error as Error).stack));
    }
  }
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { id, code, stdout: stdout.take(), stderr: stderr.take() };
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (asked: Asked) => {
  last = last.then(async () => parentPort?.postMessage(await run(asked)));
});
