import {
  type Attribution,
  type AttributionStore,
  findStore,
  SynchronousStore,
  type Tags,
  toTags,
} from './attribution.ts';
import { Call, type CallFields } from './call.ts';
import { makeEventId } from './event-id.ts';
import { isObject, type Json } from './json.ts';
import { type AiSdkMiddleware, makeMiddleware } from './middleware.ts';
import { Problems } from './problems.ts';
import { watchResult } from './promises.ts';
import { Queue } from './queue.ts';
import { sendEvents } from './sender.ts';
import { type FarthingOptions, readVariable } from './settings.ts';
import { tapStream } from './streams.ts';
import { type Reporter, type WrapOptions, Wrapper } from './wrap.ts';

/** Reports calls to models to Farthing. No method of it throws, waits for the service, or changes what the host gets. */
export class Farthing {
  readonly #queue: Queue | undefined;
  readonly #problems: Problems;
  readonly #store: AttributionStore;
  readonly #hasStore: boolean;
  readonly #reporter: Reporter;
  readonly #wrapper: Wrapper;
  readonly #options: FarthingOptions;
  /** For each call, the function that ends a serverless function's wait for it. */
  readonly #endings = new WeakMap<Call, () => void>();

  constructor(options: FarthingOptions = {}) {
    this.#problems = new Problems(options.onProblem);
    this.#options = options;
    const found = options.asyncLocalStorage ?? findStore();
    this.#hasStore = found !== undefined;
    this.#store = found ?? new SynchronousStore();
    this.#queue = this.#problems.guard(() => this.#openQueue(options));
    this.#reporter = {
      problems: this.#problems,
      send: (event) => this.#push(event),
      begin: (call) => this.#begin(call),
      end: (call) => this.#endings.get(call)?.(),
      tagsWith: (attribution) => toTags(attribution, this.#store.getStore() as Tags | undefined),
    };
    this.#wrapper = new Wrapper(this.#reporter);
  }

  /** For what the entries of the package add. */
  protected get problems(): Problems {
    return this.#problems;
  }

  /** How many events have been dropped, because the queue was full or the service refused them. */
  get dropped(): number {
    return this.#problems.dropped;
  }

  /** How many events wait to be sent. */
  get queued(): number {
    return this.#queue?.length ?? 0;
  }

  /**
   * Makes a client of OpenAI, Anthropic, Google or Mistral report its calls, and returns the same client. Streamed chat completions
   * of OpenAI are asked for their usage, which is taken out of the host's stream again.
   */
  wrap<Client extends object>(client: Client, options: WrapOptions = {}): Client {
    this.#problems.guard(() => this.#wrapper.wrap(client, options));
    return client;
  }

  /** A middleware for `wrapLanguageModel` of the AI SDK. */
  middleware(): AiSdkMiddleware {
    return makeMiddleware(this.#reporter);
  }

  /**
   * Reports what a function does as one call to a model, and returns what the function returns. The usage is read from its result,
   * or from what is given to `report`: an answer, or `{ usage, model }`.
   */
  call<Result>(fields: CallFields, fn: (report: (answer: unknown) => void) => Result): Result {
    const problems = this.#problems;
    const call = problems.guard(() => this.#startCall(fields));
    let hasReported = false;
    const report = (answer: unknown) => {
      hasReported = true;
      problems.guard(() => call?.answer.take(answer));
    };
    if (call === undefined) return fn(report);
    const take = (answer: unknown) => {
      if (tapStream(answer, { call, problems })) return;
      if (!hasReported) call.answer.take(answer);
      call.end();
    };
    let result: Result;
    try {
      result = fn(report);
    } catch (error) {
      problems.guard(() => call.fail(error));
      throw error;
    }
    const watched = problems.guard(() => [watchResult(result, { call, problems, take })]);
    return watched === undefined ? result : (watched[0] as Result);
  }

  /** Sends an event of another type, such as one that a key metric counts. Its customer, user, feature, run and tags become tags. */
  track(type: string, fields: CallFields = {}): void {
    this.#problems.guard(() => {
      const { further, tags } = this.#split(fields);
      const ids = { event_id: makeEventId(), timestamp: new Date().toISOString() };
      this.#push({ ...ids, ...further, event_type: type, tags });
    });
  }

  /**
   * Attributes all calls within the function, across awaits. Nested ones add to it. Where the runtime has no `AsyncLocalStorage`
   * it ends at the function's first `await`.
   */
  with<Result>(attribution: Attribution, fn: () => Result): Result {
    if (!this.#hasStore) {
      this.#problems.tell('no_context', 'with() ends at the first await: there is no AsyncLocalStorage');
    }
    const tags = this.#problems.guard(() => this.#reporter.tagsWith(attribution));
    return tags === undefined ? fn() : this.#store.run(tags, fn);
  }

  /** An option of one call, to spread into its options or parameters: `create(body, { ...farthing.for({ customer }) })`. */
  for(attribution: Attribution): Record<never, never> {
    return { farthing: attribution };
  }

  /** Sends all waiting events; false if some still wait after `withinMs` (10,000 by default). Never throws. */
  async flush({ withinMs = 10_000 }: { withinMs?: number } = {}): Promise<boolean> {
    return (await this.#queue?.flush(withinMs)) ?? true;
  }

  /** Sends the waiting events, as `flush` does, then drops and counts the rest and takes no more. */
  async close(options: { withinMs?: number } = {}): Promise<boolean> {
    const isSent = await this.flush(options);
    this.#queue?.close();
    return isSent;
  }

  #openQueue(options: FarthingOptions): Queue | undefined {
    const url = (options.url ?? readVariable('FARTHING_URL'))?.replace(/\/+$/, '');
    const clientId = options.clientId ?? readVariable('FARTHING_CLIENT_ID');
    const clientSecret = options.clientSecret ?? readVariable('FARTHING_CLIENT_SECRET');
    if (!url || !clientId || !clientSecret) {
      this.#problems.tell('settings', 'nothing is sent: url, clientId or clientSecret is missing');
      return undefined;
    }
    const {
      maxQueued = 10_000,
      maxQueuedBytes = 1 << 25,
      maxBatch = 1_000,
      delayMs = 200,
      timeoutMs = 10_000,
    } = options;
    const target = { url, clientId, clientSecret, timeoutMs, fetch: options.fetch };
    const limits = { maxQueued, maxQueuedBytes, maxBatch: Math.min(maxBatch, 10_000), delayMs };
    return new Queue(limits, (events) => sendEvents(target, events), this.#problems);
  }

  #startCall(fields: CallFields): Call {
    const { further, tags } = this.#split(fields);
    const { type = 'call', model, provider, ...rest } = further as CallFields;
    return new Call(this.#reporter, { type, model, provider, tags, fields: rest });
  }

  /** Separates what attributes an event from its other fields. */
  #split(fields: CallFields): { further: Json; tags: Tags } {
    const { customer, user, feature, run, tags, ...further } = isObject(fields) ? fields : {};
    return { further, tags: this.#reporter.tagsWith({ customer, user, feature, run, tags }) };
  }

  #push(event: Json): void {
    // Its text is made at once: the host may change its objects later.
    this.#problems.guard(() => this.#queue?.push(JSON.stringify(event)));
  }

  #begin(call: Call): void {
    const { waitUntil } = this.#options;
    if (waitUntil === undefined) return;
    const hasEnded = new Promise<void>((resolve) => {
      this.#endings.set(call, resolve);
    });
    this.#problems.guard(() => waitUntil(hasEnded.then(() => this.flush())));
  }
}
