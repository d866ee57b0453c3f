import { activeSpan } from './active-span.ts';
import { AnswerUsage } from './answer-usage.ts';
import type { Tags } from './attribution.ts';
import { Call, type Sink } from './call.ts';
import { eventIdOf } from './event-id.ts';
import { isObject, type Json, objectAt, objectsAt, textAt } from './json.ts';
import { askable, families } from './methods.ts';
import type { Problems } from './problems.ts';
import { type Watched, watchResult } from './promises.ts';
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

type AnyFunction = (...args: unknown[]) => unknown;

interface Found {
  readonly target: Json;
  readonly name: string;
  readonly original: AnyFunction;
}

/** The object and the method at a place of the client; undefined if there is none. */
export function find(client: object, place: string): Found | undefined {
  const path = place.split('.');
  const names = path.pop()?.split('|') ?? [];
  let target: unknown = client;
  for (const step of path) target = (target as Json | undefined)?.[step];
  if (!isObject(target)) return undefined;
  for (const name of names) {
    const original: unknown = describe(target, name)?.value;
    if (typeof original === 'function') return { target, name, original: original as AnyFunction };
  }
  return undefined;
}

/** A property as it is: a proxy such as Langfuse's gives another in its place, and calls what is put there itself. */
const describe = (target: object | null, name: string): PropertyDescriptor | null | undefined =>
  target && (Object.getOwnPropertyDescriptor(target, name) ?? describe(Object.getPrototypeOf(target) as null, name));

/** Marks methods that are replaced, also for other copies of this package. */
const mark = Symbol.for('farthing.watched');

/** The call whose method of a client runs now, until the method waits. */
let running: Call | undefined;

function run(call: Call | undefined, method: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  running = call;
  try {
    return Reflect.apply(method, self, args);
  } finally {
    running = undefined;
  }
}

/** A request that begins: the arguments for the client, and what is done with its answer. */
interface Begun {
  readonly args: readonly unknown[];
  readonly watched: Watched;
}

