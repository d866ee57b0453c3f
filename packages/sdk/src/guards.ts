import { isObject } from './json.ts';
import type { Problems } from './problems.ts';

export interface GuardOptions {
  /** The name of the budget. */
  budget: string;
  /** The customer, user, feature or run, of a budget for each. */
  of?: string | undefined;
  /** `warn` tells `onProblem` and makes the call. Default: `throw`. */
  onExceeded?: 'throw' | 'warn' | undefined;
  /** Whether calls are made while nobody knows what is spent. Default: `allow`. */
  whenUnknown?: 'allow' | 'deny' | undefined;
}

/** A call was not made: its budget is used up, or what is spent is not known and `whenUnknown` is `deny`. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  readonly budget: string;
  readonly of: string | undefined;
  /** USD, with about what the calls cost that were made since; undefined when it is not known. */
  readonly spent: number | undefined;
  /** When more may be spent; undefined when it is not known. */
  readonly resetsAt: Date | undefined;

  constructor(
    { budget, of }: Pick<GuardOptions, 'budget' | 'of'>,
    known?: Pick<Answer, 'spent' | 'amount' | 'resetsAt'>,
  ) {
    const named = `The budget ${budget}${of === undefined ? '' : ` of ${of}`}`;
    const resets = known?.resetsAt === undefined ? '' : `, until ${known.resetsAt.toISOString()}`;
    super(
      known === undefined
        ? `${named} is not known, and calls are denied meanwhile`
        : `${named} is used up: ${spell(known.spent)} of ${spell(known.amount)} USD are spent${resets}`,
    );
    this.budget = budget;
    this.of = of;
    this.spent = known?.spent;
    this.resetsAt = known?.resetsAt;
  }
}

/** Sums of doubles have digits that no amount has. */
const spell = (usd: number): string => String(Number(usd.toFixed(9)));

interface Answer {
  /** USD. */
  readonly spent: number;
  readonly amount: number;
  readonly resetsAt: Date | undefined;
  /** By the service's clock, in milliseconds since 1970: what was acknowledged before is in `spent`. */
  readonly asOf: number;
}

export interface GuardTarget {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch | undefined;
  /** Sends the events that wait; false if some still do. */
  readonly flush: (withinMs: number) => Promise<boolean>;
}

/** How long an answer is remembered, in milliseconds. */
const rememberedMs = 1_000;
/** A call that would be refused asks again, unless the answer is younger than this, in milliseconds. */
const askedJustNowMs = 100;
/** How often it asks until an answer has the calls made here: a second passes, and more where the service is busy. */
const mostDoubts = 30;
/** How long a question may take, and before it the events that wait, in milliseconds. */
const askWithinMs = 1_000;
const flushWithinMs = 250;
/** How far an answer may be behind what was acknowledged, in milliseconds, while the service keeps up. */
const mostBehindMs = 1_200;
/** From this many calls on, the earlier ones tell less of what one costs. */
const manyCalls = 50;
/** How often to ask beside the calls until it is known what one costs, in milliseconds. */
const lessonEveryMs = 200;
const maxLessons = 10;
/** So many calls are made before it is known what one costs; the next waits for that, if one has ended. */
const mostUntold = 2;
/** The most budgets and values that are remembered. */
const maxRemembered = 10_000;

/** One of the calls made here. */
interface OwnCall {
  hasEnded: boolean;
  /** When its event was acknowledged at the latest, in milliseconds since 1970; undefined until it is. */
  storedAt: number | undefined;
}

/** What is known of a budget, or of one value of its `each`. */
class Watched {
  readonly costs: { each: number };
  answer: Answer | undefined;
  /** When it was asked, by `performance.now()`, also in vain. */
  askedAt = Number.NEGATIVE_INFINITY;
  asking: Promise<void> | undefined;
  /** Calls that the last answer may lack. */
  own: OwnCall[] = [];
  /** How many calls the answers have, and by how much they have risen, in USD: so much one call costs. */
  #counted = 0;
  #risen = 0;
  #lessons = 0;
  /** How far the service's clock may be ahead of this one, in milliseconds, as far as answers tell. */
  #aheadMs = Number.NEGATIVE_INFINITY;

