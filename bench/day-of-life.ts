import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventsOfCall } from './made-calls.ts';
import { startWatched } from './watched-service.ts';

/**
 * A day's work in minutes against one process: posts events and asks questions side by side, evenly to the end. Prints
 * memory, open files and parts, and exits with 1 when they are not steady: over the second half, the memory of service and
 * engine must stay within 10% of its median, and open files and parts must not grow.
 *
 *   node bin/runtime.js bench/day-of-life.ts --events 2000000 --queries 100000
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '2000000' },
    queries: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '8' },
    dir: { type: 'string' },
  },
});
const events = Number(values.events);
const queries = Number(values.queries);
const perCall = 2;
const callsPerRequest = 250;
const dayMs = 86_400_000;
const days = 30;
const firstMs = Math.floor(Date.now() / dayMs) * dayMs - days * dayMs;
/** How much memory may differ from its median over the second half, as a share. */
const mostDrift = 0.1;
/** The second half is cut into so many pieces. The median of a piece is judged, so that a merge under way does not count. */
const pieces = 10;
const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'farthing-day-'));
const watched = await startWatched(dir);

const calls = events / perCall;
let posted = 0;
let refused = 0;
let asked = 0;
let unavailable = 0;
const latencies: number[] = [];

/** Posts events in step with the questions: the same share of both at any time. */
async function post(): Promise<void> {
  while (posted < calls) {
    if (posted / calls > asked / queries) {
      await pause(2);
      continue;
    }
    const from = posted;
    posted = Math.min(calls, from + callsPerRequest);
    const body = Array.from({ length: posted - from }, (_, index) => {
      const number = from + index;
      return eventsOfCall(number, firstMs + Math.floor((number / calls) * days * dayMs), perCall);
    }).flat();
    for (;;) {
      const answer = await watched.send(`/intake/${watched.client.id}/`, watched.client.secret, body);
      await answer.arrayBuffer();
      if (answer.status === 200) break;
      if (answer.status !== 503) throw new Error(`events were refused: ${answer.status}`);
      refused += 1;
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    }
  }
}

const range = { date_from: new Date(firstMs).toISOString().slice(0, 10) };
const questions: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ['/api/costs/', { ...range }],
  ['/api/costs/', { ...range, aggregate: 'month', group_by: 'model' }],
  ['/api/costs/', { ...range, group_by: 'customer', limit: 100 }],
  ['/api/costs/', { ...range, aggregate: 'all', customers: ['customer-1', 'customer-7'] }],
  ['/api/usage/', { ...range, aggregate: 'week', group_by: 'feature' }],
  ['/api/margin/', { ...range, aggregate: 'month', group_by: 'customer', limit: 50 }],
  ['/api/calls/', { ...range, limit: 10 }],
];

async function ask(): Promise<void> {
  while (asked < queries) {
    const number = asked;
    asked += 1;
    const [path, body] = questions[number % questions.length] ?? ['/api/costs/', range];
    const startedAt = performance.now();
    const answer = await watched.send(
      path,
      watched.key,
      body,
      number % 2 === 0 ? {} : { 'farthing-consistency': 'relaxed' },
    );
    await answer.arrayBuffer();
    if (answer.status === 200) latencies.push(performance.now() - startedAt);
    else if (answer.status === 503) unavailable += 1;
    else throw new Error(`${path} was answered with ${answer.status}`);
  }
}

interface Sample {
  /** The share of questions asked so far, from 0 to 1. */
  readonly share: number;
  readonly memoryMiB: number;
  readonly descriptors: number;
  readonly parts: number;
}
const samples: Sample[] = [];
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
const round = (number: number) => Math.round(number).toLocaleString('en');
let isDone = false;
const watching = (async () => {
  for (let tick = 0; !isDone; tick += 1) {
    const { clickhouse } = await watched.readDiagnosis();
    const sample = {
      share: asked / queries,
      memoryMiB: watched.readMemory(),
      descriptors: watched.countDescriptors(),
      parts: clickhouse.active_parts,
    };
    samples.push(sample);
    if (tick % 20 === 0) {
      console.log(
        `${seconds()} s: ${round(posted * perCall)} events, ${round(asked)} questions, ${round(sample.memoryMiB)} MiB, ${sample.descriptors} open files, ${sample.parts} parts`,
      );
    }
    await pause(1_000);
  }
})();
await Promise.all([post(), ...Array.from({ length: Number(values.clients) }, ask)]);
const elapsed = seconds();
isDone = true;
await watching;
const stored = await watched.readMetric('farthing_events_stored_total');
await watched.stop();
if (values.dir === undefined) rmSync(dir, { recursive: true, force: true });

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const medians = (read: (sample: Sample) => number): number[] =>
  Array.from({ length: pieces }, (_, piece) => {
    const from = 0.5 + piece / pieces / 2;
    return samples.filter(({ share }) => share >= from && share < from + 0.5 / pieces).map(read);
  })
    .filter((piece) => piece.length > 0)
    .map(median);
const memory = medians(({ memoryMiB }) => memoryMiB);
const middle = median(memory);
const drift = Math.max(...memory.map((one) => Math.abs(one - middle) / middle));
const grown = (read: (sample: Sample) => number): number => {
  const ofPieces = medians(read);
  const half = ofPieces.length >> 1;
  return median(ofPieces.slice(half)) - median(ofPieces.slice(0, half));
};
const descriptors = grown((sample) => sample.descriptors);
const parts = grown((sample) => sample.parts);
latencies.sort((a, b) => a - b);
console.log(
  `\n${round(events)} events and ${round(queries)} questions in ${elapsed} s; ${refused} requests of events were told to wait, ${unavailable} questions were not answered (503)`,
);
console.log(
  `answers: median ${round(latencies[latencies.length >> 1] ?? 0)} ms, p99 ${round(latencies[Math.floor(0.99 * (latencies.length - 1))] ?? 0)} ms`,
);
console.log(
  `second half: memory ${memory.map(round).join(', ')} MiB (at most ${(100 * drift).toFixed(1)}% from its median), open files ${descriptors >= 0 ? '+' : ''}${descriptors}, parts ${parts >= 0 ? '+' : ''}${parts}`,
);
const faults = [
  ...(drift > mostDrift ? [`memory is not flat: ${(100 * drift).toFixed(1)}%`] : []),
  // A few connections more are no leak: over so many questions a leak shows by the hundred.
  ...(descriptors > 32 ? [`${descriptors} more files are open over the second half`] : []),
  ...(parts > 100 ? [`${parts} more parts over the second half`] : []),
  ...(stored === events ? [] : [`${stored} and not ${events} events were stored`]),
  ...(unavailable > queries / 1_000 ? [`${unavailable} questions were not answered`] : []),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
