import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { decodeProtobuf } from '../../src/ingest/telemetry/otlp/decode-protobuf.ts';
import { isTelling } from '../../src/ingest/telemetry/tables.ts';
import { eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { options } from '../support/otlp/options.ts';
import { expectationOf, packageRecording, packageRecordings, sumCounts } from '../support/otlp/package-recordings.ts';
import { toProtobuf } from '../support/otlp/protobuf.ts';
import { type Recording, recorded, recordedText } from '../support/otlp/recorded.ts';

/** What a call of a recording counts: input, cached, written to the cache (and for an hour), output, reasoning. */
type Counts = readonly [
  input: number,
  cached: number,
  written: number,
  hour: number,
  output: number,
  reasoning: number,
];

const whole: Counts = [400, 600, 0, 0, 150, 50];
/** Of packages that write no parts of the prompt and the answer. */
const withoutParts: Counts = [1000, 0, 0, 0, 200, 0];
const withoutReasoning: Counts = [400, 600, 0, 0, 200, 0];
const anthropic: Counts = [100, 600, 200, 100, 200, 0];
const embedding: Counts = [30, 0, 0, 0, 0, 0];
/** A failed call, or one of a package that writes no usage for it. */
const none = 'none';

const expected: Readonly<Record<Recording, readonly (Counts | typeof none)[]>> = {
  'ai-5': [withoutParts, withoutParts, whole, embedding, embedding, none],
  'ai-5-anthropic': [anthropic],
  'ai-6': [whole, whole, whole, embedding, embedding, none],
  'ai-6-anthropic': [anthropic],
  'ai-7-legacy': [whole, whole, whole, embedding, embedding, none],
  // An embedding is two spans of the same operation, one within the other: the outer one has no usage.
  'ai-7-otel': [withoutReasoning, withoutReasoning, withoutReasoning, embedding, none, embedding, none, none],
  'langfuse-openai': [whole],
  'openinference-openai': [whole, none, whole, none],
  'openllmetry-openai': [withoutParts, none, withoutParts],
};

const spans = { record: 'span', isTelling } as const;

const toCounts = ([input, cached, written, hour, , , , , , output, reasoning]: readonly number[]) => [
  input,
  cached,
  written,
  hour,
  output,
  reasoning,
];

test.each(Object.keys(expected) as Recording[])('D14.2: the spans of %s are the calls that were made', (name) => {
  const { events, partial } = runAtOnce(
    eventsOfSpans(runAtOnce(decodeJson(Buffer.from(recordedText(name)), spans)), options),
  );
  expect(partial).toBeUndefined();
  expect(
    events
      .filter(({ columns: { phase } }) => phase !== 'before')
      .map(({ columns: { usage } }) => (usage.length === 0 ? none : toCounts(usage))),
  ).toEqual(expected[name]);
  for (const { columns } of events) {
    expect(columns.ignored).toEqual([]);
    if (columns.phase === 'before') continue;
    expect(columns.phase).toBe(columns.fields.model === 'broken' ? 'error' : 'after');
    expect(['openai', 'anthropic', '']).toContain(columns.dimensions.provider);
    expect(columns.dimensions.model).toMatch(/^(?:gpt-4o|text-embedding-3-small|claude-sonnet-4-5|broken)/);
  }
});

test.each(Object.keys(expected) as Recording[])('D14.1: %s says the same in both encodings', (name) => {
  const body = Buffer.from(toProtobuf(recorded(name)));
  const fromProtobuf = runAtOnce(eventsOfSpans(runAtOnce(decodeProtobuf(body, spans)), options));
  const fromJson = runAtOnce(eventsOfSpans(runAtOnce(decodeJson(Buffer.from(recordedText(name)), spans)), options));
  expect(fromProtobuf.events.map(({ columns }) => columns)).toEqual(fromJson.events.map(({ columns }) => columns));
});

test('D14.4: the AI SDK names the customer, user and feature of a call', () => {
  for (const name of ['ai-5', 'ai-6'] as const) {
    const { events } = runAtOnce(eventsOfSpans(runAtOnce(decodeJson(Buffer.from(recordedText(name)), spans)), options));
    for (const { columns } of events) {
      expect(columns.tags).toEqual({ customer: 'acme', user: 'ann', userId: 'ann', feature: 'support', plan: 'pro' });
    }
  }
  const { events } = runAtOnce(
    eventsOfSpans(runAtOnce(decodeJson(Buffer.from(recordedText('langfuse-openai')), spans)), options),
  );
  expect(events[0]?.columns.tags).toEqual({ customer: 'acme', user: 'ann', session: 's-1' });
});

test('D26: what a provider charges for beside tokens arrives where a span names it', () => {
  for (const name of ['ai-5-anthropic', 'ai-6-anthropic'] as const) {
    const { events } = runAtOnce(eventsOfSpans(runAtOnce(decodeJson(Buffer.from(recordedText(name)), spans)), options));
    expect(events[0]?.columns).toMatchObject({
      units: { web_searches: 2_000_000_000_000n },
      fields: { service_tier: 'standard' },
    });
  }
});

/** What the spans told of the buckets that the provider counted otherwise. */
function untold(told: Readonly<Record<string, number>>, counted: Readonly<Record<string, number>>): string {
  const kinds = Object.keys({ ...counted, ...told }).filter((kind) => told[kind] !== counted[kind]);
  const numberOf = (count = 0) => count.toLocaleString('en');
  return kinds.map((kind) => `\`${kind}\` ${numberOf(told[kind])}/${numberOf(counted[kind])}`).join(', ');
}

/** What the page on packages says of those of a recording. What it says is tested against the service (D14.5, D27.8). */
function said(name: string): { packages: string; faults: string[] } {
  const { versions, truth } = packageRecording(name);
  const { calls, cost, charged = cost, tokens = {}, customer, user, feature } = expectationOf(name);
  const counted = sumCounts(truth.map((request) => request.tokens ?? {}));
  const share = ((cost / charged) * 100).toFixed(1);
  const untoldDimensions = Object.entries({ customer, user, feature }).flatMap(([dimension, value]) =>
    value ? [] : [dimension],
  );
  const faults = [
    calls === truth.length ? '' : `${calls}/${truth.length} calls`,
    untold(tokens, counted),
    share === '100.0' ? '' : `cost ${share} %`,
    untoldDimensions.length === 3 ? 'nobody' : untoldDimensions.map((dimension) => `no ${dimension}`).join(', '),
  ];
  return { packages: versions, faults: faults.filter((fault) => fault !== '') };
}

test.each(['node', 'python'])(
  'D27.6, D27.8, D35.4: the page on packages says of those of %s what they sent',
  (kind) => {
    const page = readFileSync(new URL('../../docs/connect/packages.md', import.meta.url), 'utf8');
    const all = packageRecordings.filter((name) => name.startsWith(`${kind}-`)).map(said);
    expect(all.length).toBeGreaterThan(15);
    const whole = all.filter(({ faults }) => faults.length === 0).map(({ packages }) => packages);
    const short = all.filter(({ faults }) => faults.length > 0);
    expect(page).toContain(`${[...new Set(whole)].map((packages) => `- ${packages}`).join('\n')}\n`);
    expect(page).toContain(
      `${short.map(({ packages, faults }) => `- ${packages}: ${faults.join('; ')}`).join('\n')}\n`,
    );
  },
);
