import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { engineEnvironment } from '../../../config.ts';
import {
  type BrokenPart,
  type FromEngine,
  type ReadyMessage,
  type StartMessage,
  THREAD_POOL_SIZE,
  type ToEngine,
} from './server/messages.ts';

// Beside this module, as its source or as built.
const SERVER = fileURLToPath(new URL(`./server${extname(import.meta.url)}`, import.meta.url));
const STOP_TIMEOUT_MS = 5_000;
const MAX_DIAGNOSTICS_LENGTH = 8_192;
// Printed by the engine; chDB's JavaScript error doesn't say why a store can't be opened.
const LOCKED_BY_OTHER = 'Another server instance in same directory is already running';

/** Why the embedded engine could not start. */
export class EngineStartError extends Error {
  readonly code: 'in_use' | 'failed';

  constructor(code: EngineStartError['code'], message: string) {
    super(message);
    this.name = 'EngineStartError';
    this.code = code;
  }
}

/** How the engine's process ended: with an exit code, or by a signal. */
export interface EngineExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class EngineProcess {
  readonly exited: Promise<EngineExit>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      // The process could not be started, or not be signalled. If it was not started, there is no 'exit'.
      child.on('error', () => child.pid === undefined && resolve({ code: null, signal: null }));
    });
  }

  /**
   * Starts the process and waits until it answers queries. `onOutput` gets the engine's output, `onBroken` the parts
   * that it can't read. The signal kills a process that is not ready yet.
   * @throws EngineStartError
   */
  static async launch(
    start: StartMessage,
    {
      onOutput,
      onBroken,
    }: { readonly onOutput: (text: string) => void; readonly onBroken: (part: BrokenPart) => void },
    signal: AbortSignal,
  ): Promise<{ engine: EngineProcess; ready: ReadyMessage }> {
    const child = fork(SERVER, [], {
      // None of the parent's flags: those of a debugger or a test runner would interfere.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { ...engineEnvironment(), UV_THREADPOOL_SIZE: String(THREAD_POOL_SIZE) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const engine = new EngineProcess(child);
    let diagnostics = '';
    let isReady = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (isReady) onOutput(text);
      else diagnostics = (diagnostics + text).slice(-MAX_DIAGNOSTICS_LENGTH);
    });
    child.on('message', (message: FromEngine) => {
      if (message.type === 'broken') onBroken(message.part);
    });
    engine.#send(start);
    const abandon = () => void engine.kill();
    signal.addEventListener('abort', abandon);
    const answer = await Promise.race([engine.#firstMessage(), engine.exited]);
    signal.removeEventListener('abort', abandon);
    if ('type' in answer && answer.type === 'ready') {
      isReady = true;
      return { engine, ready: answer };
    }
    await engine.kill();
    throw startError(start.storePath, answer, diagnostics);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Stops the process, and kills it if that takes longer than `STOP_TIMEOUT_MS`. */
  async stop(): Promise<void> {
    this.#send({ type: 'stop' });
    const giveUp = new AbortController();
    const timeout = sleep(STOP_TIMEOUT_MS, undefined, { signal: giveUp.signal }).catch(() => {});
    await Promise.race([this.exited, timeout]);
    giveUp.abort();
    await this.kill();
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  async #firstMessage(): Promise<FromEngine> {
    const [message] = await once(this.#child, 'message');
    return message;
  }

  // A process that has just died gets no message; its death resolves `exited`.
  #send(message: ToEngine): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

function startError(storePath: string, answer: FromEngine | EngineExit, diagnostics: string): EngineStartError {
  if (diagnostics.includes(LOCKED_BY_OTHER)) {
    return new EngineStartError('in_use', `The store at ${storePath} is already in use by another process`);
  }
  const reason =
    'type' in answer
      ? answer.type === 'failed' && answer.message
      : `its process ended with ${answer.signal ?? `exit code ${answer.code}`}`;
  const printed = diagnostics.trim();
  return new EngineStartError(
    'failed',
    `The embedded engine could not start at ${storePath}: ${reason}${printed === '' ? '' : `\n${printed}`}`,
  );
}
