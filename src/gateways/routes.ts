import { isJsonObject, type JsonObject } from '../calls/usage-counts.ts';
import { type BodyFormat, type SentBody, splitBody } from '../intake/body.ts';
import type { RecordRoute, SentRecord, SentRecords } from '../intake/records.ts';
import { parseJson } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
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
    summary: "Take LiteLLM's generic API callback",
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
    summary: "Take OpenRouter's broadcast to a webhook",
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

function readLiteLlmBody(body: Buffer, format: BodyFormat): SentRecords {
  const sent = splitLiteLlm(body, format);
  if (sent.kind === 'single') return { isBatch: false, records: [toLiteLlmRecord(sent.event.value, '')] };
  const records = sent.events.map((event, index) =>
    'code' in event ? event : toLiteLlmRecord(event.value, `/${index}`),
  );
  return { isBatch: true, records };
}

/** Accepts both forms, because LiteLLM also sends `log_format: ndjson` as application/json. */
function splitLiteLlm(body: Buffer, format: BodyFormat): SentBody {
  if (format === 'ndjson') return splitBody(body, 'ndjson');
  try {
    return splitBody(body, 'json');
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'invalid_json') throw problem;
    const lines = splitBody(body, 'ndjson');
    if (lines.kind === 'batch' && lines.events.some((event) => 'value' in event)) return lines;
    throw problem;
  }
}

function toLiteLlmRecord(value: unknown, pointer: string): SentRecord {
  if (!isJsonObject(value)) return { pointer, code: 'invalid_type', message: 'must be a JSON object' };
  if (typeof value.usage === 'string' && typeof value.modelParameters === 'string') {
    const message = 'must be a StandardLoggingPayload: leave litellm.generic_api_use_v1 off';
    return { pointer, code: 'invalid_value', message };
  }
  return toRecord(readLiteLlm(value), pointer, { pointer: `${pointer}/id`, message: 'must have an id' });
}

/** @throws Problem `invalid_json`, or `invalid_body` when it is not OTLP */
function readOpenRouterBody(body: Buffer, format: BodyFormat): SentRecords {
  const value = format === 'json' ? parseBody(body) : undefined;
  if (!isJsonObject(value) || !('resourceSpans' in value || Object.keys(value).length === 0)) {
    throw new Problem('invalid_body', 'Send OTLP in JSON: an object with resourceSpans. Nothing was stored.', {
      errors: [{ pointer: '', code: 'invalid_type', message: 'must be an object with resourceSpans' }],
    });
  }
  const records = findCalls(value).map((span) =>
    toRecord(readOpenRouter(span), span.pointer, {
      pointer: span.pointer,
      message: 'must have a traceId and a spanId',
    }),
  );
  return { isBatch: true, records };
}

function parseBody(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch (cause) {
    throw new Problem('invalid_json', 'The body is not valid JSON; send OTLP in JSON.', { cause });
  }
}

const toRecord = (
  outcome: Outcome | undefined,
  pointer: string,
  fault: { readonly pointer: string; readonly message: string },
): SentRecord => (outcome ? { pointer, event: toEvent(outcome) as JsonObject } : { ...fault, code: 'required' });
