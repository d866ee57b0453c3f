import type { Logger } from '../logger.ts';

const everyMs = 10_000;

/** Counts refusals of too many requests (D3.7) in the log: a line for each would cost more than they do. */
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
