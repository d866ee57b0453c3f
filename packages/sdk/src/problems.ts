/**
 * - `settings`: the url, the client id or the secret is missing, so nothing is sent.
 * - `no_context`: this runtime has no `AsyncLocalStorage`, so `with` ends at the first `await`.
 * - `unknown_client`: `wrap` does not know the client, so its calls are not reported.
 * - `not_reported`: a method of a wrapped client may cost money and is not reported; each is told once.
 * - `unreachable`: the service can't be reached or refuses; events wait, and are sent later.
 * - `full`: the queue is full, and new events are dropped.
 * - `refused`: the service or its limits refuse events, which are dropped.
 * - `unsent`: the process ends, or `close` gives up, before all events are sent.
 * - `exceeded`: a budget of a guard that only warns is used up.
 * - `unknown_budget`: what is spent on a guard's budget is not known.
 * - `internal`: a fault of this package. The host's call is not touched by it.
 */
export type ProblemCode =
  | 'settings'
  | 'no_context'
  | 'unknown_client'
  | 'not_reported'
  | 'unreachable'
  | 'full'
  | 'refused'
  | 'unsent'
  | 'exceeded'
  | 'unknown_budget'
  | 'internal';

export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  /** How many events have been dropped so far. */
  readonly dropped: number;
}

function warn({ message }: Problem): void {
  const { console: terminal } = globalThis;
  terminal?.warn?.(`farthing: ${message}`);
}

/** Reports each problem once until it is over, and counts dropped events. */
export class Problems {
  dropped = 0;
  readonly #told = new Set<string>();
  readonly #tell: (problem: Problem) => void;

  constructor(tell: ((problem: Problem) => void) | undefined) {
    this.#tell = tell ?? warn;
  }

  /** Tells a problem, once for each `about`. */
  tell(code: ProblemCode, message: string, about: string = code): void {
    if (this.#told.has(about)) return;
    this.#told.add(about);
    try {
      this.#tell({ code, message, dropped: this.dropped });
    } catch {
      // A callback that fails must not fail the host's call.
    }
  }

  drop(code: ProblemCode, count: number, message: string): void {
    this.dropped += count;
    this.tell(code, message);
  }

  /** Marks a problem as over, so that it is reported again when it comes back. */
  isOver(...abouts: readonly string[]): void {
    for (const about of abouts) this.#told.delete(about);
  }

  /** Runs what must never fail the host. */
  guard<Result>(fn: () => Result): Result | undefined {
    try {
      return fn();
    } catch (error) {
      this.tell('internal', `a call was not reported: ${error}`);
      return undefined;
    }
  }
}
