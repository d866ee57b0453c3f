import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { toEvent } from '../../src/ingest/gateways/outcome-event.ts';
import { helicone } from '../../src/ingest/imports/helicone.ts';
import { langfuse } from '../../src/ingest/imports/langfuse.ts';
import { readFile } from '../../src/ingest/imports/read-file.ts';
import type { ImportSource } from '../../src/ingest/imports/source.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json-object.ts';
import { readUsage } from '../../src/usage/usage.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-langfuse-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fields of an export from the page, as Langfuse 4.16.0 makes it (worker/src/features/database-read-stream/event-stream.ts). */
const observation = {
  id: '5b8efff798038103',
  traceId: '8ebcf0a15806fbd08fd19acea5a0c443',
  traceName: 'summarize',
  type: 'GENERATION',
  name: 'answer',
  startTime: '2026-01-15T10:00:00.250Z',
  endTime: '2026-01-15T10:00:01.750Z',
  environment: 'production',
  userId: 'ann',
  sessionId: 'chat-9',
  level: 'DEFAULT',
  statusMessage: '',
  providedModelName: 'gpt-4o-2024-08-06',
  modelParameters: { temperature: 0.2 },
  usageDetails: { input: 300, input_cached_tokens: 100, output: 80, output_reasoning_tokens: 20, total: 500 },
  costDetails: { total: 0.0019 },
  totalCost: 0.0019,
  input: 'SECRET-PROMPT, with "quotes"\nand lines',
  output: 'SECRET-ANSWER',
  metadata: { customer: 'acme' },
  tags: ['plan:pro'],
  parentObservationId: 'eee19b7ec3c1b174',
};

/** A row as its `transformStreamToCsv` writes it: all quoted, and everything but texts as JSON. */
const toCsv = (row: JsonObject): string =>
  [Object.keys(row), Object.values(row).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))]
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\n');

async function eventsOf(text: string): Promise<JsonObject[]> {
  const path = join(folder, 'export');
  writeFileSync(path, text);
  const events: JsonObject[] = [];
  for await (const read of readFile(path, () => undefined)) {
    if (!('value' in read) || !isJsonObject(read.value)) throw new Error('not an object');
    for (const record of langfuse.unpack(read.value)) {
      const reading = langfuse.read(record);
      if (reading.kind === 'calls') events.push(...reading.outcomes.map((outcome) => toEvent(outcome, false)));
    }
  }
  return events;
}

test('D16.2: exports from the page of Langfuse say the same as JSON, JSONL and CSV', async () => {
  const [event, ...others] = await eventsOf(JSON.stringify([observation]));
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    event_type: 'langfuse.generation.after',
    timestamp: '2026-01-15T10:00:01.750Z',
    elapsed_ms: 1500,
    model: 'gpt-4o-2024-08-06',
    prompt_tokens: 400,
    cached_tokens: 100,
    completion_tokens: 100,
    reasoning_tokens: 20,
    reported_cost: 0.0019,
    tags: { customer: 'acme', user: 'ann', feature: 'summarize', run_id: observation.traceId, plan: 'pro' },
    dropped: expect.arrayContaining(['input', 'output']),
  });
  expect(JSON.stringify(event)).not.toContain('SECRET');
  expect(await eventsOf(`${JSON.stringify(observation)}\n`)).toEqual([event]);
  // A trace with its observations within it.
  const trace = { id: observation.traceId, name: 'summarize', userId: 'ann', sessionId: 'chat-9', tags: ['plan:pro'] };
  const { traceName: _, userId: __, sessionId: ___, tags: ____, ...bare } = observation;
  const [ofTrace] = await eventsOf(JSON.stringify([{ ...trace, observations: [bare] }]));
  expect(ofTrace).toMatchObject({ event_id: event?.event_id, tags: event?.tags });

  const csv = await eventsOf(toCsv(observation));
  const { langfuse: kept, ...plain } = event ?? {};
  expect(kept).toBeDefined();
  expect(csv).toEqual([expect.objectContaining(plain)]);
  // Dates as JSON, with quotes of their own.
  const quoted = { ...observation, startTime: `"${observation.startTime}"`, endTime: `"${observation.endTime}"` };
  expect(await eventsOf(toCsv(quoted))).toEqual([expect.objectContaining(plain)]);
});

