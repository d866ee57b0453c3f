import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvent } from '../../src/calls/events/event.ts';
import { readLiteLlm } from '../../src/ingest/gateways/litellm.ts';
import { findCalls, readOpenRouter } from '../../src/ingest/gateways/openrouter.ts';
import { toEvent } from '../../src/ingest/gateways/outcome-event.ts';
import { importSources } from '../../src/ingest/imports/sources.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { usualOrLong } from '../support/effort.ts';

const limits = { maxTags: 100 };
const now = Date.UTC(2026, 0, 20);

/** Names that records have, so that random records are not only made of unknown ones. */
const names = fc.constantFrom(
  ...['id', 'request_id', 'response_id', 'type', 'traceId', 'spanId', 'startTime', 'start_time', 'endTime', 'status'],
  ...['request_created_at', 'model', 'metadata', 'requester_metadata', 'response', 'usage', 'usageDetails', 'results'],
  ...['prompt_tokens', 'completion_tokens', 'request_tags', 'tags', 'response_cost', 'total_cost', 'cost', 'level'],
  ...['custom_llm_provider', 'provider', 'num_model_requests', 'input_tokens', 'batch', 'end_user', 'call_type'],
  ...['error_information', 'error_message', 'resourceSpans', 'scopeSpans', 'spans', 'attributes', 'key', 'value'],
  '__proto__',
);
const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('GENERATION', 'EMBEDDING', 'failure', 'True', '2026-01-15T10:00:00Z', '1768471200', '{"a":1}'),
  fc.constantFrom('gen_ai.request.model', '\ud800', 'x'.repeat(2_000), '1e309', '["a:b","c"]', ' '),
);
const record: fc.Arbitrary<Record<string, unknown>> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(texts, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(1768471200, 1e12)),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 8 }),
})).object as fc.Arbitrary<Record<string, unknown>>;

/** Faults of an event that a record of nonsense may have: counts that are none. */
const countFaults = new Set(['/prompt_tokens', '/completion_tokens']);

function expectEvent(event: unknown): void {
  // As it goes to the intake.
  const reading = readEvent(JSON.parse(JSON.stringify(event)), now, limits);
  const faults = reading.ok ? [] : reading.faults.map(({ pointer }) => pointer);
  expect(faults.filter((pointer) => !countFaults.has(pointer))).toEqual([]);
}

test('D16.1, D16.2: any record whatever becomes a valid event or none, and always the same', () => {
  fc.assert(
    fc.property(record, (one) => {
      const outcomes = [
        readLiteLlm(one),
        ...runAtOnce(findCalls(one)).map(readOpenRouter),
        ...runAtOnce(
          findCalls({
            resourceSpans: [{ scopeSpans: [{ spans: [one, { ...one, traceId: 't', spanId: 's' }] }] }],
          }),
        ).map(readOpenRouter),
        ...Object.values(importSources).flatMap((source) =>
          source.unpack(one).flatMap((inner) => {
            const reading = source.read(inner);
            return reading.kind === 'calls' ? reading.outcomes : [];
          }),
        ),
      ];
      for (const outcome of outcomes) {
        if (outcome === undefined) continue;
        for (const keepsContent of [false, true]) expectEvent(toEvent(outcome, keepsContent));
      }
      expect(readLiteLlm(structuredClone(one))).toEqual(readLiteLlm(one));
    }),
    { numRuns: usualOrLong(500, 20_000) },
  );
});

test('D16.1: an answer shows units that no usage counts, and LiteLLM’s own cost in a usage is not the provider’s', () => {
  const answer = { output: [{ type: 'web_search_call', action: { type: 'search' } }, { type: 'message' }] };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost: 0.5 };
  const of = (provider: string) => {
    const outcome = readLiteLlm({ id: '1', custom_llm_provider: provider, response: { ...answer, usage } });
    return outcome?.usage as { web_searches?: number; usage?: { cost?: number } };
  };
  expect(of('openai')).toMatchObject({ web_searches: 1 });
  expect(of('openai').usage).not.toHaveProperty('cost');
  expect(of('openrouter').usage).toHaveProperty('cost', 0.5);
});

test.each(['eu/gpt-4.1-mini', 'azure/eu/gpt-4.1-mini'])(
  'D26.1: the region in the name %s, which LiteLLM was asked for, counts',
  (model) => {
    const response = { model: 'gpt-4.1-mini-2025-04-14', usage: { prompt_tokens: 100, completion_tokens: 0 } };
    const outcome = readLiteLlm({ id: 'chatcmpl-1', model, custom_llm_provider: 'azure', response });
    expect(outcome).toMatchObject({ model: 'gpt-4.1-mini-2025-04-14', usage: { geo: 'eu' } });
  },
);

