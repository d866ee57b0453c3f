import type { JsonObject } from '../../lib/json-object.ts';

/** The model that answered. It decides only what a shape doesn't show: gateways answer in each other's. */
export class Answerer {
  readonly #event: JsonObject;
  readonly #answer: JsonObject | undefined;
  #text: string | undefined;

  constructor(event: JsonObject, answer?: JsonObject) {
    this.#event = event;
    this.#answer = answer;
  }

  /** The names in lower case. Few usage objects need them. */
  get #known(): string {
    const { provider, model } = this.#event;
    this.#text ??= [provider, model, this.#answer?.model, this.#answer?.modelVersion]
      .filter((name) => typeof name === 'string')
      .join(' ')
      .toLowerCase();
    return this.#text;
  }

  /** Gemini: some of its endpoints count thoughts only in the total. */
  get isGemini(): boolean {
    return /gemini|vertex|google/.test(this.#known);
  }

  /** xAI, whose completions leave reasoning out. */
  get isXAi(): boolean {
    return /\bx-?ai\b|grok/.test(this.#known);
  }

  /** Claude, or a model on Bedrock, whose input counts leave cached tokens out. */
  get leavesCacheOut(): boolean {
    return /anthropic|claude|bedrock|\baws\b/.test(this.#known);
  }
}

export const nobody = new Answerer({});