/** Replaces methods of clients by ones that report. Each method of an object is replaced once. */
export class Wrapper {
  readonly #reporter: Reporter;
  /** The objects whose service refuses requests for usage. */
  readonly #unasked = new WeakSet<object>();
  /** Calls whose answers OpenAI makes in the background, by the ids of the answers. */
  readonly #unanswered = new Map<string, Call>();
  /** Whom jobs are for that this process has begun. */
  readonly #jobs = new Map<string, Tags>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  wrap(client: object, options: WrapOptions): void {
    const { problems } = this.#reporter;
    const family = families.find(({ reported }) => find(client, Object.values(reported)[0]?.[0] ?? '') !== undefined);
    if (family === undefined) {
      problems.tell('unknown_client', 'an unknown client: use call()');
      return;
    }
    const provider = options.provider ?? hostProvider(client) ?? family.name;
    for (const [type, places] of Object.entries(family.reported)) {
      for (const place of places) {
        this.#replace(client, place, (args, { original }, self) =>
          this.#request(self, args, `${family.name}.${type}`, provider, original),
        );
      }
    }
    for (const place of ['responses.retrieve', 'beta.responses.retrieve', 'interactions.get']) {
      this.#replace(client, place, (args) => this.#retrieve(args));
    }
    for (const [begins, ends] of family.jobs) {
      this.#replace(client, begins, (args) => this.#beginJob(args));
      this.#replace(client, ends, (args) => this.#endJob(args, `${family.name}.batch`, provider));
    }
    for (const place of family.passed) {
      this.#replace(client, place, () => {
        problems.tell('not_reported', `calls of ${place} are not reported`, place);
        return undefined;
      });
    }
    this.#replace(client, 'post', () => {
      if (running) running.within = activeSpan();
      return undefined;
    });
    // A copy of the client with other options.
    this.#replace(client, 'withOptions', (args) => ({
      args,
      watched: { problems, take: (copy) => isObject(copy) && this.wrap(copy, options) },
    }));
  }

  /** Replaces a method of a client once, whoever wraps it. The new one calls it as it is where nothing begins. */
  #replace(
    client: object,
    place: string,
    begin: (args: readonly unknown[], found: Found, self: unknown) => Begun | undefined,
  ): void {
    const { problems } = this.#reporter;
    const [first = ''] = place.split('.');
    const { get, enumerable } = describe(client, first) ?? {};
    if (get !== undefined) {
      // Some of Google's warn when they are looked at, so this waits until the host looks.
      const look = () => {
        const inner: unknown = get.call(client);
        problems.guard(() => this.#replace({ [first]: inner }, place, begin));
        return inner;
      };
      Object.defineProperty(client, first, { get: look, configurable: true, enumerable: enumerable === true });
      return;
    }
    const found = find(client, place);
    if (found === undefined || mark in found.original) return;
    const { target, name, original } = found;
    const watching = function (this: unknown, ...args: unknown[]) {
      const begun = problems.guard(() => begin(args, found, this));
      if (begun === undefined) return Reflect.apply(original, this, args);
      let result: unknown;
      try {
        result = run(begun.watched.call, original, this, begun.args);
      } catch (error) {
        problems.guard(() => begun.watched.call?.fail(error));
        throw error;
      }
      const watched = problems.guard(() => [watchResult(result, begun.watched)]);
      return watched === undefined ? result : watched[0];
    };
    replace(target, name, Object.defineProperty(watching, mark, { value: true }));
  }

  /** The host polls for an answer that is made in the background until it is there. */
  #retrieve(args: readonly unknown[]): Begun | undefined {
    const id = String(args[0]);
    const call = this.#unanswered.get(id);
    if (call === undefined) return undefined;
    const take = (answer: unknown) => {
      if (!isObject(answer) || isUnanswered(answer.status)) return;
      this.#unanswered.delete(id);
      call.answer.take(answer);
      call.end();
    };
    return { args, watched: { problems: this.#reporter.problems, take } };
  }

  /** Keeps whom a job is for until its usage is told. */
  #beginJob(given: readonly unknown[]): Begun {
    const { args, tags } = this.#readOption(given);
    const take = (job: unknown) => {
      const id = textAt(job, 'id');
      if (id !== undefined) keep(this.#jobs, id, tags);
    };
    return { args, watched: { problems: this.#reporter.problems, take } };
  }

  /** Reports a job that is done, or each of its answers. All have the id of the provider's, so asking again counts nothing twice. */
  #endJob(given: readonly unknown[], type: string, provider: string): Begun {
    const { problems } = this.#reporter;
    const { args, tags } = this.#readOption(given);
    const known = this.#jobs.get(String(args[0]));
    const report = (answer: Json) => {
      const said = new AnswerUsage();
      said.take(answer);
      const { id, model, usage } = said;
      if (id === undefined || usage === undefined) return;
      const doneAt = answer.completed_at ?? answer.expired_at ?? answer.cancelled_at;
      this.#reporter.send({
        event_id: eventIdOf(`${type} ${id}`),
        event_type: `${type}.after`,
        timestamp: new Date(typeof doneAt === 'number' ? doneAt * 1_000 : Date.now()).toISOString(),
        model,
        provider,
        tags: { ...known, ...tags },
        service_tier: 'batch',
        ...said.toFields(),
      });
    };
    const take = (answer: unknown) => {
      if (!isObject(answer)) return;
      if (/^(?:completed|expired|cancelled)$/.test(String(answer.status))) report(answer);
      const results = answer as unknown as AsyncIterable<unknown>;
      const iterate = results[Symbol.asyncIterator]?.bind(results);
      if (iterate === undefined) return;
      replace(results, Symbol.asyncIterator, async function* () {
        for await (const item of { [Symbol.asyncIterator]: iterate }) {
          problems.guard(() => report(objectAt(objectAt(item, 'result'), 'message')));
          yield item;
        }
      });
    };
    return { args, watched: { problems, take } };
  }

  /** Ends the call, unless its answer is still to be made. */
  #end(call: Call): void {
    const { id, status } = call.answer;
    if (id === undefined || !isUnanswered(status)) {
      call.end();
      return;
    }
    keep(this.#unanswered, id, call);
  }

  /** The tags of the option of a call, and the arguments without it. */
  #readOption(given: readonly unknown[]): { args: readonly unknown[]; tags: Tags } {
    // Google's client keeps its configuration alone when it makes requests of its own.
    const own = given
      .flatMap((one) => [objectAt(one, 'farthing'), objectAt(objectAt(one, 'config'), 'farthing')])
      .find(hasFields);
    return { args: own === undefined ? given : given.map(withoutOption), tags: this.#reporter.tagsWith(own) };
  }

  /** Begins the call of a request. */
  #request(self: unknown, given: readonly unknown[], type: string, provider: string, original: AnyFunction): Begun {
    const { problems } = this.#reporter;
    const { args, tags } = this.#readOption(given);
    const body = args[0];
    const call = new Call(this.#reporter, {
      type,
      model: textAt(body, 'model'),
      provider,
      tags,
      fields: readTerms(body),
    });
    const tap: Tap = { call, problems };
    const take = (answer: unknown) => {
      // Spoken texts are charged by their length, which the answer does not repeat.
      if (type.endsWith('.speech')) call.answer.characters = [...(textAt(body, 'input') ?? '')].length;
      if (tapStream(answer, tap)) return;
      call.answer.take(answer);
      this.#end(call);
    };
    const target = isObject(self) ? self : undefined;
    const asks =
      askable.has(type) &&
      isObject(body) &&
      body.stream === true &&
      objectAt(body, 'stream_options').include_usage !== true &&
      !(target && this.#unasked.has(target));
    if (!asks) return { args, watched: { call, problems, take } };

    const asked = { isAnswered: true };
    Object.assign(tap, hideUsage(call, asked));
    let second: unknown;
    const again = (error: unknown) => {
      const { status, message } = isObject(error) ? error : {};
      if ((status !== 400 && status !== 422) || !/stream_options|include_usage/.test(String(message))) return undefined;
      if (target) this.#unasked.add(target);
      asked.isAnswered = false;
      second ??= run(call, original, self, args);
      return second;
    };
    const options = { ...objectAt(body, 'stream_options'), include_usage: true };
    return {
      args: [{ ...body, stream_options: options }, ...args.slice(1)],
      watched: { call, problems, take, again },
    };
  }
}

