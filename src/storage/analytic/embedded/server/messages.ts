/** The messages between the engine's process and its parent, on the IPC channel. */

/** Limits of the embedded engine. The settings of a request can change those of its query. */
export interface EngineLimits {
  readonly serverMemoryBytes: number;
  readonly queryMemoryBytes: number;
  readonly querySeconds: number;
  readonly queryThreads: number;
  readonly runningQueries: number;
  readonly waitingQueries: number;
}

/** Defaults for a laptop or a small server: two cores and a few gigabytes. */
export const DEFAULT_LIMITS: EngineLimits = {
  serverMemoryBytes: 2_000_000_000,
  queryMemoryBytes: 1_000_000_000,
  querySeconds: 30,
  queryThreads: 2,
  // Below UV_THREADPOOL_SIZE, so that file reads and KILL QUERY always find a free thread.
  runningQueries: 12,
  waitingQueries: 1_000,
};

/** The size of the libuv pool in the engine's process: a running query occupies one of its threads. */
export const THREAD_POOL_SIZE = 16;

/** A data part that the engine set aside at start, because it was broken or because somebody detached it. */
export interface DetachedPart {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  readonly reason: string;
}

/** A data part that a query could not read because something in it is broken. */
export type BrokenPart = Omit<DetachedPart, 'reason'>;

export interface StartMessage {
  readonly type: 'start';
  readonly storePath: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly limits: EngineLimits;
}

export interface StopMessage {
  readonly type: 'stop';
}

export interface ReadyMessage {
  readonly type: 'ready';
  readonly port: number;
  readonly detachedParts: readonly DetachedPart[];
}

export interface FailedMessage {
  readonly type: 'failed';
  readonly message: string;
}

export interface BrokenMessage {
  readonly type: 'broken';
  readonly part: BrokenPart;
}

export type ToEngine = StartMessage | StopMessage;
export type FromEngine = ReadyMessage | FailedMessage | BrokenMessage;
