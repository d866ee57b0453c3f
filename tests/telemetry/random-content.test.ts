import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLiteLlm } from '../../src/ingest/gateways/litellm.ts';
import { findCalls, readOpenRouter } from '../../src/ingest/gateways/openrouter.ts';
import { type Outcome, toEvent } from '../../src/ingest/gateways/outcome-event.ts';
import { importSources } from '../../src/ingest/imports/sources.ts';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { decodeProtobuf } from '../../src/ingest/telemetry/otlp/decode-protobuf.ts';
import { isTelling } from '../../src/ingest/telemetry/tables.ts';
import { eventsOfLogs, eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import type { Json } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { options } from '../support/otlp/options.ts';
import { toProtobuf } from '../support/otlp/protobuf.ts';
import { callSpan, type KeyValue, logs, span, toAttributes, traces } from '../support/otlp/records.ts';
import { betrayedName, secretLogs, secretRecord, secretTraces } from '../support/otlp/secret-exports.ts';

const secret = 'zebra-secret-4711';
const encoded = Buffer.from(secret).toString('base64');
const spans = { record: 'span', isTelling } as const;
const numRuns = usualOrLong(60, 5_000);

function expectNothing(stored: unknown): void {
  const text = JSON.stringify(stored, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  expect(text).not.toContain('zebra');
  expect(text).not.toContain(encoded);
}

const textOf = ({ text }: { readonly text: Uint8Array }): unknown => JSON.parse(Buffer.from(text).toString());

test.each([true, false])('D14.5: a call has nothing of a span but what the tables allow (as JSON: %s)', (isJson) => {
  fc.assert(
    fc.property(secretTraces(secret, isJson), (body) => {
      const records = isJson
        ? runAtOnce(decodeJson(Buffer.from(JSON.stringify(body)), spans))
        : runAtOnce(decodeProtobuf(Buffer.from(toProtobuf(body)), spans));
      const { events, partial } = runAtOnce(eventsOfSpans(records, options));
      expectNothing([events.map(({ columns }) => columns), events.map(textOf), partial]);
      expect(events.length).toBe(1);
      for (const { columns } of events) expect(columns.usage.length).toBeGreaterThan(0);
      expect(events.map(textOf)).toMatchObject([
        { content_dropped: expect.arrayContaining(['status.message', 'name']) },
      ]);
    }),
    { numRuns },
  );
});

test.each([true, false])(
  'D14.5: a call has nothing of a log record but what the tables allow (as JSON: %s)',
  (isJson) => {
    fc.assert(
      fc.property(secretLogs(secret, isJson), (body) => {
        const record = { record: 'logRecord' } as const;
        const records = isJson
          ? runAtOnce(decodeJson(Buffer.from(JSON.stringify(body)), record))
          : runAtOnce(decodeProtobuf(Buffer.from(toProtobuf(body)), record));
        const { events } = runAtOnce(eventsOfLogs(records, options));
        expect(events.length).toBe(1);
        expectNothing([events.map(({ columns }) => columns), events.map(textOf)]);
      }),
      { numRuns },
    );
  },
);

test('D14.5, D27.5: coverage names what looks like a call without content, as a span or a log record', () => {
  fc.assert(
    fc.property(betrayedName(secret), fc.constantFrom('name', 'eventName', 'event.name'), ({ name, betrayals }, at) => {
      const own: KeyValue[] = [...toAttributes({ 'gen_ai.request.model': 'gpt-4o' }), ...betrayals];
      const body =
        at === 'name'
          ? traces([span({ name, as: { attributes: own } })])
          : logs([
              {
                ...(at === 'eventName' && { eventName: name }),
                attributes: [...own, ...toAttributes({ [at]: name, 'session.id': name })],
              },
            ]);
      const text = Buffer.from(JSON.stringify(body));
      const { events } =
        at === 'name'
          ? runAtOnce(eventsOfSpans(runAtOnce(decodeJson(text, spans)), options))
          : runAtOnce(eventsOfLogs(runAtOnce(decodeJson(text, { record: 'logRecord' })), options));
      expect(events.flatMap(({ columns }) => columns.ignored)).toEqual(['not a call: a-test, a span']);
      expectNothing(events.map(textOf));
    }),
    { numRuns },
  );
});

const liteLlm = (
  JSON.parse(readFileSync(new URL('../fixtures/gateways/litellm-callback.json', import.meta.url), 'utf8')) as {
    records: Record<string, Json>;
  }
).records;

function eventsOf(outcomes: readonly (Outcome | undefined)[]): unknown[] {
  const events = outcomes.flatMap((outcome) => (outcome === undefined ? [] : [toEvent(outcome, false)]));
  expect(events.length).toBeGreaterThan(0);
  return events;
}

/** An object, as texts of metadata hold whole requests. */
const object = JSON.stringify({ role: 'user', content: secret });

test('D14.5, D16.1: a call has nothing of a record of LiteLLM but its known fields', () => {
  const places = ['metadata', 'response', 'response.usage', 'response.usage.prompt_tokens_details', 'cost_breakdown'];
  const failure = {
    status: 'failure',
    error_str: `Error: ${secret}`,
    error_information: { error_class: `Bad ${secret}`, error_message: secret, traceback: secret },
    zero_cost_diagnostic: { text: secret },
    api_base: `https://example.com/${secret}?prompt=${secret}`,
    call_type: `a ${secret}`,
    // JavaScript takes the first for a time.
    startTime: `${secret} 1`,
    completionStartTime: `at ${secret}`,
    request_tags: [object, `about: ${object}`, 'team:a'],
    metadata: {
      requester_metadata: { q: object, list: JSON.stringify([`Tell ${secret}`]), customer: object },
      spend_logs_metadata: { q: `{'role': 'user', 'content': '${secret}'}` },
      user_api_key_auth_metadata: JSON.stringify({ q: object }),
    },
  };
  fc.assert(
    fc.property(secretRecord(secret, { ...liteLlm.chat, ...failure }, places), (record) => {
      expectNothing(eventsOf([readLiteLlm(record)]));
    }),
    { numRuns },
  );
  const record: Json = { ...liteLlm.chat, ...failure };
  expect(eventsOf([readLiteLlm(record), readLiteLlm({ ...record, api_base: `data:${secret}` })])).toMatchObject([
    { litellm: { api_base: 'https://example.com' }, tags: { team: 'a' } },
    { dropped: expect.arrayContaining(['api_base', 'startTime', 'completionStartTime']) },
  ]);
});

test('D14.5, D16.1: a call has nothing of a span of OpenRouter but what the tables allow', () => {
  fc.assert(
    fc.property(secretTraces(secret, true), (body) => {
      expectNothing(eventsOf(runAtOnce(findCalls(body)).map(readOpenRouter)));
    }),
    { numRuns },
  );
  const ids = { traceId: `Tell ${secret}`, spanId: `me ${secret}`, parentSpanId: `of ${secret}` };
  expectNothing(eventsOf(runAtOnce(findCalls(traces([callSpan({ as: ids })]))).map(readOpenRouter)));
});

const exports: readonly (readonly [keyof typeof importSources, Json, readonly string[]])[] = [
  [
    'langfuse',
    {
      ...{ id: 'o-1', type: 'GENERATION', traceId: 't-1', startTime: '2026-01-15T10:00:00Z', model: 'gpt-4o' },
      ...{ usageDetails: { input: 5, output: 1 }, level: 'ERROR', statusMessage: secret, name: `Tell ${secret}` },
      ...{ input: secret, output: { text: secret }, endTime: `${secret} 1`, metadata: { q: object }, tags: [object] },
    },
    ['usageDetails', 'costDetails'],
  ],
  [
    'helicone',
    {
      ...{ request_id: 'r-1', request_created_at: '2026-01-15T10:00:00Z', response_status: 400, model: 'gpt-4o' },
      ...{
        request_body: { prompt: secret },
        target_url: `https://example.com/${secret}?prompt=${secret}`,
        properties: { q: object },
      },
      response_created_at: `${secret} 1`,
      response_body: { error: secret, usage: { prompt_tokens: 5, completion_tokens: 1 } },
    },
    ['response_body', 'response_body.usage'],
  ],
  [
    'openai-usage',
    { start_time: 1768471200, model: 'gpt-4o', input_tokens: 5, output_tokens: 1, num_model_requests: 1, note: secret },
    [],
  ],
  [
    'litellm',
    { request_id: 'l-1', startTime: '2026-01-15T10:00:00Z', model: 'gpt-4o', messages: secret },
    ['metadata'],
  ],
];

test.each(exports)(
  'D14.5, D16.2: a call has nothing of an export of %s but its known fields',
  (name, record, places) => {
    fc.assert(
      fc.property(secretRecord(secret, record, places), (one) => {
        const reading = importSources[name].read(one);
        if (reading.kind !== 'calls') throw new Error(`it is no call but ${JSON.stringify(reading)}`);
        expectNothing(eventsOf(reading.outcomes));
      }),
      { numRuns },
    );
  },
);
