import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFolder } from '../../../lib/make-folder.ts';
import { type EngineExit, EngineProcess, EngineStartError } from './engine-process.ts';
import {
  type BrokenPart,
  DEFAULT_LIMITS,
  type DetachedPart,
  type EngineLimits,
  type ReadyMessage,
} from './server/messages.ts';

export type { BrokenPart, DetachedPart, EngineLimits };
export { EngineStartError };

/** The part of pino's interface that the engine needs. */
export interface EngineLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface EmbeddedEngineOptions {
  /** The store is the folder `clickhouse` in it. */
  readonly dataDir: string;
  readonly logger: EngineLogger;
  readonly limits?: Partial<EngineLimits>;
  /** Where the engine listens; a free loopback port when unset. */
  readonly address?: { readonly host: string; readonly port: number };
  /** Random when unset. */
  readonly password?: string;
}

/** ClickHouse on this machine, for `@clickhouse/client`. Address and password stay the same across restarts. */
export interface EmbeddedEngine {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The engine's process, or undefined while there is none. */
  pid(): number | undefined;
  /** How often the engine was restarted after it had died. */
  restarts(): number;
  /** Broken or detached parts found at the last start: their rows are missing from answers. */
  detachedParts(): readonly DetachedPart[];
  /**
   * Calls back when answers begin to lack rows: with the part that a query could not read, or with undefined after a
   * restart in which the engine set parts aside.
   */
  onLoss(listener: (broken: BrokenPart | undefined) => void): void;
  close(): Promise<void>;
}

/**
 * Starts the embedded engine, and restarts it whenever it dies; meanwhile its port refuses connections.
 * @throws EngineStartError with code `in_use` if another process has the store; FolderFault
 */
export async function startEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  makePrivateFolder(storePathIn(options.dataDir));
  const supervisor = new Supervisor(options);
  await supervisor.start();
  return supervisor;
}

const storePathIn = (dataDir: string): string => resolve(join(dataDir, 'clickhouse'));

const FIRST_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
// If an engine ran for this long, its start was not the cause of its death.
const STABLE_AFTER_MS = 30_000;

class Supervisor implements EmbeddedEngine {
  readonly username = 'farthing';
  readonly password: string;
  readonly #host: string;
  readonly #storePath: string;
  readonly #logger: EngineLogger;
  readonly #limits: EngineLimits;
  readonly #closing = new AbortController();
  #engine: EngineProcess | undefined;
  #port: number;
  #restarts = 0;
  #detachedParts: readonly DetachedPart[] = [];
  #supervision: Promise<void> = Promise.resolve();
  readonly #lossListeners: ((broken: BrokenPart | undefined) => void)[] = [];

  constructor({ dataDir, logger, limits, address, password }: EmbeddedEngineOptions) {
    this.password = password ?? randomBytes(32).toString('hex');
    this.#host = address?.host ?? '127.0.0.1';
    this.#port = address?.port ?? 0;
    this.#storePath = storePathIn(dataDir);
    this.#logger = logger;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  pid(): number | undefined {
    return this.#engine?.pid;
  }

  restarts(): number {
    return this.#restarts;
  }

  detachedParts(): readonly DetachedPart[] {
    return this.#detachedParts;
  }

  onLoss(listener: (broken: BrokenPart | undefined) => void): void {
    this.#lossListeners.push(listener);
  }

  async start(): Promise<void> {
    const engine = await this.#launch();
    this.#supervision = this.#supervise(engine);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#engine?.stop();
    await this.#supervision;
  }

  async #launch(): Promise<EngineProcess> {
    const { engine, ready } = await EngineProcess.launch(
      {
        type: 'start',
        storePath: this.#storePath,
        username: this.username,
        password: this.password,
        host: this.#host,
        port: this.#port,
        limits: this.#limits,
      },
      {
        onOutput: (output) => this.#logger.warn({ output: output.trim() }, 'the embedded engine printed a message'),
        onBroken: (part) => {
          for (const listener of this.#lossListeners) listener(part);
        },
      },
      this.#closing.signal,
    );
    this.#engine = engine;
    this.#noteReady(ready);
    return engine;
  }

  #noteReady({ port, detachedParts }: ReadyMessage): void {
    this.#port = port;
    this.#detachedParts = detachedParts;
    this.#logger.info({ enginePid: this.pid(), enginePort: port }, 'the embedded engine is ready');
    if (detachedParts.length > 0) {
      this.#logger.warn({ detachedParts }, 'the embedded engine has detached parts: their rows are missing');
      for (const listener of this.#lossListeners) listener(undefined);
    }
  }

  /** Runs until close(): waits for the engine to die and restarts it, with longer pauses while it keeps dying soon. */
  async #supervise(first: EngineProcess): Promise<void> {
    let engine: EngineProcess | undefined = first;
    let failures = 0;
    while (engine !== undefined) {
      const startedAt = performance.now();
      const exit: EngineExit = await engine.exited;
      this.#engine = undefined;
      if (this.#closing.signal.aborted) return;
      this.#logger.error({ ...exit }, 'the embedded engine has died; starting it again');
      failures = performance.now() - startedAt > STABLE_AFTER_MS ? 0 : failures + 1;
      engine = await this.#relaunch(failures);
    }
  }

  /** Retries until the engine starts; undefined if close() came first. */
  async #relaunch(earlierFailures: number): Promise<EngineProcess | undefined> {
    for (let failures = earlierFailures; ; failures += 1) {
      await this.#pause(restartDelay(failures));
      if (this.#closing.signal.aborted) return undefined;
      try {
        const engine = await this.#launch();
        this.#restarts += 1;
        if (this.#closing.signal.aborted) await engine.stop();
        return engine;
      } catch (error) {
        if (this.#closing.signal.aborted) return undefined;
        this.#logger.error({ err: error }, 'the embedded engine could not be started again');
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

function restartDelay(failures: number): number {
  // The first restart is immediate.
  if (failures <= 1) return 0;
  return Math.min(FIRST_RESTART_DELAY_MS * 2 ** (failures - 2), MAX_RESTART_DELAY_MS);
}
