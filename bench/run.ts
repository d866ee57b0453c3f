import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { startEmbeddedEngine } from '../src/storage/analytic/embedded/engine.ts';
import { readFilled } from './filled.ts';
import { withNarrowColumns } from './narrow-columns.ts';
import { dayBefore, listQuestions, type Question, vary } from './questions.ts';
import { startService } from './start-service.ts';

/**
 * Measures answers over HTTP on a data folder that `bench/fill.ts` made. In the same run it measures what bounds them: `SELECT 1`,
 * the narrowest rollup read by hand-written SQL (the floor), and a plain scan of the same columns of the calls.
 *
 *   npm run bench -- --dir bench-data
 */
const { values } = parseArgs({
  options: { dir: { type: 'string', default: 'bench-data' }, rounds: { type: 'string', default: '9' } },
});
const rounds = Number(values.rounds);

const filled = readFilled(values.dir);
const projectOf = (type: 'revenue' | 'internal') => {
  const found = filled.projects.find((project) => project.type === type);
  if (!found) throw new Error(`there is no ${type} project in ${values.dir}`);
  return found;
};

const { questions: allQuestions, warming } = listQuestions(filled);

interface Asking {
  readonly cursor?: string | undefined;
  readonly number?: number;
}

const questions = allQuestions.filter(({ type }) => filled.projects.some((project) => project.type === type));

/** A measurement that takes longer than this, in milliseconds, makes only the fewest rounds. */
const longMs = 10_000;

/** Times of `action` in milliseconds. It gets the number of the round; round 0 is not part of the median. */
async function measure(
  action: (round: number) => Promise<unknown>,
  fewest = 5,
): Promise<{ first: number; median: number; worst: number }> {
  const begunAt = performance.now();
  if (fewest > 1) await action(0);
  const first = performance.now() - begunAt;
  const times: number[] = [];
  while (times.length < fewest || (times.length < rounds && performance.now() - begunAt < longMs)) {
    const startedAt = performance.now();
    await action(times.length + 1);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { first, median: times[Math.floor(times.length / 2)] ?? 0, worst: times.at(-1) ?? 0 };
}

/** Answers a second to so many clients, each of which asks again when it has its answer. */
async function measureRate(action: (round: number) => Promise<unknown>, clients = 16, seconds = 5): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let asked = 0;
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        asked += 1;
        await action(asked);
        answered += 1;
      }
    }),
  );
  return answered / seconds;
}

/** The questions that many clients ask at once. */
const isNarrow = ({ name }: Question) => ['cost per day', 'cost per month by model'].includes(name);

interface Floors {
  readonly floor: number;
  readonly scan: number;
  /** Floors a second with 16 clients, of the narrow questions. */
  readonly rate: number;
}

/** Measures the bounds of the answers on the engine itself. */
async function measureFloors(): Promise<{ one: number; byName: Map<string, Floors>; narrow: Map<string, number> }> {
  const quiet = () => undefined;
  const engine = await startEmbeddedEngine({
    dataDir: values.dir,
    logger: { info: quiet, warn: console.warn, error: console.error },
  });
  const { url, username, password } = engine;
  const store = new AnalyticStore({ url, credentials: { username, password } });
  const byName = new Map<string, Floors>();
  for (const question of questions) {
    const { name, type, floor, scan } = question;
    const run = (sql: string) => store.select(sql.replaceAll("'P'", `'${projectOf(type).id}'`), {}, 30_000);
    const ask = async (sql: string, fewest?: number) => (await measure(() => run(sql), fewest)).median;
    byName.set(name, {
      floor: floor === '' ? Number.NaN : await ask(floor),
      // Where there is a floor, a scan that takes long is measured once.
      scan: await ask(scan, floor === '' ? undefined : 1),
      rate: isNarrow(question) ? await measureRate(() => run(floor)) : Number.NaN,
    });
  }
  const narrow = new Map<string, number>();
  await withNarrowColumns(store, projectOf('revenue').id, async () => {
    for (const { name, narrow: sql } of questions)
      if (sql !== undefined) narrow.set(name, (await measure(() => store.select(sql, {}, 30_000))).median);
  });
  const one = (await measure(() => store.select('SELECT 1'))).median;
  await store.close();
  await engine.close();
  return { one, byName, narrow };
}

