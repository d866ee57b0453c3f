/** The public surface of `@farthing/sdk/guard`. */
import { Farthing as Reporting } from './farthing.ts';
import { type GuardOptions, Guards } from './guards.ts';
import { type FarthingOptions, readVariable } from './settings.ts';

export { BudgetExceededError, type GuardOptions } from './guards.ts';
export type { FarthingOptions };

/** As `Farthing` of `@farthing/sdk`, with `guard`: the only method that throws. */
export class Farthing extends Reporting {
  readonly #guards: Guards;

  constructor(options: FarthingOptions = {}) {
    super(options);
    const url = (options.url ?? readVariable('FARTHING_URL'))?.replace(/\/+$/, '');
    const apiKey = options.apiKey ?? readVariable('FARTHING_API_KEY');
    const flush = (withinMs: number) => this.flush({ withinMs });
    this.#guards = new Guards(url && apiKey ? { url, apiKey, fetch: options.fetch, flush } : undefined, this.problems);
  }

  /**
   * Makes a call if a budget allows it. Asks before, remembers the answer for a second, and adds the calls made meanwhile.
   * @throws BudgetExceededError, and what the call throws
   */
  async guard<Result>(options: GuardOptions, call: () => Result): Promise<Awaited<Result>> {
    return await this.#guards.run(options, call);
  }
}
