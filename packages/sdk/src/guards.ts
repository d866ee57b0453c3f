import { isObject } from './json.ts';
import type { Problems } from './problems.ts';

export interface GuardOptions {
  /** The name of the budget. Without one it is not known what is spent, which is told. */
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
  /** USD, if the service's answer is below the amount with about what the calls cost that were made since; undefined when it is not known. */
  readonly spent: number | undefined;
  /** When more may be spent; undefined when it is not known. */
  readonly resetsAt: Date | undefined;

  constructor(
    { budget, of }: Pick<GuardOptions, 'budget' | 'of'>,
    known?: Pick<Answer, 'spent' | 'amount' | 'resetsAt'>,
  ) {
    const named = `The budget "${budget}"${of === undefined ? '' : ` for ${of}`}`;
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

/** Sends the events that wait; false if some still do. */
type Flush = (withinMs: number) => Promise<boolean>;

export interface GuardTarget {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch | undefined;
  readonly flush: Flush;
}

/** What a call costs, as a budget has told last, and whether a wait for it was in vain. */
interface Costs {
  each: number;
  isGivenUp: boolean;
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
/** So many calls are made at once before it is known what one costs; others wait for that, at most so long. */
const mostUntold = 2;
const waitForCostMs = 10_000;
/** The share of what is left that may be spent while only another budget tells what a call costs. */
const guessedShare = 0.1;
/** The most budgets and values that are remembered. */
const maxRemembered = 10_000;

/** One of the calls made here. */
interface OwnCall {
  /** Sends its event, with others that wait. */
  readonly flush: Flush;
  hasEnded: boolean;
  /** When its event was acknowledged at the latest, in milliseconds since 1970; undefined until it is. */
  storedAt: number | undefined;
}

/** What is known of a budget, or of one value of its `each`. */
class Watched {
  readonly costs: Costs;
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

  constructor(costs: Costs) {
    this.costs = costs;
  }

  /** What is spent, in USD, with the calls made here that the answer lacks. */
  get spent(): number {
    return (this.answer?.spent ?? 0) + this.own.length * this.#each;
  }

  /** As `spent`, but where the service itself says that the amount is spent, what it says: it may have the calls made here. */
  get spentForSure(): number {
    const { spent = 0, amount = 0 } = this.answer ?? {};
    return spent >= amount ? spent : this.spent;
  }

  /** What one call costs, in USD: at first what those of another budget do. */
  get #each(): number {
    return this.#counted === 0 ? this.costs.each : this.#risen / this.#counted;
  }

  get isOver(): boolean {
    return this.answer !== undefined && this.spent >= this.answer.amount;
  }

  /** Whether calls were made and it is not told yet what one costs: many at once would pass the amount meanwhile. */
  get isUntold(): boolean {
    return this.#isLearning && this.own.length >= mostUntold && this.#mayBeMuch;
  }

  /** Whether only a guess, as of another budget, says that the amount is spent, and a call may tell what one costs. */
  get isGuessedOver(): boolean {
    return this.#isLearning && this.isOver && this.own.length < mostUntold;
  }

  get #isLearning(): boolean {
    const isToBeTold = this.#counted === 0 && this.#lessons < maxLessons && !this.costs.isGivenUp;
    return isToBeTold && this.answer !== undefined && this.answer.spent < this.answer.amount;
  }

  /** What another budget's calls cost is good for a part of what is left. */
  get #mayBeMuch(): boolean {
    if (this.answer === undefined || this.costs.each === 0) return true;
    return this.spent - this.answer.spent >= (this.answer.amount - this.answer.spent) * guessedShare;
  }

  get hasEnded(): boolean {
    return this.own.some((call) => call.hasEnded);
  }

  /** Whether the amount is only spent with calls that have ended and that the answer lacks. */
  get isDoubtful(): boolean {
    return this.isOver && (this.answer?.spent ?? 0) < (this.answer?.amount ?? 0) && this.hasEnded;
  }

  get isToBeAsked(): boolean {
    return performance.now() - this.askedAt > (this.isOver ? askedJustNowMs : rememberedMs);
  }

