import type { Tags } from './attribution.ts';
import { Call, type Sink } from './call.ts';
import { isObject, type Json, objectAt, objectsAt, textAt } from './json.ts';
import type { Problems } from './problems.ts';
import { watchResult } from './promises.ts';
import { hostProvider } from './providers.ts';
import { replace, type Tap, tapStream } from './streams.ts';

export interface WrapOptions {
  /** The provider's name in the events, if it can't be told from the client and its address. */
  provider?: string | undefined;
}

/** The part of `Farthing` that wrapping needs. */
export interface Reporter extends Sink {
  readonly problems: Problems;
  /** The tags of a call that begins now, with those of its own option. */
  tagsWith(attribution: unknown): Tags;
}

/** A method that makes one request to a model, and the place of its object in the client. */
interface Method {
  readonly path: readonly string[];
  readonly name: string;
  readonly type: string;
  /** Whether streams have usage only if `stream_options` asks for it. */
  readonly asks?: boolean;
}

interface Family {
  readonly provider: string;
  /** A client belongs to the family if it has the first one. */
  readonly methods: readonly Method[];
}

const method = (place: string, type: string, asks = false): Method => {
  const path = place.split('.');
  return { path: path.slice(0, -1), name: path.at(-1) ?? '', type, asks };
};

/**
 * Clients by what they have. Google's public methods make several requests when they call functions, so the methods that make one
 * request each are wrapped where there are any.
 */
const families: readonly Family[] = [
  {
    provider: 'openai',
    methods: [
      method('chat.completions.create', 'openai.chat', true),
      method('responses.create', 'openai.responses'),
      method('embeddings.create', 'openai.embeddings'),
    ],
  },
  {
    provider: 'anthropic',
    methods: [method('messages.create', 'anthropic.messages'), method('beta.messages.create', 'anthropic.messages')],
  },
  {
    provider: 'google',
    methods: [
      method('models.generateContentInternal', 'google.generate_content'),
      method('models.generateContentStreamInternal', 'google.generate_content'),
      method('models.embedContentInternal', 'google.embed_content'),
    ],
  },
  {
    provider: 'google',
    methods: [
      method('models.generateContent', 'google.generate_content'),
      method('models.generateContentStream', 'google.generate_content'),
      method('models.embedContent', 'google.embed_content'),
    ],
  },
  {
    provider: 'mistral',
    methods: [
      method('chat.complete', 'mistral.chat'),
      method('chat.stream', 'mistral.chat'),
      method('chat.parse', 'mistral.chat'),
      method('chat.parseStream', 'mistral.chat'),
      method('embeddings.create', 'mistral.embeddings'),
    ],
  },
];

type AnyFunction = (...args: unknown[]) => unknown;

/** The object at a path, and its method; undefined if there is none. */
function find(client: object, { path, name }: Method): { target: Json; original: AnyFunction } | undefined {
  let target: unknown = client;
  for (const step of path) target = isObject(target) ? target[step] : undefined;
  const original = isObject(target) ? target[name] : undefined;
  return isObject(target) && typeof original === 'function' ? { target, original: original as AnyFunction } : undefined;
}

/** Replaces methods of clients by ones that report. Each method of an object is replaced once. */
export class Wrapper {
  readonly #reporter: Reporter;
  readonly #wrapped = new WeakMap<object, Set<string>>();
  /** The objects whose service refuses requests for usage. */
  readonly #unasked = new WeakSet<object>();
  /** Calls whose answers OpenAI makes in the background, by the ids of the answers. */
  readonly #unanswered = new Map<string, Call>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  wrap(client: object, options: WrapOptions): void {
    const family = families.find(({ methods: [first] }) => first !== undefined && find(client, first) !== undefined);
    if (family === undefined) {
      this.#reporter.problems.tell('unknown_client', 'wrap() does not know this client: use call()');
      return;
    }
    const provider = options.provider ?? hostProvider(client) ?? family.provider;
    for (const one of family.methods) {
      const found = find(client, one);
      if (found !== undefined && this.#isNew(found.target, one.name)) this.#replace(found, one, provider);
    }
    const retrieve = find(client, method('responses.retrieve', ''));
    if (retrieve !== undefined && this.#isNew(retrieve.target, 'retrieve')) this.#replaceRetrieve(retrieve);
    // A copy of the client with other options.
    const { withOptions } = client as { withOptions?: unknown };
    if (typeof withOptions !== 'function' || !this.#isNew(client, 'withOptions')) return;
    replace(client, 'withOptions', (...args: unknown[]) => {
      const copy: unknown = Reflect.apply(withOptions, client, args);
      if (isObject(copy)) this.#reporter.problems.guard(() => this.wrap(copy, options));
      return copy;
    });
  }

  #isNew(target: object, name: string): boolean {
    const names = this.#wrapped.get(target) ?? new Set();
    this.#wrapped.set(target, names);
    return !names.has(name) && names.add(name) !== undefined;
  }

  #replace({ target, original }: { target: Json; original: AnyFunction }, one: Method, provider: string): void {
    const reporter = this.#reporter;
    const request = (self: unknown, args: readonly unknown[]) => this.#request(self, args, one, provider, original);
    replace(target, one.name, function (this: unknown, ...args: unknown[]) {
      const made = reporter.problems.guard(() => request(this, args));
      if (made === undefined) return Reflect.apply(original, this, args);
      let result: unknown;
      try {
        result = Reflect.apply(original, this, made.args);
      } catch (error) {
        reporter.problems.guard(() => made.tap.call.fail(error));
        throw error;
      }
      const watched = reporter.problems.guard(() => [watchResult(result, made.watched)]);
      return watched === undefined ? result : watched[0];
    });
  }

