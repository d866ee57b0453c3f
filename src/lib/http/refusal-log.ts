import type { Logger } from '../logger.ts';

const everyMs = 10_000;

/**
 * Logs at intervals how many requests were refused because too many came (D3.7). Under overload, a line for each would
 * cost more than the refusal itself. The metrics count every one.
 */
export class RefusalLog {
  readonly #logger: Pick<Logger, 'warn'>;
  #refused = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  note(): void {
    this.#refused += 1;
    if (this.#pause === undefined) this.#say();
  }

  #say = (): void => {
    this.#pause = undefined;
    if (this.#refused === 0) return;
    this.#logger.warn({ refused: this.#refused }, 'requests were refused: more came than can be taken');
    this.#refused = 0;
    this.#pause = setTimeout(this.#say, everyMs).unref();
  };
}