test('D16.2: counts that include their parts are told from buckets by their total', () => {
  const usageOf = (usageDetails: JsonObject) => {
    const reading = langfuse.read({ ...observation, usageDetails });
    return reading.kind === 'calls' ? reading.outcomes[0]?.usage : undefined;
  };
  const parts = { input: 400, input_cached_tokens: 100, output: 100, output_reasoning_tokens: 20 };
  expect(usageOf({ ...parts, total: 500 })).toMatchObject({ prompt_tokens: 400, completion_tokens: 100 });
  expect(usageOf({ ...parts, total: 620 })).toMatchObject({ prompt_tokens: 500, completion_tokens: 120 });
  expect(usageOf(parts)).toMatchObject({ prompt_tokens: 500, cached_tokens: 100, reasoning_tokens: 20 });
  expect(usageOf({ input: 10, cache_read_input_tokens: 5, output: 1 })).toMatchObject({
    prompt_tokens: 15,
    cached_tokens: 5,
  });
  // A handler of LangChain renames Gemini's sides, and no part.
  expect(usageOf({ input: 1000, output: 100, thoughts_token_count: 300, total: 1400 })).toMatchObject({
    prompt_tokens: 1000,
    completion_tokens: 400,
    reasoning_tokens: 300,
  });
});

test('D27.8: cache writes of an hour count in the shape of Anthropic and in Langfuse’s own', () => {
  const usageOf = (usageDetails: JsonObject) => {
    const reading = langfuse.read({ ...observation, usageDetails });
    const { usage, unread, flags } = readUsage((reading.kind === 'calls' && reading.outcomes[0]?.usage) || {});
    return { usage, unread, flags };
  };
  const lives = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 };
  const own = { cache_read_input_tokens: 5, cache_creation_input_tokens: 30, cache_creation: lives };
  const read = usageOf({ input_tokens: 1, output_tokens: 2, ...own });
  expect(read.usage).toMatchObject({ input: 1, cacheRead: 5, cacheWrite: 10, cacheWrite1h: 20, output: 2 });
  const parts = { input_cache_read: 5, input_cache_creation_5m: 10, input_cache_creation_1h: 20 };
  expect(usageOf({ input: 1, output: 2, ...parts, total: 38 })).toEqual(read);
  expect(read.unread).toEqual([]);
});

test('D16.2: of the names of a model in a record, the one with more detail counts', () => {
  const modelOf = (source: ImportSource, record: JsonObject) => {
    const reading = source.read(record);
    return reading.kind === 'calls' ? reading.outcomes[0]?.model : reading;
  };
  const ofHelicone = { request_id: 'r', request_created_at: '2026-01-15T10:00:00Z' };
  for (const [first, second, model] of [
    ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['gpt-4o-2024-05-13', 'gpt-4o', 'gpt-4o-2024-05-13'],
    ['gpt-4o', 'gpt-4o-mini-2024-07-18', 'gpt-4o'],
  ] as const) {
    expect(modelOf(langfuse, { ...observation, providedModelName: first, model: second })).toBe(model);
    expect(modelOf(helicone, { ...ofHelicone, response_model: first, request_model: second })).toBe(model);
  }
});

test('D27.5: every count of tokens of Helicone is read, or told', () => {
  const record = {
    ...{ request_id: 'r', request_created_at: '2026-01-15T10:00:00Z', response_model: 'gpt-4o', prompt_tokens: '100' },
    ...{ completion_tokens: 20, prompt_audio_tokens: 2, completion_audio_tokens: 3, reasoning_tokens: 4 },
  };
  const unreadOf = (more: JsonObject) => {
    const reading = helicone.read({ ...record, ...more });
    const [outcome] = reading.kind === 'calls' ? reading.outcomes : [];
    return outcome === undefined ? reading : readUsage(outcome.usage).unread;
  };
  expect(unreadOf({})).toEqual(['helicone.reasoning_tokens']);
  expect(unreadOf({ reasoning_tokens: 0 })).toEqual([]);
  expect(unreadOf({ response_body: { usage: { prompt_tokens: 100, completion_tokens: 20 } } })).toEqual([
    'helicone.prompt_audio_tokens',
    'helicone.completion_audio_tokens',
    'helicone.reasoning_tokens',
  ]);
});