const floors = await measureFloors();
const { url, adminToken, process: service } = await startService(values.dir);
try {
  /**
   * Answers of ended days are cached, so another `number` makes another question: with groups, one row less (`limit`);
   * without groups, one name more in a filter, or else up to 24 days more before the first call and up to 24 days fewer
   * at the end. Cells in memory are there after the first question.
   */
  const askOnce = async ({ type, path, body, query }: Question, { cursor, number = 0 }: Asking = {}) => {
    const isGet = Object.keys(body).length === 0;
    const limit = isGet || body.limit === undefined ? 100 - (number % 50) : 1_000 - (number % 600);
    const answer = await fetch(isGet ? `${url}${path}?${query ?? `limit=${limit}`}` : `${url}${path}`, {
      method: isGet ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${projectOf(type).apiKey}`, 'content-type': 'application/json' },
      ...(!isGet && {
        body: JSON.stringify({ ...body, limit, ...vary(body, number, filled), ...(cursor && { cursor }) }),
      }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { rows: unknown[]; next_cursor: string | null };
  };
  /** Posts 100 events a second of the running day to a project, in five requests; returns a function that stops it. */
  const startLiveDay = async (type: Question['type']) => {
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
    const made = await fetch(`${url}/admin/projects/${projectOf(type).id}/clients/`, {
      method: 'POST',
      headers: headers(adminToken),
      body: '{}',
    });
    const { client_id: client, secret } = (await made.json()) as { client_id: string; secret: string };
    let stored = 0;
    const post = async () => {
      const events = Array.from({ length: 20 }, (_, index) => ({
        event_id: randomUUID(),
        event_type: 'chat.after',
        tags: { customer: `customer-${(stored + index) % 500}`, feature: `feature-${index}`, user: `user-${index}` },
        model: 'gpt-4o-mini',
        provider: 'openai',
        prompt_tokens: 400,
        completion_tokens: 80,
      }));
      const answer = await fetch(`${url}/intake/${client}/`, {
        method: 'POST',
        headers: headers(secret),
        body: JSON.stringify(events),
      });
      if (!answer.ok) throw new Error(`events were refused: ${answer.status}`);
      stored += events.length;
    };
    const timer = setInterval(() => void post(), 200);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    return () => {
      clearInterval(timer);
      if (stored < 1_000) throw new Error('too few events of the running day were stored');
    };
  };
  console.log(
    `${filled.calls.toLocaleString('en')} calls a project over ${filled.days} days, ${filled.correlated ? 'correlated' : 'independent'} dimensions; ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`,
  );
  console.log(`SELECT 1 through the same client: ${floors.one.toFixed(1)} ms\n`);
  console.log(
    '| Question | p50 ms | worst ms | floor ms | × floor | scan ms | × scan | narrow columns ms | asked again, p50 ms | first question ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  // The first answers of a service are slow, as its code is not compiled yet. No other question reads these cells.
  for (let number = 0; number < 30; number += 1) await askOnce(warming, { number });
  for (const question of questions) {
    let cursor: string | undefined;
    for (let page = 0; question.isDeep && page < 150; page += 1) {
      cursor = (await askOnce(question, { cursor })).next_cursor ?? undefined;
    }
    const { first, median, worst } = await measure((number) => askOnce(question, { cursor, number }));
    const again = await measure(() => askOnce(question, { cursor }));
    const { floor = 0, scan = 0 } = floors.byName.get(question.name) ?? {};
    const cells = [median, worst, floor, median / floor].map((number) =>
      Number.isNaN(number) ? '' : number.toFixed(1),
    );
    const ofScan = (median / scan).toFixed(2);
    const narrow = floors.narrow.get(question.name)?.toFixed(0) ?? '';
    console.log(
      `| ${question.name} | ${cells.join(' | ')} | ${scan.toFixed(0)} | ${ofScan} | ${narrow} | ${again.median.toFixed(1)} | ${first.toFixed(1)} |`,
    );
  }

  console.log(
    '\n| 16 clients at once | floor SQL a second | a second | of the floor | all the same, a second | of the floor |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const question of questions.filter(isNarrow)) {
    const floorRate = floors.byName.get(question.name)?.rate ?? 0;
    const rates = [
      await measureRate((number) => askOnce(question, { number })),
      await measureRate(() => askOnce(question)),
    ];
    const [first, again] = rates.map((rate) => `${rate.toFixed(0)} | ${(rate / floorRate).toFixed(2)}`);
    console.log(`| ${question.name} | ${floorRate.toFixed(0)} | ${first} | ${again} |`);
  }

  console.log('\n| With today, and 100 events a second | p50 ms | worst ms | asked again, p50 ms | worst ms |');
  console.log('|---|---|---|---|---|');
  const live = questions.filter(({ isDeep, query, path }) => !isDeep && query === undefined && path !== '/api/calls/');
  for (const [type, asked] of Map.groupBy(live, (question) => question.type)) {
    const stopDay = await startLiveDay(type);
    for (const question of asked) {
      const { body } = question;
      const withToday = { ...question, body: 'date_to' in body ? { ...body, date_to: dayBefore(0) } : body };
      const first = await measure((number) => askOnce(withToday, { number }));
      const again = await measure(() => askOnce(withToday));
      const cells = [first, again].flatMap(({ median, worst }) => [median.toFixed(1), worst.toFixed(1)]);
      console.log(`| ${question.name} | ${cells.join(' | ')} |`);
    }
    stopDay();
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
}