  /** Whether to ask beside the calls, because nobody knows yet what one costs. A few times: they may cost nothing. */
  get isToBeLearnt(): boolean {
    if (this.#counted > 0 || this.#lessons >= maxLessons) return false;
    // Calls that end together are one lesson.
    if (this.asking !== undefined || performance.now() - this.askedAt < lessonEveryMs) return false;
    this.#lessons += 1;
    return true;
  }

  /** Nothing tells what a call costs: the service is far behind, or calls take long. */
  stopLearning(): void {
    this.#lessons = maxLessons;
    this.costs.isGivenUp = true;
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

/** Near the amount, a wait for an answer that has the calls made here; at first, until one tells what a call costs. */
class Wait {
  readonly #watched: Watched;
  readonly #waitsForCost: boolean;
  readonly #until = performance.now() + waitForCostMs;
  #doubts = 0;

  constructor(watched: Watched, { onExceeded }: GuardOptions) {
    this.#watched = watched;
    this.#waitsForCost = onExceeded !== 'warn';
  }

  get goesOn(): boolean {
    if (this.#waitsForCost && this.#watched.isUntold) {
      if (performance.now() < this.#until) return true;
      this.#watched.stopLearning();
    }
    if (!this.#watched.isDoubtful) return false;
    this.#doubts += 1;
    return this.#doubts <= mostDoubts;
  }
}

/** What all guards know that ask the same service with the same key. */
class Knowledge {
  readonly watched = new Map<string, Watched>();
  readonly costs: Costs = { each: 0, isGivenUp: false };
}

const knowledgeByFetch = new WeakMap<typeof fetch, Map<string, Knowledge>>();

function knowledgeOf({ url, apiKey, fetch = globalThis.fetch }: GuardTarget): Knowledge {
  const known = knowledgeByFetch.get(fetch) ?? new Map<string, Knowledge>();
  knowledgeByFetch.set(fetch, known);
  const key = JSON.stringify([url, apiKey]);
  const knowledge = known.get(key) ?? new Knowledge();
  known.set(key, knowledge);
  return knowledge;
}

/** Asks before calls whether a budget allows them. */
export class Guards {
  readonly #target: GuardTarget | undefined;
  readonly #problems: Problems;
  readonly #known: Knowledge;

  /** Without a target nothing is known. */
  constructor(target: GuardTarget | undefined, problems: Problems) {
    this.#target = target;
    this.#problems = problems;
    this.#known = target ? knowledgeOf(target) : new Knowledge();
  }

  /** Makes a call unless its budget is used up. @throws BudgetExceededError, and whatever the call throws */
  async run<Result>(given: GuardOptions, call: () => Result): Promise<Awaited<Result>> {
    const options = { ...given };
    const watched = this.#find(options);
    if (watched.isToBeAsked) await this.#askOnce(watched, options);
    // Judged in the turn in which nothing is waited for any more.
    const wait = new Wait(watched, options);
    while (wait.goesOn) {
      await new Promise((resolve) => setTimeout(resolve, askedJustNowMs));
      // No answer can tell what calls cost before one has ended.
      if (watched.hasEnded || watched.isToBeAsked) await this.#askOnce(watched, options);
    }
    const refusal = this.#judge(watched, options);
    if (refusal) throw refusal;
    // In the same turn: the next call is judged with this one.
    const flush = this.#target?.flush ?? (async () => true);
    const own: OwnCall = { flush, hasEnded: false, storedAt: undefined };
    watched.own.push(own);
    try {
      return await call();
    } finally {
      own.hasEnded = true;
      if (watched.isToBeLearnt) void this.#askOnce(watched, options);
    }
  }

  #find({ budget, of }: GuardOptions): Watched {
    const { watched: all, costs } = this.#known;
    const key = JSON.stringify([budget, of]);
    const watched = all.get(key) ?? new Watched(costs);
    // The one that was used longest ago goes first.
    all.delete(key);
    all.set(key, watched);
    for (const oldest of all.keys()) {
      if (all.size <= maxRemembered) break;
      all.delete(oldest);
    }
    return watched;
  }

  #judge(watched: Watched, options: GuardOptions): BudgetExceededError | undefined {
    const { answer } = watched;
    const { onExceeded = 'throw', whenUnknown = 'allow' } = options;
    if (answer === undefined) return whenUnknown === 'deny' ? new BudgetExceededError(options) : undefined;
    const about = `exceeded ${JSON.stringify([options.budget, options.of])}`;
    if (!watched.isOver || watched.isGuessedOver) {
      this.#problems.isOver(about);
      return undefined;
    }
    const refusal = new BudgetExceededError(options, { ...answer, spent: watched.spentForSure });
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
      if (typeof budget !== 'string' || budget === '') throw new Error('guard needs its name');
      const { url, apiKey, fetch = globalThis.fetch } = this.#target;
      await flushEnded(watched.own);
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

/** Sends the events of calls that have ended, and notes which are stored. */
async function flushEnded(calls: readonly OwnCall[]): Promise<void> {
  const ended = calls.filter((call) => call.hasEnded && call.storedAt === undefined);
  const flushes = [...new Set(ended.map(({ flush }) => flush))];
  const flushed = await Promise.all(flushes.map(async (flush) => [flush, await flush(flushWithinMs)] as const));
  const stored = new Map(flushed);
  for (const call of ended) if (stored.get(call.flush)) call.storedAt = Date.now();
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
