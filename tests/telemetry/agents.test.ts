// What coding agents send, recorded by running them against a provider on the same machine: Claude Code 2.1.331 (`claude -p hi`)
// and Codex CLI 0.169.0 (`codex exec hi`). Some of their other log records are left out.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { eventsOfLogs } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { options } from '../support/otlp/options.ts';
import { logRecord, logs } from '../support/otlp/records.ts';

const eventShape = z.looseObject({ tags: z.record(z.string(), z.string()), session_id: z.string() });

test.each([
  // As the provider answered: 1,500 written to the cache, 500 of them for an hour.
  ['claude-code', 'claude-sonnet-4-5', 'anthropic', [21, 3000, 1000, 500, 393, 0], 0.033608],
  ['codex', 'gpt-5-codex', 'openai', [176, 1024, 0, 0, 180, 320], undefined],
] as const)(
  'D14.6: the log records of %s are one call, with its user or session',
  (agent, model, provider, counts, reported) => {
    const recorded = readFileSync(new URL(`recorded/${agent}.json`, import.meta.url));
    const { events, partial } = runAtOnce(
      eventsOfLogs(runAtOnce(decodeJson(recorded, { record: 'logRecord' })), options),
    );
    expect(partial).toBeUndefined();
    expect(events).toHaveLength(1);
    const [{ columns, text } = { columns: undefined, text: '{}' }] = events;
    const [input, cached, written, hour, , , , , , output, reasoning] = columns?.usage ?? [];
    expect([input, cached, written, hour, output, reasoning]).toEqual(counts);
    expect(columns?.dimensions).toMatchObject({ model, provider, feature: agent });
    const event = eventShape.parse(JSON.parse(String(text)));
    expect(event.reported_cost).toBe(reported);
    expect(event.session_id).toMatch(/^[\da-f-]{36}$/);
    if (agent === 'claude-code') expect(event.tags.user).toMatch(/^[\da-f]{64}$/);
  },
);

test.each(['a.record', 'gen_ai.client.inference.operation.details'])(
  'D27.5: a log record %s that looks like a request is in coverage',
  (name) => {
    const attributes = { 'gen_ai.operation.name': 'ponder', 'gen_ai.usage.input_tokens': 5 };
    const body = Buffer.from(JSON.stringify(logs([logRecord('', { 'event.name': name, ...attributes })])));
    const { events } = runAtOnce(eventsOfLogs(runAtOnce(decodeJson(body, { record: 'logRecord' })), options));
    expect(events.flatMap(({ columns }) => columns.ignored)).toEqual([`not a call: a-test, ${name}`]);
  },
);
