import { Call } from './call.ts';
import { isObject, objectAt, textAt } from './json.ts';
import { watchReadable } from './streams.ts';
import type { Reporter } from './wrap.ts';

interface Operation<Result> {
  readonly doGenerate: () => PromiseLike<Result>;
  readonly params: object;
  readonly model: object;
}

/** A middleware for `wrapLanguageModel` of the AI SDK 5, 6 and 7. */
export interface AiSdkMiddleware {
  readonly specificationVersion: 'v3';
  wrapGenerate<Result>(operation: Operation<Result>): Promise<Result>;
  wrapStream<Result extends { stream: ReadableStream }>(operation: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: object;
  }): Promise<Result>;
}

/** `openai.responses` is openai; clouds have names of several parts: `google.vertex.chat`, `vertex.anthropic.messages`. */
function providerOf(model: object): string | undefined {
  const name = textAt(model, 'provider');
  return name?.includes('vertex') ? 'google-vertex' : name?.split('.')[0];
}

/** Begins the call of an operation of a model. */
function begin(reporter: Reporter, type: string, params: object, model: object): Call {
  return new Call(reporter, {
    type,
    model: textAt(model, 'modelId'),
    provider: providerOf(model),
    tags: reporter.tagsWith(objectAt(objectAt(params, 'providerOptions'), 'farthing')),
  });
}

/** Takes the usage as the AI SDK gives it, where the provider's own could not be read. */
function takeResult({ answer }: Call, result: unknown): void {
  if (answer.usage || !isObject(result)) return;
  // Version 2 of the model interface has no cache writes, but Anthropic's own usage beside it.
  const own = objectAt(objectAt(objectAt(result, 'providerMetadata'), 'anthropic'), 'usage');
  const model = textAt(objectAt(result, 'response'), 'modelId') ?? answer.model;
  answer.take({ usage: Object.keys(own).length > 0 ? own : result.usage, model });
}

export function makeMiddleware(reporter: Reporter): AiSdkMiddleware {
  const { problems } = reporter;
  return {
    specificationVersion: 'v3',
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const call = problems.guard(() => begin(reporter, 'ai.generate', params, model));
      try {
        const result = await doGenerate();
        problems.guard(() => {
          call?.answer.take(objectAt(objectAt(result, 'response'), 'body'));
          if (call) takeResult(call, result);
          call?.end();
        });
        return result;
      } catch (error) {
        problems.guard(() => call?.fail(error));
        throw error;
      }
    },
    wrapStream: async <Result extends { stream: ReadableStream }>({
      doStream,
      params,
      model,
    }: {
      doStream: () => PromiseLike<Result>;
      params: object;
      model: object;
    }) => {
      const call = problems.guard(() => begin(reporter, 'ai.stream', params, model));
      // The provider's own events tell the usage best. The host does not get them, unless it asks for them too.
      const { doStream: ask } = model as { doStream?: (params: object) => PromiseLike<Result> };
      const { includeRawChunks } = params as { includeRawChunks?: boolean };
      const mustAsk = call !== undefined && includeRawChunks !== true && typeof ask === 'function';
      try {
        const result = await (mustAsk ? ask.call(model, { ...params, includeRawChunks: true }) : doStream());
        if (call === undefined) return result;
        const stream = problems.guard(() => watchParts(reporter, call, result.stream, mustAsk));
        return stream === undefined ? result : { ...result, stream };
      } catch (error) {
        problems.guard(() => call?.fail(error));
        throw error;
      }
    },
  };
}

function watchParts(
  { problems }: Reporter,
  call: Call,
  stream: ReadableStream<unknown>,
  hidesRaw: boolean,
): ReadableStream<unknown> {
  return watchReadable(stream, {
    call,
    problems,
    take: (part) => {
      if (!isObject(part)) return;
      if (part.type === 'raw') call.answer.take(part.rawValue);
      if (part.type === 'response-metadata') call.answer.model ??= textAt(part, 'modelId');
      if (part.type === 'error') call.answer.failure = toFailure(part.error);
      if (part.type !== 'finish') return;
      takeResult(call, part);
      call.answer.isDone = true;
    },
    hides: (part) => hidesRaw && isObject(part) && part.type === 'raw',
  });
}

const toFailure = (error: unknown) => (isObject(error) ? error : { message: String(error) });
