import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { decodeJson } from '../src/ingest/telemetry/otlp/decode-json.ts';
import { decodeProtobuf } from '../src/ingest/telemetry/otlp/decode-protobuf.ts';
import { isTelling } from '../src/ingest/telemetry/tables.ts';
import { eventsOfSpans } from '../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../src/lib/slices.ts';
import { toProtobuf } from '../tests/support/otlp/protobuf.ts';
import { callSpan, span, traces } from '../tests/support/otlp/records.ts';
import { startService, stopProcess } from './start-service.ts';

/**
 * Measures how many spans a second are stored durably, beside native events of the same size in the same run: requests of 500
 * over 8 connections, to an intake by itself (assembly is left to another instance, which here does nothing). Then how long a
 * span without a model call takes.
 *
 *   node bin/runtime.js bench/telemetry.ts --seconds 5 --rounds 3
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
});
const perRequest = 500;
const connections = 8;
const bodiesOfEach = 16;

const options = {
  clientId: 'client',
  projectId: 'project',
  receivedAtMs: Date.now(),
  keepsContent: false,
  limits: { maxTags: 100, maxEventBytes: 1_048_576 },
};

const attributes = {
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.response.id': 'chatcmpl-81',
  'server.address': 'api.openai.com',
  'farthing.customer': 'customer-17',
  'user.id': 'user-4711',
};

type Spans = readonly Readonly<Record<string, unknown>>[];
const newId = () => randomBytes(8).toString('hex');
const list = <Item>(make: () => Item): Item[] => Array.from({ length: perRequest }, make);
const withoutParent = (): Spans => list(() => callSpan({ attributes }));
/** Every parent is in another request, so each call has a marker beside it. */
const withParent = (): Spans => list(() => callSpan({ attributes, parentSpanId: newId() }));

/** The events that spans become, as a client would send them. */
function toNative(spans: Spans): string {
  const { events } = runAtOnce(
    eventsOfSpans(runAtOnce(decodeJson(Buffer.from(JSON.stringify(traces(spans))), { record: 'span' })), options),
  );
  return `[${events.map(({ text }) => Buffer.from(text).toString()).join(',')}]`;
}

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly bodies: readonly Uint8Array<ArrayBuffer>[];
}

const make = (toBody: () => string | Uint8Array): Uint8Array<ArrayBuffer>[] =>
  Array.from({ length: bodiesOfEach }, () => new Uint8Array(Buffer.from(toBody())));

const kinds: readonly Kind[] = [
  { name: 'native events', path: '', type: 'application/json', bodies: make(() => toNative(withoutParent())) },
  {
    name: 'spans, protobuf',
    path: 'v1/traces',
    type: 'application/x-protobuf',
    bodies: make(() => toProtobuf(traces(withoutParent()))),
  },
  {
    name: 'spans, protobuf, each with a parent',
    path: 'v1/traces',
    type: 'application/x-protobuf',
    bodies: make(() => toProtobuf(traces(withParent()))),
  },
  {
    name: 'spans, JSON',
    path: 'v1/traces',
    type: 'application/json',
    bodies: make(() => JSON.stringify(traces(withoutParent()))),
  },
];

const dir = mkdtempSync(join(tmpdir(), 'farthing-telemetry-'));
const service = await startService(dir);
try {
  const admin = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const project = await admin('/admin/projects/', { name: 'Bench' });
  const client = await admin(`/admin/projects/${project.id}/clients/`, { name: 'bench' });
  const control = new DatabaseSync(join(dir, 'control.sqlite'), { timeout: 10_000 });
  control.exec(
    `UPDATE lease SET holder = '${randomUUID()}', epoch = epoch + 1, expires_at = ${Number.MAX_SAFE_INTEGER}`,
  );
  control.close();

  const run = async ({ path, type, bodies }: Kind): Promise<number> => {
    const until = performance.now() + 1_000 * Number(values.seconds);
    const startedAt = performance.now();
    let requests = 0;
    const work = async (number: number) => {
      for (let turn = number; performance.now() < until; turn += 1) {
        const answer = await fetch(`${service.url}/intake/${client.client_id}/${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${client.secret}`, 'content-type': type },
          body: bodies[turn % bodies.length] ?? null,
        });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`a request was answered with ${answer.status}`);
        requests += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, number) => work(number)));
    return (1_000 * requests * perRequest) / (performance.now() - startedAt);
  };

  const best = new Map<string, number>();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const kind of kinds) best.set(kind.name, Math.max(best.get(kind.name) ?? 0, await run(kind)));
  }
  const native = best.get('native events') ?? 1;
  console.log('| Sent | calls a second | of native events | bytes each |');
  console.log('|---|---|---|---|');
  for (const { name, bodies } of kinds) {
    const rate = best.get(name) ?? 0;
    const bytes = Math.round((bodies[0]?.length ?? 0) / perRequest);
    console.log(`| ${[name, Math.round(rate).toLocaleString('en'), (rate / native).toFixed(2), bytes].join(' | ')} |`);
  }
} finally {
  await stopProcess(service.process);
  rmSync(dir, { recursive: true, force: true });
}

const plain = traces(
  list(() =>
    span({
      name: 'POST /api/orders/:id/items',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/orders/:id/items',
        'http.response.status_code': 200,
        'network.protocol.version': '1.1',
        'server.address': 'shop.example.com',
        'server.port': 443,
        'url.path': '/api/orders/81/items',
        'url.scheme': 'https',
        'user_agent.original': 'Mozilla/5.0 (X11; Linux x86_64)',
        'client.address': '10.2.3.4',
      },
    }),
  ),
);
const [protobuf, json] = [Buffer.from(toProtobuf(plain)), Buffer.from(JSON.stringify(plain))];
const wanted = { record: 'span', isTelling } as const;

/** The shortest of many times, in microseconds a span. */
function timeOf(read: () => unknown): string {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 200; round += 1) {
    const startedAt = performance.now();
    read();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return ((1_000 * shortest) / perRequest).toFixed(2);
}

console.log('\nA span of ten attributes without a model call, in µs:');
console.log(`protobuf ${timeOf(() => runAtOnce(eventsOfSpans(runAtOnce(decodeProtobuf(protobuf, wanted)), options)))}`);
console.log(`JSON ${timeOf(() => runAtOnce(eventsOfSpans(runAtOnce(decodeJson(json, wanted)), options)))}`);
console.log(`JSON.parse alone ${timeOf(() => JSON.parse(json.toString()))}`);
console.log(`${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
