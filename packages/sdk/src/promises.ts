import type { Call } from './call.ts';
import { isObject, isOf } from './json.ts';
import type { Problems } from './problems.ts';
import { forgotten, replace, tapBody } from './streams.ts';

export interface Watched {
  /** The call, if it ends with this promise. */
  readonly call?: Call;
  readonly problems: Problems;
  /** Takes the answer, once it is there and parsed. */
  take(answer: unknown): void;
  /** Takes an answer that the host has not parsed, if another than `take` does. */
  takeUnparsed?(answer: unknown): void;
  /** Makes the request in another way if this error is the fault of the first way. */
  again?(error: unknown): unknown;
}

type Transform = (answer: unknown, ...rest: unknown[]) => unknown;

/**
 * The promise of OpenAI's and Anthropic's clients. It parses the answer when that is asked for, and `asResponse` gives it as it is.
 */
interface ApiPromise {
  responsePromise: Promise<unknown>;
  parseResponse: (...args: unknown[]) => unknown;
  asResponse: () => Promise<unknown>;
  withResponse: () => Promise<object>;
  /** Anthropic's threads take the response of a stream with it, and parse it themselves. */
  _responseProps?: () => Promise<{ response: Response; options?: { stream?: unknown } }>;
  /** Makes the promise of something else out of the answer, as `parse` does. */
  _thenUnwrap: (transform: Transform) => unknown;
}

/** Watches what a call of a client returns. It returns the same object, or for an ordinary promise one with the same outcome. */
export function watchResult(result: unknown, watched: Watched): unknown {
  const { call, problems } = watched;
  if (isApiPromise(result)) {
    watchApiPromise(result, watched);
    return result;
  }
  if (!isOf(result, 'Promise')) {
    problems.guard(() => watched.take(result));
    return result;
  }
  return (result as Promise<unknown>).then(
    (answer) => {
      problems.guard(() => watched.take(answer));
      return answer;
    },
    (error) => {
      problems.guard(() => call?.fail(error));
      throw error;
    },
  );
}

const isApiPromise = (value: unknown): value is ApiPromise =>
  isObject(value) &&
  isOf(value.responsePromise, 'Promise') &&
  ['parseResponse', 'asResponse', 'withResponse', '_thenUnwrap'].every((name) => typeof value[name] === 'function');

function watchApiPromise(promise: ApiPromise, watched: Watched): void {
  const { call, problems, take } = watched;
  const { responsePromise, parseResponse } = promise;
  const asResponse = promise.asResponse.bind(promise);
  const unwrap = promise._thenUnwrap.bind(promise);
  let isParsed = false;
  let second: unknown;
  let settled: Promise<unknown> | undefined;
  const release = () => call && forgotten?.unregister(call);
  const settle = async (error: unknown) => {
    second = problems.guard(() => watched.again?.(error));
    try {
      if (isApiPromise(second)) return await second.responsePromise;
    } catch (later) {
      problems.guard(() => call?.fail(later));
      throw later;
    }
    problems.guard(() => call?.fail(error));
    throw error;
  };
  if (call) forgotten?.register(promise, call, call);
  // Only when the host asks for it: an unhandled error stays unhandled, and a handled one causes no second rejection.
  Object.defineProperty(promise, 'responsePromise', {
    configurable: true,
    enumerable: true,
    get: () => {
      settled ??= responsePromise.catch(settle);
      return settled;
    },
  });
  promise.parseResponse = async (...args) => {
    isParsed = true;
    release();
    let answer: unknown;
    try {
      answer = await parseResponse.apply(promise, args);
    } catch (error) {
      problems.guard(() => call?.fail(error));
      throw error;
    }
    problems.guard(() => take(answer));
    return answer;
  };
  replace(promise, '_thenUnwrap', (transform: Transform) => {
    release();
    const derived = unwrap((answer, ...rest) => {
      if (!isParsed) problems.guard(() => take(answer));
      return transform(answer, ...rest);
    });
    if (isApiPromise(derived))
      problems.guard(() => watchApiPromise(derived, { takeUnparsed: take, ...watched, take: () => undefined }));
    return derived;
  });
  replace(promise, 'asResponse', async () => {
    release();
    const response = await asResponse();
    if (!isParsed) problems.guard(() => void takeBody(response, watched));
    return response;
  });
  const responseProps = promise._responseProps?.bind(promise);
  if (responseProps && call) {
    replace(promise, '_responseProps', async () => {
      const props = await responseProps();
      if (!isParsed && props.options?.stream === true) {
        release();
        problems.guard(() => tapBody(props.response.body, { call, problems }));
      }
      return props;
    });
  }
  if (watched.again === undefined) return;
  const withResponse = promise.withResponse.bind(promise);
  replace(promise, 'withResponse', async () => {
    try {
      return await withResponse();
    } catch (error) {
      if (!isApiPromise(second)) throw error;
      return { ...(await second.withResponse()), data: await promise };
    }
  });
}

/** Reads a copy of an answer that the host takes unparsed. A stream is left alone: a copy of it would keep the request running. */
async function takeBody(response: unknown, { problems, take, takeUnparsed = take }: Watched): Promise<void> {
  let answer: unknown;
  try {
    const copied = isOf(response, 'Response') ? (response as Response) : undefined;
    if (/json/.test(copied?.headers.get('content-type') ?? '')) answer = await copied?.clone().json();
  } catch {
    // The host gets the same fault when it reads the answer.
  }
  problems.guard(() => takeUnparsed(answer));
}
