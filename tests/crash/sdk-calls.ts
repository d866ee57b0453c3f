// Calls of an application that the SDK reports, each with a number of tokens of its own: one lost and one twice can't even out.
import { expect } from 'vitest';
import { Farthing } from '../../packages/sdk/src/index.ts';
import { type Json, onceCaughtUp, type Project, wholeRange } from '../support/client.ts';

const customers = 7;

export class SdkCalls {
  readonly sdk: Farthing;
  readonly #project: Project;
  readonly #told: string[] = [];
  readonly #client;
  /** How many were made. */
  made = 0;

  constructor(project: Project) {
    this.#project = project;
    this.sdk = new Farthing({
      url: project.farthing.url,
      clientId: project.clientId,
      clientSecret: project.secret,
      maxQueued: 200_000,
      maxQueuedBytes: 2 ** 30,
      maxBatch: 200,
      delayMs: 5,
      onProblem: ({ code }) => this.#told.push(code),
    });
    this.#client = this.sdk.wrap({
      chat: {
        completions: {
          create: async ({ number }: Json) => ({
            model: 'm1',
            choices: [],
            usage: { prompt_tokens: Number(number), completion_tokens: 1, total_tokens: Number(number) + 1 },
          }),
        },
      },
    });
  }

  async make(): Promise<void> {
    const number = this.made;
    await this.sdk.with({ customer: `customer ${number % customers}` }, () =>
      this.#client.chat.completions.create({ number }),
    );
    this.made += 1;
  }

  /** Each call is there, once, though the service was away for a while. */
  async expectAll(): Promise<void> {
    expect(await this.sdk.close({ withinMs: 120_000 })).toBe(true);
    expect(this.sdk.dropped).toBe(0);
    expect(new Set(this.#told)).toEqual(new Set(['unreachable']));

    const question = { ...wholeRange, aggregate: 'all', group_by: 'customer' };
    const { body } = await onceCaughtUp(() => this.#project.api('POST', '/api/usage/', question));
    const counted = (body as { rows: Array<{ customer: string; calls: number; tokens: Json }> }).rows;
    const numbers = Array.from({ length: this.made }, (_none, number) => number);
    const expected = Array.from({ length: customers }, (_, rest) => {
      const own = numbers.filter((one) => one % customers === rest);
      const input = own.reduce((sum, one) => sum + one, 0);
      return { customer: `customer ${rest}`, calls: own.length, input, output: own.length };
    });
    expect(
      counted.map(({ customer, calls, tokens }) => ({ customer, calls, input: tokens.input, output: tokens.output })),
    ).toEqual(expected);
  }
}
