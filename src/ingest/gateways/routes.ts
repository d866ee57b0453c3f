import { parseJsonInSlices, UnwieldyJson } from '../../lib/json-in-slices.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { Problem } from '../../lib/problem.ts';
import { inSlices, type Slices } from '../../lib/slices.ts';
import { hasTooManyValues } from '../../lib/unwieldy.ts';
import { type BodyFormat, notJson, notJsonProblem, parseEventInSlices, splitBody } from '../intake/body.ts';
import type { RecordRoute, SentRecord, SentRecords } from '../intake/records.ts';
import { readLiteLlm } from './litellm.ts';
import { findCalls, readOpenRouter } from './openrouter.ts';
import { type Outcome, toEvent } from './outcome-event.ts';

const exampleRecord = {
  id: 'chatcmpl-2299b6a2',
  call_type: 'acompletion',
  status: 'success',
  custom_llm_provider: 'openai',
  model: 'gpt-4o',
  startTime: 1769162446.847,
  endTime: 1769162447.851,
  response_cost: 0.000225,
  end_user: 'acme',
  response: { model: 'gpt-4o-2024-08-06', usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } },
};

/** The routes that take gateways' records of the calls that they pass on (D16.1). */
export const gatewayRoutes: readonly RecordRoute[] = [
  {
    path: 'litellm',
    methods: ['POST'],
    summary: "Receive LiteLLM's generic API callback",
    description:
      'A record (StandardLoggingPayload), a JSON array of them, or NDJSON with either content type. Each becomes one ' +
      'outcome event. Prompts and answers are not stored; the event names what was dropped.',
    consumes: ['application/json', 'application/x-ndjson'],
    examples: [exampleRecord, [exampleRecord]],
    read: readLiteLlmBody,
  },
  {
    path: 'openrouter',
    methods: ['POST', 'PUT'],
    summary: "Receive OpenRouter's broadcast to a webhook",
    description:
      'Spans as OTLP in JSON. Each span of a model becomes one outcome event; other spans are left out. Prompts and ' +
      'answers are not stored; the event names what was dropped.',
    consumes: ['application/json'],
    examples: [
      {
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: '8ebcf0a15806fbd08fd19acea5a0c443',
                    spanId: '8ebcf0a15806fbd0',
                    name: 'chat',
                    startTimeUnixNano: '1769162446847000000',
                    endTimeUnixNano: '1769162447851000000',
                    attributes: [
                      { key: 'gen_ai.response.model', value: { stringValue: 'openai/gpt-4o' } },
                      { key: 'gen_ai.usage.input_tokens', value: { intValue: '10' } },
                      { key: 'gen_ai.usage.output_tokens', value: { intValue: '20' } },
                      { key: 'gen_ai.usage.total_cost', value: { doubleValue: 0.000225 } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    read: readOpenRouterBody,
  },
];

/** Accepts both forms, because LiteLLM also sends `log_format: ndjson` as application/json. */
function* readLiteLlmBody(body: Buffer, format: BodyFormat, keepsContent: boolean): Slices<SentRecords> {
  if (format === 'ndjson') return yield* readLiteLlmRecords(body, format, keepsContent);
  try {
    return yield* readLiteLlmRecords(body, format, keepsContent);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'invalid_json') throw problem;
    const lines = yield* readLiteLlmRecords(body, 'ndjson', keepsContent);
    if (lines.records.some((record) => !('code' in record) || record.code !== 'invalid_json')) return lines;
    throw problem;
  }
}

function* readLiteLlmRecords(body: Buffer, format: BodyFormat, keepsContent: boolean): Slices<SentRecords> {
  const sent = yield* splitBody(body, format);
  if (sent.kind === 'single') {
    const value = yield* parseEventInSlices(sent.event);
    if (value === notJson) throw notJsonProblem();
    return { isBatch: false, records: [toLiteLlmRecord(value, '', keepsContent)] };
  }
  const records: SentRecord[] = [];
  for (const [index, event] of sent.events.entries()) {
    const value = yield* parseEventInSlices(event);
    const pointer = `/${index}`;
    if (value !== notJson) records.push(toLiteLlmRecord(value, pointer, keepsContent));
    else if (sent.kind === 'array') throw notJsonProblem();
    else records.push({ pointer, code: 'invalid_json', message: 'must be a line of valid JSON' });
    yield;
  }
  return { isBatch: true, records };
}

function toLiteLlmRecord(value: unknown, pointer: string, keepsContent: boolean): SentRecord {
  if (!isJsonObject(value)) return { pointer, code: 'invalid_type', message: 'must be a JSON object' };
  if (hasTooManyValues(value)) return { pointer, code: 'too_large', message: 'must have at most 100000 values' };
  if (typeof value.usage === 'string' && typeof value.modelParameters === 'string') {
    const message = 'must be a StandardLoggingPayload: leave litellm.generic_api_use_v1 off';
    return { pointer, code: 'invalid_value', message };
  }
  const fault = { pointer: `${pointer}/id`, message: 'must have an id' };
  return toRecord(readLiteLlm(value), { pointer, fault, keepsContent });
}

/** @throws Problem `invalid_json`, or `invalid_body` when it is not OTLP or has too many spans */
function* readOpenRouterBody(body: Buffer, format: BodyFormat, keepsContent: boolean): Slices<SentRecords> {
  const value = format === 'json' ? yield* parseBody(body) : undefined;
  if (!isJsonObject(value) || !('resourceSpans' in value || Object.keys(value).length === 0)) {
    throw new Problem('invalid_body', 'Send OTLP in JSON: an object with resourceSpans. Nothing was stored.', {
      errors: [{ pointer: '', code: 'invalid_type', message: 'must be an object with resourceSpans' }],
    });
  }
  const records: SentRecord[] = [];
  yield* inSlices(yield* findCalls(value), spansBetweenYields, (span) => {
    const { pointer } = span;
    const fault = { pointer, message: 'must have a traceId and a spanId' };
    records.push(toRecord(readOpenRouter(span), { pointer, fault, keepsContent }));
  });
  return { isBatch: true, records };
}

const spansBetweenYields = 16;

function* parseBody(body: Buffer): Slices<unknown> {
  try {
    return yield* parseJsonInSlices(body.toString());
  } catch (cause) {
    if (!(cause instanceof UnwieldyJson))
      throw new Problem('invalid_json', 'The body is not valid JSON; send OTLP in JSON.', { cause });
    throw new Problem('invalid_body', `The body can't be read: ${cause.message}. Nothing was stored.`, { cause });
  }
}

interface ToRecord {
  readonly pointer: string;
  /** For a record without an id. */
  readonly fault: { readonly pointer: string; readonly message: string };
  readonly keepsContent: boolean;
}

const toRecord = (outcome: Outcome | undefined, { pointer, fault, keepsContent }: ToRecord): SentRecord =>
  outcome ? { pointer, event: toEvent(outcome, keepsContent) } : { ...fault, code: 'required' };