  constructor(costs: { each: number }) {
    this.costs = costs;
  }

  /** What is spent, in USD, with the calls made here that the answer lacks. */
  get spent(): number {
    return (this.answer?.spent ?? 0) + this.own.length * this.#each;
  }

  /** What one call costs, in USD: at first what those of another budget do. */
  get #each(): number {
    return this.#counted === 0 ? this.costs.each : this.#risen / this.#counted;
  }

  get isOver(): boolean {
    return this.answer !== undefined && this.spent >= this.answer.amount;
  }

  /** Whether calls were made and nobody knows yet what one costs: a fast loop would pass the amount meanwhile. */
  get isUntold(): boolean {
    const isUnknown = this.#counted === 0 && this.costs.each === 0 && this.#lessons < maxLessons;
    return isUnknown && this.answer !== undefined && !this.isOver && this.#hasEnded && this.own.length >= mostUntold;
  }

  get #hasEnded(): boolean {
    return this.own.some((call) => call.hasEnded);
  }

  /** Whether the amount is only spent with calls that have ended and that the answer lacks. */
  get isDoubtful(): boolean {
    return this.isOver && (this.answer?.spent ?? 0) < (this.answer?.amount ?? 0) && this.#hasEnded;
  }

  get isToBeAsked(): boolean {
    return performance.now() - this.askedAt > (this.isOver ? askedJustNowMs : rememberedMs);
  }

  /** Whether to ask beside the calls, because nobody knows yet what one costs. A few times: they may cost nothing. */
  get isToBeLearnt(): boolean {
    if (this.#counted > 0 || this.#lessons >= maxLessons || performance.now() - this.askedAt < lessonEveryMs)
      return false;
    this.#lessons += 1;
    return true;
  }

  /** Answers do not tell what a call costs: the service is far behind. */
  stopLearning(): void {
    this.#lessons = maxLessons;
  }

  /** Calls that have ended are no longer counted: the next answer has them. */
  forget(): void {
    this.answer = undefined;
    this.own = this.own.filter(({ hasEnded }) => !hasEnded);
  }

  take(answer: Answer): void {
    this.#risen += Math.max(0, answer.spent - (this.answer?.spent ?? answer.spent));
    this.answer = answer;
    this.#aheadMs = Math.max(this.#aheadMs, answer.asOf - Date.now());
    // An answer may be a second behind, which is no difference of clocks.
    const aheadMs = this.#aheadMs < -mostBehindMs ? this.#aheadMs : Math.max(this.#aheadMs, 0);
    const left = this.own.filter(({ storedAt }) => storedAt === undefined || storedAt + aheadMs > answer.asOf);
    this.#counted += this.own.length - left.length;
    this.own = left;
    if (this.#risen > 0 && this.#counted > 0) this.costs.each = this.#each;
    if (this.#counted < manyCalls) return;
    // Later calls may cost more than earlier ones.
    this.#counted /= 2;
    this.#risen /= 2;
  }
}

/** Asks before calls whether a budget allows them. */
export class Guards {
  readonly #target: GuardTarget | undefined;
  readonly #problems: Problems;
  readonly #watched = new Map<string, Watched>();
  /** What a call costs, as a budget has told last. */
  readonly #costs = { each: 0 };

  /** Without a target nothing is known. */
  constructor(target: GuardTarget | undefined, problems: Problems) {
    this.#target = target;
    this.#problems = problems;
  }

  /** Makes a call unless its budget is used up. @throws BudgetExceededError, and whatever the call throws */
  async run<Result>(given: GuardOptions, call: () => Result): Promise<Awaited<Result>> {
    const options = { ...given };
    const watched = this.#find(options);
    if (watched.isToBeAsked) await this.#askOnce(watched, options);
    // Near the amount it waits for an answer that has the calls made here.
    for (let asked = 0; (watched.isDoubtful || watched.isUntold) && asked < mostDoubts; asked += 1) {
      await new Promise((resolve) => setTimeout(resolve, askedJustNowMs));
      await this.#askOnce(watched, options);
    }
    if (watched.isUntold) watched.stopLearning();
    const refusal = this.#judge(watched, options);
    if (refusal) throw refusal;
    // In the same turn: the next call is judged with this one.
    const own: OwnCall = { hasEnded: false, storedAt: undefined };
    watched.own.push(own);
    try {
      return await call();
    } finally {
      own.hasEnded = true;
      if (watched.isToBeLearnt) void this.#askOnce(watched, options);
    }
  }

  #find({ budget, of }: GuardOptions): Watched {
    const key = JSON.stringify([budget, of]);
    const watched = this.#watched.get(key) ?? new Watched(this.#costs);
    // The one that was used longest ago goes first.
    this.#watched.delete(key);
    this.#watched.set(key, watched);
    for (const oldest of this.#watched.keys()) {
      if (this.#watched.size <= maxRemembered) break;
      this.#watched.delete(oldest);
    }
    return watched;
  }

  #judge(watched: Watched, options: GuardOptions): BudgetExceededError | undefined {
    const { answer } = watched;
    const { onExceeded = 'throw', whenUnknown = 'allow' } = options;
    if (answer === undefined) return whenUnknown === 'deny' ? new BudgetExceededError(options) : undefined;
    const about = `exceeded ${JSON.stringify([options.budget, options.of])}`;
    if (!watched.isOver) {
      this.#problems.isOver(about);
      return undefined;
    }
    const refusal = new BudgetExceededError(options, { ...answer, spent: watched.spent });
    if (onExceeded === 'throw') return refusal;
    this.#problems.tell('exceeded', refusal.message, about);
    return undefined;
  }

  async #askOnce(watched: Watched, options: GuardOptions): Promise<void> {
    watched.asking ??= this.#ask(watched, options);
    await watched.asking;
  }

  /** Asks the service. What it does not answer is not known, for a second. Never throws. */
  async #ask(watched: Watched, { budget, of }: GuardOptions): Promise<void> {
    const about = `unknown ${JSON.stringify([budget, of])}`;
    try {
      if (!this.#target) throw new Error('url or apiKey is missing (FARTHING_URL, FARTHING_API_KEY)');
      const { url, apiKey, flush, fetch = globalThis.fetch } = this.#target;
      const ended = watched.own.filter((call) => call.hasEnded && call.storedAt === undefined);
      if (ended.length > 0 && (await flush(flushWithinMs))) for (const call of ended) call.storedAt = Date.now();
      const query = of === undefined ? '' : `?${new URLSearchParams({ of })}`;
      const answer = await fetch(`${url}/api/budgets/${encodeURIComponent(budget)}/check/${query}`, {
        headers: { authorization: `Bearer ${apiKey}` },
        signal: AbortSignal.timeout(askWithinMs),
      });
      watched.take(readAnswer(answer.status, await answer.json().catch(() => undefined)));
      this.#problems.isOver(about);
    } catch (error) {
      watched.forget();
      this.#problems.tell('unknown_budget', `the budget ${budget} is not known: ${(error as Error).message}`, about);
    }
    watched.askedAt = performance.now();
    watched.asking = undefined;
  }
}

function readAnswer(status: number, body: unknown): Answer {
  const { spent, remaining, resets_at: resetsAt, as_of: asOf, detail } = isObject(body) ? body : {};
  if (status !== 200 || typeof spent !== 'number' || typeof remaining !== 'number') {
    throw new Error(`the service answered ${status}${typeof detail === 'string' ? `: ${detail}` : ''}`);
  }
  return {
    spent,
    amount: spent + remaining,
    resetsAt: typeof resetsAt === 'string' ? new Date(resetsAt) : undefined,
    asOf: Date.parse(String(asOf)),
  };
}