const hasFields = (one: Json): boolean => Object.keys(one).length > 0;

/** The most background answers and jobs that are waited for; the oldest goes first. */
const mostKept = 1_000;
function keep<Value>(kept: Map<string, Value>, id: string, value: Value): void {
  const [oldest = ''] = kept.keys();
  if (kept.size >= mostKept) kept.delete(oldest);
  kept.set(id, value);
}

const isUnanswered = (status: unknown): boolean => status === 'queued' || status === 'in_progress';

const withoutOption = (argument: unknown): unknown => {
  if (!isObject(argument) || !('farthing' in argument)) return argument;
  const { farthing: _own, ...rest } = argument;
  return rest;
};

/** Removes from a stream what only the request for usage adds: the last chunk, and an empty field in all others. */
function hideUsage({ answer }: Call, asked: { isAnswered: boolean }): Pick<Tap, 'hides' | 'awaitsUsage'> {
  return {
    hides: (chunk) => {
      if (!asked.isAnswered || !isObject(chunk) || !('usage' in chunk)) return false;
      if (chunk.usage === null) delete chunk.usage;
      return chunk.usage !== undefined && objectsAt(chunk, 'choices').length === 0;
    },
    awaitsUsage: () => asked.isAnswered && !answer.usage,
  };
}

/** The fields of a request that its price depends on. */
function readTerms(body: unknown): Json {
  const tier = textAt(body, 'service_tier') ?? textAt(body, 'serviceTier');
  const searches = [objectAt(body, 'web_search_options'), ...objectsAt(body, 'tools')];
  return {
    service_tier: tier === 'auto' ? undefined : tier,
    search_context_size: searches.map((one) => textAt(one, 'search_context_size')).find(Boolean),
  };
}
