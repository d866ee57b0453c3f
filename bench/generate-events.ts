import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { pricedModels } from './made-calls.ts';

/**
 * Writes NDJSON events of AI calls, a `.before` and an `.after` each, for trying imports and answers.
 * The same seed gives the same file.
 *
 *   node bin/runtime.js bench/generate-events.ts --calls 1000000 --days 90 --out events.ndjson
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    days: { type: 'string', default: '90' },
    customers: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    out: { type: 'string' },
  },
});
if (!values.out) throw new Error('Name the file to write: --out FILE');

const features = Array.from({ length: 20 }, (_, index) => `feature-${index}`);
const callsPerRun = 3;
const dayMs = 86_400_000;

/** A small generator of pseudo-random numbers in [0, 1): mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomNumbers(Number(values.seed));
const hex = (digits: number) =>
  Math.floor(random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const calls = Number(values.calls);
const days = Number(values.days);
const customers = Number(values.customers);
const startMs = Date.parse(`${values.until}T00:00:00Z`) - days * dayMs;

const file = createWriteStream(values.out, { highWaterMark: 1 << 20 });
let run = '';
let customer = '';
let feature = '';
for (let call = 0; call < calls; call += 1) {
  if (call % callsPerRun === 0) {
    run = uuid();
    // Squared, so that few customers make most of the calls.
    customer = `customer-${Math.floor(random() ** 2 * customers)}`;
    feature = features[Math.floor(random() * features.length)] ?? '';
  }
  const [provider, model] = pricedModels[Math.floor(random() * pricedModels.length)] ?? pricedModels[0];
  const id = uuid();
  const at = startMs + Math.floor((call / calls) * days * dayMs);
  const elapsed = 200 + Math.floor(random() * 4_000);
  const before = {
    event_id: id,
    event_type: 'chat.before',
    timestamp: new Date(at).toISOString(),
    model,
    provider,
    tags: { customer, feature, run_id: run, user: `user-${Math.floor(random() * 100_000)}` },
  };
  const after = {
    event_id: id,
    event_type: 'chat.after',
    timestamp: new Date(at + elapsed).toISOString(),
    elapsed_ms: elapsed,
    prompt_tokens: 100 + Math.floor(random() * 4_000),
    completion_tokens: 10 + Math.floor(random() * 800),
  };
  if (!file.write(`${JSON.stringify(before)}\n${JSON.stringify(after)}\n`)) await once(file, 'drain');
}
file.end();
await once(file, 'finish');
