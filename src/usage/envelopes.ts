import { isJsonObject, type JsonObject, ownObject, ownValue } from '../lib/json-object.ts';

/**
 * Where an answer is that something is around: the last event of a stream (openai 7.59.0: `response.completed` and
 * Realtime's `response.done`; Anthropic's `message_start`; Gemini's interactions; Bedrock's ConverseStream), a line of a
 * batch's output (OpenAI, Azure and Mistral; Anthropic; Gemini; Bedrock), or a whole HTTP answer.
 */
const places: readonly (readonly string[])[] = [
  ['response'],
  ['response', 'body'],
  ['message'],
  ['result'],
  ['result', 'message'],
  ['interaction'],
  ['metadata'],
  ['modelOutput'],
  ['body'],
];

const outermost = [...new Set(places.map(([name = '']) => name))];

const usageFields = ['usage', 'usageMetadata', 'usage_metadata', 'usage_info'];

const hasUsage = (answer: JsonObject): boolean => usageFields.some((name) => isJsonObject(ownValue(answer, name)));

/** An answer, and its place in the event. */
export interface OpenedAnswer {
  readonly answer: JsonObject;
  readonly place: string;
  /** Whether it is a line of a batch's output, which the answer itself doesn't say. */
  readonly isOfBatch: boolean;
}

/** The answer within what an event has at `response`: the object itself if it has usage, or if nothing in it has. */
export function openAnswer(answer: JsonObject, event: JsonObject): OpenedAnswer {
  // The event may have the fields of a line. Of these lines, only Vertex's can't be anything else.
  const own = { answer, place: 'response', isOfBatch: isLineOfVertex(event) };
  if (!outermost.some((name) => isJsonObject(answer[name])) || hasUsage(answer)) return own;
  for (const path of places) {
    const inner = path.reduce<JsonObject | undefined>((outer, name) => ownObject(outer, name), answer);
    if (inner !== undefined && hasUsage(inner)) {
      return { answer: inner, place: ['response', ...path].join('.'), isOfBatch: isLineOfBatch(answer, path) };
    }
  }
  return own;
}

/**
 * What a line of a batch's output has beside the answer: OpenAI, Azure and Mistral (`response`) and Anthropic (`result`)
 * repeat the request's `custom_id`, Gemini its `key`, Bedrock its `recordId`. Anywhere else they say nothing of a batch.
 * What is inside a line, beside the answer, is of batches alone: OpenAI's `request_id` and Anthropic's type `succeeded`.
 */
const idsOfLines: Readonly<Record<string, readonly string[]>> = {
  response: ['custom_id', 'key'],
  result: ['custom_id'],
  modelOutput: ['recordId'],
  body: ['request_id'],
};

const isLineOfBatch = (answer: JsonObject, [place = '']: readonly string[]): boolean =>
  (idsOfLines[place] ?? []).some((name) => typeof ownValue(answer, name) === 'string') ||
  (place === 'message' && ownValue(answer, 'type') === 'succeeded') ||
  // Gemini's answer to an inline request repeats its metadata.
  (place === 'response' && (isLineOfVertex(answer) || typeof ownObject(answer, 'metadata')?.key === 'string'));

const isLineOfVertex = (line: JsonObject): boolean =>
  typeof ownValue(line, 'processed_time') === 'string' && isJsonObject(ownValue(line, 'request'));
