import type { Call } from './call.ts';
import { isOf } from './json.ts';
import type { Problems } from './problems.ts';

/** What is done with the items of a stream on their way to the host. */
export interface Tap {
  readonly call: Call;
  readonly problems: Problems;
  /** Reads an item; by default as an answer, or a part of one. */
  take?(item: unknown): void;
  /** Whether the host does not get this item, because it would not be there without this package. May change the item. */
  hides?(item: unknown): boolean;
  /** Whether an item with the usage is still to come when the host stops reading. */
  awaitsUsage?(): boolean;
  /** The object that the host holds: while its items are read it is not forgotten, even if nothing else holds it. */
  readonly owner?: unknown;
}

/** The most items to read after the host has stopped, for the usage that comes last. */
const mostItemsAfter = 4;

/** Ends the call of a promise or stream that nobody holds any more. */
export const forgotten =
  typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<Call>((call) => call.end(true)) : undefined;

/** Watches an answer that comes in pieces, in its place; false if it is none. */
export function tapStream(stream: unknown, untold: Tap): boolean {
  if (typeof stream !== 'object' || stream === null) return false;
  const own = stream as { iterator?: unknown; [Symbol.asyncIterator]?: unknown; next?: unknown };
  if (typeof own[Symbol.asyncIterator] !== 'function') return false;
  const tap = { ...untold, owner: stream };
  forgotten?.register(stream, tap.call);
  if (typeof own.next === 'function') tapIterator(own as AsyncIterator<unknown>, tap);
  else if (isOf(stream, 'ReadableStream')) tapReadable(stream as ReadableStream, tap);
  else {
    // The streams of OpenAI and Anthropic make their iterator with this function, also in `tee` and `toReadableStream`.
    const name = typeof own.iterator === 'function' ? 'iterator' : Symbol.asyncIterator;
    const make = (own as Record<PropertyKey, unknown>)[name] as () => AsyncIterator<unknown>;
    replace(own, name, () => tapIterator(make.call(own), tap));
  }
  return true;
}

/** Puts a property in the place of another. In the place of a method of the class it is as invisible as that. */
export function replace(target: object, name: PropertyKey, value: unknown): void {
  const enumerable = Object.prototype.propertyIsEnumerable.call(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable });
}

function tapIterator(iterator: AsyncIterator<unknown>, tap: Tap): AsyncIterator<unknown> {
  const { call, problems } = tap;
  const next = iterator.next.bind(iterator);
  const stop = iterator.return?.bind(iterator);
  const raise = iterator.throw?.bind(iterator);
  replace(iterator, 'next', async (...args: [] | [unknown]) => {
    for (;;) {
      let result: IteratorResult<unknown>;
      try {
        result = await next(...args);
      } catch (error) {
        problems.guard(() => call.fail(error, true));
        throw error;
      }
      if (result.done) problems.guard(() => call.end(!call.answer.isDone));
      else if (problems.guard(() => takeItem(result.value, tap))) continue;
      return result;
    }
  });
  if (stop) {
    replace(iterator, 'return', async (value?: unknown) => {
      if (!call.answer.isDone || !tap.awaitsUsage?.()) {
        problems.guard(() => call.end(!call.answer.isDone));
        return await stop(value);
      }
      // The host has its whole answer, so it does not wait for the usage that follows.
      void readOn(next, stop, tap);
      return { done: true, value };
    });
  }
  if (raise) {
    replace(iterator, 'throw', async (error?: unknown) => {
      problems.guard(() => call.fail(error, true));
      return await raise(error);
    });
  }
  return iterator;
}

/** Takes an item; true if the host does not get it. */
function takeItem(item: unknown, { call, take, hides }: Tap): boolean {
  if (take) take(item);
  else call.answer.take(item);
  return hides?.(item) ?? false;
}

async function readOn(
  next: () => Promise<IteratorResult<unknown>>,
  stop: () => Promise<unknown>,
  { call, problems, awaitsUsage }: Tap,
): Promise<void> {
  try {
    for (let read = 0; read < mostItemsAfter && awaitsUsage?.(); read += 1) {
      const { done, value } = await next();
      if (done) break;
      call.answer.take(value);
    }
    await stop();
  } catch {
    // The host is done with the stream, so a failure after that does not fail its call.
  }
  problems.guard(() => call.end());
}

type Iterate = (options?: unknown) => AsyncIterator<unknown>;

/** A stream of the platform, whose own methods do not see each other: each is replaced by one over the watched iterator. */
function tapReadable(stream: ReadableStream<unknown>, tap: Tap): void {
  const { [Symbol.asyncIterator]: iterator } = stream as { [Symbol.asyncIterator]: Iterate };
  const iterate = iterator.bind(stream);
  const watched = (options?: unknown) => tapIterator(iterate(options), tap);
  let through: ReadableStream<unknown> | undefined;
  const again = () => {
    through ??= toReadable(watched());
    return through;
  };
  const cancel = stream.cancel.bind(stream);
  replace(stream, 'cancel', (reason?: unknown) => {
    tap.problems.guard(() => tap.call.end(true));
    return through === undefined ? cancel(reason) : through.cancel(reason);
  });
  for (const name of [Symbol.asyncIterator, 'values']) replace(stream, name, watched);
  for (const name of ['getReader', 'tee', 'pipeTo', 'pipeThrough'] as const) {
    replace(stream, name, (...args: unknown[]) => Reflect.apply(again()[name], again(), args));
  }
}

/** Watches the events in the bytes of a stream, in its place. */
export function tapBody(body: ReadableStream<Uint8Array> | null, { call, problems }: Tap): void {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (bytes: unknown) => {
    const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) call.answer.take(JSON.parse(line.slice(6)));
  };
  tapStream(body, { call, problems, take });
}

/** A stream over an iterator, which reads no item before it is asked for. */
function toReadable(iterator: AsyncIterator<unknown>): ReadableStream<unknown> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await iterator.return?.(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Watches a stream of the platform that is given away: what `hides` names is left out. */
export function watchReadable<Item>(stream: ReadableStream<Item>, tap: Tap): ReadableStream<Item> {
  const reader = stream.getReader();
  const iterator: AsyncIterator<unknown> = {
    next: async () => (await reader.read()) as IteratorResult<unknown>,
    return: async (reason) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
  const watched = toReadable(tapIterator(iterator, tap)) as ReadableStream<Item>;
  forgotten?.register(watched, tap.call);
  return watched;
}
