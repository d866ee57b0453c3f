import { hashAnswerIds } from '../../calls/events/hash-answer-ids.ts';
import type { Origin } from '../../calls/events/origin.ts';
import { tryParseJson } from '../../lib/json.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Attributes } from './otlp/attributes.ts';

/** Attributes that hold the id of the provider's answer, or the id that a gateway gives it. */
const idNames = ['gen_ai.response.id', 'llm.openai.id', 'response_id', 'anthropic.request.id', 'request_id'] as const;

/** These hold the answer, as JSON or as Python writes it; its id is read before content is dropped (D27.8). */
const answerNames = [
  'output.value',
  'gen_ai.completion',
  'gen_ai.output.messages',
  'mlflow.spanOutputs',
  'langfuse.observation.output',
  'response',
] as const;

/** The id of an answer of OpenAI, Anthropic or a gateway, as the value of `id`. */
const inAnswer = /\bid["']?\s*[:=]\s*["']((?:chatcmpl|cmpl|resp|msg|gen|embd|req)[-_][\w=-]{8,200})["']/;

/** The same in what a provider says of a fault. */
const inFault = /\b(?:request_)?id["']?\s*[:=]\s*["'](req_[\w=-]{8,200})["']/;

/** Items of an answer by OpenAI have a status, and their texts annotations; their ids are like those of Anthropic's answers. */
const ofItem = /\b(?:status["']?\s*[:=]\s*["'](?:completed|incomplete|in_progress)["']|annotations["']?\s*[:=])/;

/** The types of the parts of a message: LangChain gives those of OpenAI's streams the ids of their items. */
const ofParts: ReadonlySet<unknown> = new Set(['text', 'output_text', 'refusal', 'reasoning']);
const ofPart = /\btype["']?\s*[:=]\s*["'](?:text|output_text|refusal|reasoning)["'][^{}]*$/;

/** Whether an id is that of a part of the message, as JSON or as Python writes it. */
function isOfPart(text: string, id: string): boolean {
  const answer = tryParseJson(text);
  if (answer === undefined) return ofPart.test(text.slice(0, text.indexOf(id)));
  const isPart = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(isPart)
      : isJsonObject(value) && ((value.id === id && ofParts.has(value.type)) || Object.values(value).some(isPart));
  return isPart(answer);
}

/** Longer answers are read at their beginning and end. */
const maxRead = 65_536;

/**
 * Hashes of the ids of the answer that a span or log record tells of, since an id itself may be anything, as fields of
 * its origin. `fault` is the message of a failed one: an id in its text or content may be that of another attempt, as an
 * item's is not the answer's.
 */
export function answerIdsOf(attributes: Attributes, fault?: string): Pick<Partial<Origin>, 'answers' | 'loose'> {
  const ids = hashAnswerIds(idNames.map((name) => attributes.get(name)));
  if (ids.length > 0) return { answers: ids };
  const pattern = fault === undefined ? inAnswer : inFault;
  let ofOneItem: string | undefined;
  for (const value of [...answerNames.map((name) => attributes.get(name)), fault]) {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    if (typeof text !== 'string') continue;
    const [, id] = pattern.exec(text.slice(0, maxRead)) ?? pattern.exec(text.slice(-maxRead)) ?? [];
    if (id === undefined) continue;
    if (id.startsWith('msg') && (ofItem.test(text) || isOfPart(text, id))) ofOneItem ??= id;
    else return { answers: hashAnswerIds([id]), ...(fault !== undefined && { loose: true }) };
  }
  return ofOneItem === undefined ? {} : { answers: hashAnswerIds([ofOneItem]), loose: true };
}
