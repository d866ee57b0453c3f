import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiKeys } from '../src/accounts/api-keys.ts';
import { LastUsed } from '../src/accounts/last-used.ts';
import { Projects } from '../src/accounts/projects.ts';
import { TouchedDays } from '../src/calls/touched-days.ts';
import { toDayNumber } from '../src/lib/days.ts';
import { PriceBooks } from '../src/pricing/books/price-books.ts';
import { Sealer } from '../src/rollups/rollups/sealer.ts';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { startEmbeddedEngine } from '../src/storage/analytic/embedded/engine.ts';
import { openControlStore } from '../src/storage/control/control-store.ts';
import { Lease } from '../src/storage/control/lease.ts';
import { pricedModels } from './made-calls.ts';

/**
 * Fills a data folder with calls, as assembly would make them from events, and seals their days: 5,000 customers with a
 * skew, 20 features, 15 models of 5 providers, 100,000 users, 3 calls a run. The same seed gives the same calls.
 * With `--correlated`, a customer has one feature and a feature one model; otherwise all are independent of each other.
 * There is a project of each type, with the same calls; `--types revenue` makes only one. With `--tags`, calls have the tags
 * `env` of 3 values, `team` of 20 and `session` of 100,000; the first and last are dimensions of the projects. With
 * `--priced`, models are those of `bench/generate-events.ts`, one prompt of 200 has 250,000 tokens, and one call of 20 is
 * of a batch, for `bench/reprice.ts`.
 *
 *   node bin/runtime.js bench/fill.ts --calls 10000000 --days 90 --dir bench-data
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '90' },
    dir: { type: 'string', default: 'bench-data' },
    correlated: { type: 'boolean', default: false },
    types: { type: 'string', default: 'revenue,internal' },
    tags: { type: 'boolean', default: false },
    priced: { type: 'boolean', default: false },
  },
});
const calls = Number(values.calls);
const days = Number(values.days);
const dir = values.dir;
const dayMs = 86_400_000;
const clock = Date.now;
const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: console.warn, error: console.error };

mkdirSync(dir, { recursive: true });
const engine = await startEmbeddedEngine({ dataDir: dir, logger });
const store = new AnalyticStore({
  url: engine.url,
  credentials: { username: engine.username, password: engine.password },
});
await store.migrate();
const control = await openControlStore({ dataDir: dir, postgresUrl: undefined, onError: console.error });
const lastUsed = new LastUsed(control, console.error);

/** A project with a key; the calls of both are the same, so that margin and performance can be asked about them. */
async function makeProject(type: 'revenue' | 'internal') {
  const tagDimensions = values.tags ? ['env', 'session'] : [];
  const fields = { name: type, type, timezone: 'UTC', atRiskBelowPct: null, tagDimensions };
  const { id } = await new Projects(control, clock).create(fields, new PriceBooks(control, clock));
  const key = await new ApiKeys(control, clock, lastUsed).create({
    projectId: id,
    name: 'bench',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  return { id, type, apiKey: key.apiKey };
}

/** The dimensions of a call, computed from its number; a run is three calls in a row. */
const customer =
  "concat('customer-', toString(toUInt32(5000 * pow((sipHash64(run_number, 1) % 1000003) / 1000003, 2.5))))";
const feature = values.correlated ? 'sipHash64(customer, 2) % 20' : 'sipHash64(run_number, 2) % 20';
const model = values.correlated ? 'sipHash64(feature, 3) % 15' : 'sipHash64(number, 3) % 15';
const random = (salt: number, below: number) => `sipHash64(number, ${salt}) % ${below}`;
const tags = values.tags
  ? `map('env', concat('env-', toString(${random(12, 3)})), 'team', concat('team-', toString(${random(13, 20)})),
        'session', concat('session-', toString(sipHash64(run_number, 14) % 100000)))`
  : 'map()';

const listed = (names: readonly string[]) => `['${names.join("', '")}'][1 + model_number % ${names.length}]`;
const [modelName, providerName, inputTokens, terms] = values.priced
  ? [
      listed(pricedModels.map(([, name]) => name)),
      listed(pricedModels.map(([provider]) => provider)),
      `if(${random(15, 200)} = 0, 250000, ${random(8, 4000)})`,
      `if(${random(16, 20)} = 0, map('service_tier', 'batch'), map())`,
    ]
  : [
      "concat('model-', toString(model_number))",
      "concat('provider-', toString(model_number % 5))",
      random(8, 4000),
      'map()',
    ];

async function fillDay(project: string, day: number, from: number, count: number): Promise<void> {
  await store.command(
    `INSERT INTO calls (project, day, generation, event_id, ordinal, version, is_deleted, time, first_received_at, customer, user,
        feature, run, model, provider, tags, failed, elapsed_ms, cost, cost_source, unpriced_reason, price_book,
        input_tokens, cache_read_tokens, output_tokens, terms)
      SELECT {project:String}, toDate({day:UInt16}), 0, toUUID(UUIDNumToString(sipHash128(number, 9))), 0, 1, 0,
        fromUnixTimestamp64Milli(toInt64({dayMs:Int64} + intDiv(number - {from:UInt64}, 3) * {stepMs:Float64}), 'UTC') AS time, time,
        customer, concat('user-', toString(sipHash64(run_number, 4) % 100000)), feature_name, concat('run-', toString(run_number)),
        ${modelName}, ${providerName}, ${tags}, ${random(5, 100)} = 0,
        200 + ${random(6, 3000)}, toDecimal128((1 + ${random(7, 40000)}) / 1000000, 12), 'catalogue', '', 'bench',
        ${inputTokens}, ${random(10, 1000)}, ${random(11, 800)}, ${terms}
      FROM (
        SELECT number, intDiv(number, 3) AS run_number, ${customer} AS customer, ${feature} AS feature,
          concat('feature-', toString(feature)) AS feature_name, ${model} AS model_number
        FROM numbers({from:UInt64}, {count:UInt64})
      )`,
    { project, day, from, count, dayMs: day * dayMs, stepMs: (dayMs / count) * 3 },
  );
  await store.command(
    `INSERT INTO runs (project, base_generation, run_hash, first_day, last_day, first_customer, last_customer)
      SELECT project, 0, sipHash128(run), min(day), max(day), min(customer), max(customer)
      FROM calls WHERE project = {project:String} AND day = toDate({day:UInt16}) GROUP BY project, run`,
    { project, day },
  );
}

const today = toDayNumber(new Date().toISOString().slice(0, 10));
const first = today - days;
const startOf = (index: number) => Math.floor((calls * index) / days);
const projects: Awaited<ReturnType<typeof makeProject>>[] = [];
for (const type of ['revenue', 'internal'] as const) {
  if (values.types.split(',').includes(type)) projects.push(await makeProject(type));
}
const startedAt = clock();
for (let index = 0; index < days; index += 1) {
  for (const { id } of projects) await fillDay(id, first + index, startOf(index), startOf(index + 1) - startOf(index));
  if (index % 10 === 9) console.log(`${index + 1} of ${days} days, ${Math.round((clock() - startedAt) / 1000)} s`);
}
for (const { id } of projects) {
  // The runs with calls on both sides of a midnight, as assembly would note them.
  const crossing = Array.from({ length: days }, (_, index) => startOf(index)).filter((start) => start % 3 !== 0);
  await store.command(
    `INSERT INTO crossing_runs (project, base_generation, run_hash)
      SELECT {id:String}, 0, sipHash128(concat('run-', toString(arrayJoin({runs:Array(UInt64)}))))`,
    { id, runs: crossing.map((start) => Math.floor(start / 3)) },
  );
  const rows = Array.from({ length: days }, (_, index) => ({
    project_id: id,
    day: new Date((first + index) * dayMs).toISOString().slice(0, 10),
    generation: 0,
    touched: 1,
    touched_at: 0,
    sealed: 0,
    seal: 0,
  }));
  await control.insertInto('days').values(rows).execute();
}
console.log(`filled ${projects.length} × ${calls} calls in ${Math.round((clock() - startedAt) / 1000)} s`);

const lease = new Lease({ control, clock, holder: 'bench', exclusive: true });
await lease.acquire();
const sealingAt = clock();
const sealer = new Sealer({
  store,
  control,
  lease,
  clock,
  logger,
  touchedDays: new TouchedDays(control, clock),
  quietMs: 0,
});
while (await sealer.step()) {
  // Waits until every day is sealed.
}
await lease.release();
console.log(`sealed in ${Math.round((clock() - sealingAt) / 1000)} s`);
writeFileSync(join(dir, 'bench.json'), JSON.stringify({ calls, days, correlated: values.correlated, projects }));
await lastUsed.close();
await control.destroy();
await store.close();
await engine.close();
