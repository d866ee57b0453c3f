// Nothing numeric in the usage of a span, a log record, a gateway's record or an export is read over (D27.5): a change of
// any number changes what is read, or the number is named.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readEvent } from '../../src/calls/events/event.ts';
import type { EventToStore } from '../../src/calls/events/event-columns.ts';
import { readLiteLlm } from '../../src/ingest/gateways/litellm.ts';
import { findCalls, readOpenRouter } from '../../src/ingest/gateways/openrouter.ts';
import { type Outcome, toEvent } from '../../src/ingest/gateways/outcome-event.ts';
import { importSources } from '../../src/ingest/imports/sources.ts';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { isTelling } from '../../src/ingest/telemetry/tables.ts';
import { eventsOfLogs, eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { isJsonObject } from '../../src/lib/json-object.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { usualOrLong } from '../support/effort.ts';

type Json = Record<string, unknown>;
type Step = string | number;

const options = {
  clientId: 'client',
  projectId: 'project',
  receivedAtMs: Date.parse('2026-12-01T00:00:00Z'),
  keepsContent: false,
  limits: { maxTags: 50, maxEventBytes: 1 << 20 },
};

/** What is read of events: usage, units, terms and what coverage names. */
const whatIsRead = (events: readonly EventToStore['columns'][]): string =>
  JSON.stringify(
    events.map(({ usage, units, fields, cost, ignored }) => ({ usage, units, fields, cost, ignored })),
    (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
  );

const ofOutcomes = (outcomes: readonly (Outcome | undefined)[]): string =>
  whatIsRead(
    outcomes.flatMap((outcome) => {
      const reading = outcome && readEvent(toEvent(outcome, false), options.receivedAtMs, options.limits);
      return reading?.ok ? [reading.columns] : [];
    }),
  );

const ofTraces = (body: Json): string => {
  const records = decodeJson(Buffer.from(JSON.stringify(body)), { record: 'span', isTelling });
  return whatIsRead(runAtOnce(eventsOfSpans(runAtOnce(records), options)).events.map(({ columns }) => columns));
};
const ofLogs = (body: Json): string => {
  const records = decodeJson(Buffer.from(JSON.stringify(body)), { record: 'logRecord' });
  return whatIsRead(runAtOnce(eventsOfLogs(runAtOnce(records), options)).events.map(({ columns }) => columns));
};

const file = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const jsonOf = (path: string): Json => JSON.parse(file(path)) as Json;
const linesOf = (path: string): Json[] =>
  file(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);

interface Sent {
  readonly route: string;
  readonly body: Json | Json[];
}
const field = '../fixtures/cases/field/';
const sentBy = (route: string): Json[] =>
  readdirSync(new URL(field, import.meta.url))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => (jsonOf(field + name) as { steps?: readonly Sent[] }).steps ?? [])
    .filter((sent) => sent.route === route)
    .flatMap(({ body }): Json[] => (Array.isArray(body) ? body : [body]));

/** What real packages sent, recorded by the cases of `tests/clients`. */
interface Recording {
  readonly posts: readonly Sent[];
}
const recordings = new URL('../fixtures/recordings/', import.meta.url);
const postsTo = (route: RegExp): Json[] =>
  readdirSync(recordings)
    .map((name) => JSON.parse(readFileSync(new URL(name, recordings), 'utf8')) as Partial<Recording>)
    .flatMap(({ posts = [] }) => posts.filter((post) => route.test(post.route)))
    .flatMap(({ body }): Json[] => (Array.isArray(body) ? body : [body]));

const recorded = readdirSync(new URL('recorded/', import.meta.url)).map((name) => jsonOf(`recorded/${name}`));
const ofImport = (source: keyof typeof importSources) => (record: Json) =>
  ofOutcomes(
    importSources[source].unpack(record).flatMap((one) => {
      const reading = importSources[source].read(one);
      return reading.kind === 'calls' ? reading.outcomes : [];
    }),
  );

interface Records {
  readonly [records: string]: unknown[];
}
/** A body for each span or log record of a body. */
const each =
  (resources: string, scopes: string, records: string) =>
  (body: Json): Json[] =>
    ((body[resources] ?? []) as (Json & { [scopes: string]: Records[] })[]).flatMap((resource) =>
      (resource[scopes] ?? []).flatMap((scope) =>
        (scope[records] ?? []).map((record) => ({
          [resources]: [{ ...resource, [scopes]: [{ ...scope, [records]: [record] }] }],
        })),
      ),
    );

/** One record of each set of names that have to do with usage, since alike records of many cases say the same; or all. */
const distinct = (records: readonly Json[]): readonly Json[] => {
  const wordsOf = (record: Json) => new Set(JSON.stringify(record).match(/[\w.]*(?:token|usage|cache)[\w.]*/gi));
  const some = [...new Map(records.map((record) => [[...wordsOf(record)].sort().join(), record])).values()];
  return usualOrLong(some, records);
};

const bucketOf = (result: Json): Json => ({ start_time: 1_768_435_200, end_time: 1_768_521_600, results: [result] });
/** Results with parts of every kind, which the file has not. */
const usageOfMedia = [
  bucketOf({
    ...{ object: 'organization.usage.completions.result', model: 'gpt-realtime', num_model_requests: 3 },
    ...{ input_tokens: 1_000, input_cached_tokens: 300, input_cache_write_tokens: 50, input_uncached_tokens: 650 },
    ...{ input_text_tokens: 350, input_audio_tokens: 200, input_image_tokens: 100 },
    ...{ input_cached_text_tokens: 190, input_cached_audio_tokens: 80, input_cached_image_tokens: 30 },
    ...{ output_tokens: 500, output_text_tokens: 320, output_audio_tokens: 120, output_image_tokens: 60 },
  }),
  bucketOf({ start: 1, model: 'gpt-4o', input_tokens: 9, output_tokens: 7, input_audio_tokens: 5 }),
];

const sources: Readonly<Record<string, { records: readonly Json[]; read: (record: Json) => string }>> = {
  spans: {
    records: distinct(
      [...recorded, ...sentBy('traces'), ...postsTo(/traces/)].flatMap(each('resourceSpans', 'scopeSpans', 'spans')),
    ),
    read: ofTraces,
  },
  'log records': {
    records: distinct(
      [...recorded, ...sentBy('logs'), ...postsTo(/logs/)].flatMap(each('resourceLogs', 'scopeLogs', 'logRecords')),
    ),
    read: ofLogs,
  },
  LiteLLM: {
    records: [
      ...Object.values(jsonOf('../fixtures/gateways/litellm-callback.json').records as Record<string, Json>),
      ...sentBy('litellm'),
      ...postsTo(/^litellm/),
    ],
    read: (record) => ofOutcomes([readLiteLlm(record)]),
  },
  OpenRouter: {
    records: [jsonOf('../fixtures/gateways/openrouter-broadcast.json').payload as Json],
    read: (record) => ofOutcomes(runAtOnce(findCalls(record)).map(readOpenRouter)),
  },
  'exports of Langfuse': {
    records: [...linesOf(`${field}16-langfuse-export.jsonl`), ...linesOf('../fixtures/imports/langfuse-blob.jsonl')],
    read: ofImport('langfuse'),
  },
  'exports of LiteLLM': {
    records: jsonOf('../fixtures/imports/litellm-spend-logs.json') as unknown as Json[],
    read: ofImport('litellm'),
  },
  'exports of the usage of OpenAI': {
    records: [jsonOf('../fixtures/imports/openai-usage.json'), ...usageOfMedia],
    read: ofImport('openai-usage'),
  },
  'exports of Helicone': { records: linesOf('../fixtures/imports/helicone.jsonl'), read: ofImport('helicone') },
};

/** A number, and how to replace it. */
interface Leaf {
  readonly path: string;
  readonly value: number;
  readonly replace: (value: number) => Json;
}

/** The numbers of tokens in a record, also in its texts of JSON, and as texts where they are. */
function* leavesOf(
  value: unknown,
  path: string,
  isOfUsage: boolean,
  replace: (value: unknown) => Json,
): Generator<Leaf> {
  const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parseObject(value) : undefined;
  if (parsed !== undefined) {
    yield* leavesOf(parsed, path, isOfUsage, (inner) => replace(JSON.stringify(inner)));
  } else if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) {
    if (isOfUsage) {
      const write = typeof value === 'string' ? String : (one: number) => one;
      yield { path, value: Number(value), replace: (other) => replace(write(other)) };
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* within(value, index, item, path, isOfUsage, replace);
  } else if (isJsonObject(value)) {
    const named = typeof value.key === 'string' ? value.key : '';
    for (const [name, item] of Object.entries(value)) {
      yield* within(value, name, item, named === '' ? `${path}.${name}` : named, isOfUsage, replace);
    }
  }
}

/** Undefined where the text is none of JSON, such as Python's `repr`. */
function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* within(
  parent: unknown,
  step: Step,
  item: unknown,
  path: string,
  isOfUsage: boolean,
  replace: (value: unknown) => Json,
): Generator<Leaf> {
  const put = (other: unknown): Json => {
    const copy = (Array.isArray(parent) ? [...parent] : { ...(parent as Json) }) as Record<Step, unknown>;
    copy[step] = other;
    return replace(copy);
  };
  yield* leavesOf(item, path, isOfUsage || isUsage.test(path), put);
}

const isUsage = /token|usage/i;
/** Costs, limits of the request, settings, estimates and what earlier answers used are not used tokens. */
const isOther =
  /cost|avgOutputTokens|^(?:input\.value|gen_ai\.prompt)|estimated|established_tokens|^usage\.stringValue\.requests|text_tokens(?:\.intValue)?$|metadata\.stringValue\.anthropic\.cache|max_?_?(?:output_)?tokens|spend|rate_?limit|budget|per_token|time|^\.?metadata\.user/i;

/** Whether coverage names the number already. Totals have many names. */
const isOf = (named: string, path: string): boolean => {
  const own = path.replace(/\.(?:int|string)Value$/, '');
  return (
    named.endsWith(own.slice(own.lastIndexOf('.') + 1)) || (/total/i.test(named) && /total(?:_?tokens)?$/i.test(own))
  );
};

test.each(Object.keys(sources))('D27.5: no number in the usage of %s is read over', (name) => {
  const { records = [], read = () => '' } = sources[name] ?? {};
  const missed = new Set<string>();
  let found = 0;
  for (const record of records) {
    const before = read(record);
    const calls = JSON.parse(before) as { usage: number[]; ignored: string[] }[];
    // A span around a call, and a call without usage.
    if (calls.every(({ usage, ignored }) => usage.length === 0 && ignored.every((one) => one.startsWith('not a call'))))
      continue;
    const named = calls.flatMap(({ ignored }) => ignored);
    for (const { path, value, replace } of leavesOf(record, '', false, (other) => other as Json)) {
      // A count of 0 says nothing.
      if (isOther.test(path) || value === 0 || named.some((one) => isOf(one, path))) continue;
      found += 1;
      for (const other of usualOrLong([value + 977], [value + 1, value + 977]))
        if (read(replace(other)) === before) missed.add(path);
    }
  }
  expect([...missed]).toEqual([]);
  expect(found).toBeGreaterThan(0);
});
