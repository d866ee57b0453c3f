import type { Call } from './call.ts';
import { isObject } from './json.ts';
import type { Problems } from './problems.ts';
import { forgotten, replace } from './streams.ts';

interface Watched {
  readonly call: Call;
  readonly problems: Problems;
  /** Takes the answer, once it is there and parsed. */
  take(answer: unknown): void;
  /** Makes the request in another way if this error is the fault of the first way. */
  again?(error: unknown): unknown;
}

/**
 * The promise of OpenAI's and Anthropic's clients. It parses the answer when that is asked for, and `asResponse` gives it as it is.
 * Both, and what `withResponse` and `_thenUnwrap` make of them, go through these two properties.
 */
interface ApiPromise {
  responsePromise: Promise<unknown>;
  parseResponse: (...args: unknown[]) => unknown;
  asResponse?: () => Promise<unknown>;
}

/** Watches what a call of a client returns. It returns the same object, or for an ordinary promise one with the same outcome. */
export function watchResult(result: unknown, watched: Watched): unknown {
  const { call, problems } = watched;
  if (isApiPromise(result)) {
    watchApiPromise(result, watched);
    return result;
  }
  if (!(result instanceof Promise)) {
    problems.guard(() => watched.take(result));
    return result;
  }
  return result.then(
    (answer) => {
      problems.guard(() => watched.take(answer));
      return answer;
    },
    (error) => {
      problems.guard(() => call.fail(error));
      throw error;
    },
  );
}

const isApiPromise = (value: unknown): value is ApiPromise =>
  isObject(value) && typeof value.parseResponse === 'function' && value.responsePromise instanceof Promise;

function watchApiPromise(promise: ApiPromise, { call, problems, take, again }: Watched): void {
  const { responsePromise, parseResponse } = promise;
  let isParsed = false;
  forgotten?.register(promise, call, call);
  // The host's handlers hang on this promise, so an error that nobody handles stays one.
  promise.responsePromise = responsePromise.catch(async (error) => {
    const second = problems.guard(() => again?.(error));
    if (isApiPromise(second)) {
      try {
        return await second.responsePromise;
      } catch (later) {
        problems.guard(() => call.fail(later));
        throw later;
      }
    }
    problems.guard(() => call.fail(error));
    throw error;
  });
  promise.parseResponse = async (...args) => {
    isParsed = true;
    forgotten?.unregister(call);
    let answer: unknown;
    try {
      answer = await parseResponse.apply(promise, args);
    } catch (error) {
      problems.guard(() => call.fail(error));
      throw error;
    }
    problems.guard(() => take(answer));
    return answer;
  };
  const asResponse = promise.asResponse?.bind(promise);
  if (asResponse === undefined) return;
  replace(promise, 'asResponse', async () => {
    forgotten?.unregister(call);
    const response = await asResponse();
    if (!isParsed) problems.guard(() => void takeBody(response, call));
    return response;
  });
}

/** Reads a copy of an answer that the host takes unparsed. A stream is left alone: a copy of it would keep the request running. */
async function takeBody(response: unknown, call: Call): Promise<void> {
  try {
    if (response instanceof Response && /json/.test(response.headers.get('content-type') ?? '')) {
      call.reading.take(await response.clone().json());
    }
  } catch {
    // The host gets the same fault when it reads the answer.
  }
  call.end();
}
