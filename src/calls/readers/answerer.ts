/**
 * The model that answered, as the event names it and its provider. It decides only where a shape alone doesn't show
 * what its counts include, because gateways answer in each other's shapes.
 */
export class Answerer {
  readonly #names: string;

  constructor(...names: readonly unknown[]) {
    this.#names = names
      .filter((name) => typeof name === 'string')
      .join(' ')
      .toLowerCase();
  }

  /** Gemini: some of its endpoints count thoughts only in the total. */
  get isGemini(): boolean {
    return /gemini|vertex|google/.test(this.#names);
  }

  /** xAI, whose completions leave reasoning out. */
  get isXAi(): boolean {
    return /\bx-?ai\b|grok/.test(this.#names);
  }

  /** Claude, or a model on Bedrock, whose input counts leave cached tokens out. */
  get leavesCacheOut(): boolean {
    return /anthropic|claude|bedrock|\baws\b/.test(this.#names);
  }
}

export const nobody = new Answerer();