  /** The host polls for an answer that is made in the background until it is there. */
  #replaceRetrieve({ target, original }: { target: Json; original: AnyFunction }): void {
    const { problems } = this.#reporter;
    const unanswered = this.#unanswered;
    replace(target, 'retrieve', function (this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args);
      const id = String(args[0]);
      const call = unanswered.get(id);
      if (call === undefined) return result;
      const take = (answer: unknown) => {
        if (!isObject(answer) || isUnanswered(answer.status)) return;
        unanswered.delete(id);
        call.reading.take(answer);
        call.end();
      };
      const watched = problems.guard(() => [watchResult(result, { problems, take })]);
      return watched === undefined ? result : watched[0];
    });
  }

  /** Ends the call, unless its answer is still to be made. */
  #end(call: Call): void {
    const { id, status } = call.reading;
    if (id === undefined || !isUnanswered(status)) {
      call.end();
      return;
    }
    const [oldest = ''] = this.#unanswered.keys();
    if (this.#unanswered.size >= mostUnanswered) this.#unanswered.delete(oldest);
    this.#unanswered.set(id, call);
  }

  /** Begins the call of a request: the arguments for the client, and what is done with its answer. */
  #request(self: unknown, given: readonly unknown[], one: Method, provider: string, original: AnyFunction) {
    const { problems } = this.#reporter;
    // Google's client keeps its configuration alone when it makes requests of its own.
    const own = given
      .flatMap((one) => [objectAt(one, 'farthing'), objectAt(objectAt(one, 'config'), 'farthing')])
      .find(hasFields);
    const args = own === undefined ? [...given] : given.map(withoutOption);
    const body = args[0];
    const call = new Call(this.#reporter, {
      type: one.type,
      model: textAt(body, 'model'),
      provider,
      tags: this.#reporter.tagsWith(own),
      fields: readTerms(body),
    });
    const tap: Tap = { call, problems };
    const take = (answer: unknown) => {
      if (tapStream(answer, tap)) return;
      call.reading.take(answer);
      this.#end(call);
    };
    const target = isObject(self) ? self : undefined;
    const asks =
      one.asks === true &&
      isObject(body) &&
      body.stream === true &&
      objectAt(body, 'stream_options').include_usage !== true &&
      !(target && this.#unasked.has(target));
    if (!asks) return { args, tap, watched: { call, problems, take } };

    const asked = { isAnswered: true };
    Object.assign(tap, hideUsage(call, asked));
    let second: unknown;
    const again = (error: unknown) => {
      const { status, message } = isObject(error) ? error : {};
      if ((status !== 400 && status !== 422) || !/stream_options|include_usage/.test(String(message))) return undefined;
      if (target) this.#unasked.add(target);
      asked.isAnswered = false;
      second ??= Reflect.apply(original, self, args);
      return second;
    };
    const options = { ...objectAt(body, 'stream_options'), include_usage: true };
    return {
      args: [{ ...body, stream_options: options }, ...args.slice(1)],
      tap,
      watched: { call, problems, take, again },
    };
  }
}

const hasFields = (one: Json): boolean => Object.keys(one).length > 0;

/** The most background answers that calls wait for. */
const mostUnanswered = 1_000;
const isUnanswered = (status: unknown): boolean => status === 'queued' || status === 'in_progress';

const withoutOption = (argument: unknown): unknown => {
  if (!isObject(argument) || !('farthing' in argument)) return argument;
  const { farthing: _own, ...rest } = argument;
  return rest;
};

/** Removes from a stream what only the request for usage adds: the last chunk, and an empty field in all others. */
function hideUsage({ reading }: Call, asked: { isAnswered: boolean }): Pick<Tap, 'hides' | 'awaitsUsage'> {
  return {
    hides: (chunk) => {
      if (!asked.isAnswered || !isObject(chunk) || !('usage' in chunk)) return false;
      if (chunk.usage === null) delete chunk.usage;
      return chunk.usage !== undefined && objectsAt(chunk, 'choices').length === 0;
    },
    awaitsUsage: () => asked.isAnswered && !reading.hasUsage,
  };
}

/** The fields of a request that change its price. */
function readTerms(body: unknown): Json {
  const tier = textAt(body, 'service_tier') ?? textAt(body, 'serviceTier');
  const searches = [objectAt(body, 'web_search_options'), ...objectsAt(body, 'tools')];
  return {
    service_tier: tier === 'auto' ? undefined : tier,
    search_context_size: searches.map((one) => textAt(one, 'search_context_size')).find(Boolean),
  };
}