test.each(['vertex_location', 'hidden_params.litellm_params.vertex_location', 'litellm_params.vertex_location'])(
  'D26.1: the region in %s counts',
  (path) => {
    const sent = path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), 'europe-west4');
    const response = { model: 'claude-opus-5', usage: { prompt_tokens: 100, completion_tokens: 0 } };
    const outcome = readLiteLlm({ id: '1', custom_llm_provider: 'vertex_ai', response, ...Object(sent) });
    expect(outcome).toMatchObject({ usage: { geo: 'europe-west4' } });
  },
);

test.each(['api_base', 'hidden_params.api_base'])('D26.1: the region in the address of Vertex at %s counts', (path) => {
  const address =
    'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/anthropic/models/claude-opus-5';
  const sent = path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), address);
  const response = { model: 'claude-opus-5', usage: { prompt_tokens: 100, completion_tokens: 0 } };
  const outcome = readLiteLlm({ id: '1', custom_llm_provider: 'vertex_ai', response, ...Object(sent) });
  expect(outcome).toMatchObject({ usage: { geo: 'europe-west1' } });
});

test("D27.4, D27.5: LiteLLM's pages are counted, and a length that contradicts the seconds is told", () => {
  const of = (response: object) => readLiteLlm({ id: '1', call_type: 'aocr', response })?.usage;
  expect(of({ object: 'ocr', pages: [], usage_info: { pages_processed: 2 } })).toEqual({
    usage: { pages_processed: 2 },
  });
  const transcript = (duration: number) => of({ text: 'x', duration, usage: { type: 'duration', seconds: 61 } });
  expect(transcript(60.4)).not.toHaveProperty('unread_usage');
  expect(transcript(600)).toMatchObject({ unread_usage: { 'response.duration': 600 } });
});

test('D27.8: zeros that LiteLLM adds to an answer are no report of its usage', () => {
  const of = (usage: object, more = {}) =>
    readLiteLlm({ id: '1', call_type: 'acompletion', response: { usage }, ...more })?.usage;
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  expect(of(zeros)).toMatchObject({ usage_not_reported: true });
  expect(of({ ...zeros, completion_tokens: 1 })).not.toHaveProperty('usage_not_reported');
  expect(of(zeros, { call_type: 'amoderation' })).toMatchObject({ usage_not_reported: false });
  expect(readLiteLlm({ id: '1', call_type: 'acompletion', response: {} })?.usage).toEqual({ usage_not_reported: true });
});

test("D16.2: a page of Langfuse's API has its records", () => {
  const [one, two] = [
    { id: 'o1', type: 'GENERATION' },
    { id: 'o2', type: 'GENERATION' },
  ];
  expect(importSources.langfuse.unpack({ data: [one, two], meta: { page: 1 } })).toEqual([one, two]);
});

test('D27.6: what LiteLLM does without a model is no call', () => {
  const isCall = (call_type: string) => readLiteLlm({ id: '1', call_type })?.isCall;
  const others = [
    ...['call_mcp_tool', 'acreate_file', 'afile_content', 'aget_responses', 'alist_input_items', 'a_add_message'],
    ...[
      'avideo_retrieve',
      'video_content',
      'avideo_list',
      'avideo_delete',
      'avector_store_file_create',
      'acreate_batch',
    ],
    ...['vector_store_update', 'aupload_container_file', 'delete_sandbox', 'acreate_realtime_client_secret'],
  ];
  const calls = [
    ...['acompletion', 'aretrieve_batch', 'acreate_video', 'avideo_remix', 'avideo_edit', 'avideo_extension'],
    ...['arun_thread', 'aresponses', 'avector_store_search', '_arealtime', 'asearch', 'acreate_interaction'],
  ];
  expect(others.filter(isCall)).toEqual([]);
  expect(calls.filter(isCall)).toEqual(calls);
});

test("D27.9: a proxy's alias, wherever it stands, is no model", () => {
  const of = (names: object) => readLiteLlm({ id: '1', custom_llm_provider: 'openai', ...names })?.model;
  const alias = { model_group: 'smart', model: 'smart', response: { model: 'smart' } };
  expect(of({ ...alias, hidden_params: { litellm_model_name: 'openai/gpt-4o' } })).toBe('gpt-4o');
  expect(of(alias)).toBe('smart');
  const known = { model_group: 'gpt-4o', model: 'gpt-4o', response: { model: 'gpt-4o' } };
  expect(of({ ...known, hidden_params: { litellm_model_name: 'azure/deployment' } })).toBe('gpt-4o');
});
