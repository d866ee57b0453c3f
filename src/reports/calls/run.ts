import { z } from 'zod';
import type { Project } from '../../accounts/projects.ts';
import { type Generations, readGenerations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { beyondRetention } from '../../calls/require-calls.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { parseMoney, toJsonNumber } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { PageRequest } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import { toCall } from './call.ts';
import { afterCall, readCallCursor, spellCall } from './position.ts';
import { readCallKeys, readCallsByKey } from './sql.ts';

/** The most features and customers listed for a run. */
const maxNames = 1_000;

export const runFields = {
  run: z.string(),
  first_time: z.string().meta({ format: 'date-time' }).describe('The time of its first call.'),
  last_time: z.string().meta({ format: 'date-time' }).describe('The time of its last call.'),
  calls: z.number().int(),
  failed_calls: z.number().int(),
  cost: z.number().describe('USD, gross: the nearest double of the exact sum.'),
  features: z.array(z.string()).describe(`In code-point order, the first ${maxNames}.`),
  customers: z.array(z.string()).describe(`In code-point order, the first ${maxNames}.`),
};

interface RunRecord {
  readonly calls: string;
  readonly failed_calls: string;
  readonly total: string;
  readonly first_ms: string;
  readonly last_ms: string;
  readonly features: string[];
  readonly customers: string[];
}

/** @throws Problem `invalid_cursor` */
export function parseRun(projectId: string, run: string, { limit, cursor }: PageRequest) {
  const identity = ['run', projectId, run];
  const after = cursor === undefined ? undefined : readCallCursor(identity, cursor).position;
  return { run, after, limit, identity };
}

/** A run and a page of its calls. @throws Problem `not_found`, `beyond_retention` when calls of it are deleted */
export async function readRun(
  project: Project,
  { run, after, limit, identity }: ReturnType<typeof parseRun>,
  sources: AnswerSources,
) {
  const { store } = sources;
  const calls = await whereRun(project, run, sources);
  if (!calls) throw noSuchRun();

  const [keys, [total]] = await Promise.all([
    readCallKeys(store, all([calls, afterCall(after, 'oldest')]), { limit: limit + 1, order: 'oldest' }),
    store.select<RunRecord>(
      `SELECT count() AS calls, countIf(failed) AS failed_calls, sum(cost) AS total,
        toUnixTimestamp64Milli(min(time)) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms,
        arraySlice(arraySort(groupUniqArray(feature)), 1, ${maxNames}) AS features,
        arraySlice(arraySort(groupUniqArray(customer)), 1, ${maxNames}) AS customers
      FROM calls FINAL WHERE ${calls.sql}`,
      calls.parameters,
    ),
  ]);
  if (!total || Number(total.calls) === 0) throw noSuchRun();
  const dateTo = keys.at(-1)?.day ?? '';
  const page = cutPage(identity, keys, limit, (key) => spellCall(dateTo, key));
  const records = await readCallsByKey(store, project.id, page.rows);
  return {
    run,
    ...toSummary(total),
    rows: records.map((record) => toCall(record, { withNetCost: false })),
    ...page.end,
  };
}

const noSuchRun = () => new Problem('not_found', 'This project has no call of this run.');

const toSummary = (record: RunRecord) => ({
  first_time: new Date(Number(record.first_ms)).toISOString(),
  last_time: new Date(Number(record.last_ms)).toISOString(),
  calls: Number(record.calls),
  failed_calls: Number(record.failed_calls),
  cost: toJsonNumber(parseMoney(record.total) ?? 0n),
  features: record.features,
  customers: record.customers,
});

/** The calls of a run; undefined when there are none. */
async function whereRun(project: Project, run: string, { store, control }: AnswerSources): Promise<Clause | undefined> {
  const generations = await readGenerations(control, project.id);
  // This statement quickly finds the days of the run: it searches all versions of calls between the run's first and
  // last known day. A second statement then reads the versions in force, but only on these days.
  const known = (column: string) =>
    `(SELECT ${column} FROM runs WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
      AND run_hash = sipHash128({run:String}))`;
  await requireWholeRun(project.id, run, { store, generations });
  const found = await store.select<{ day: string }>(
    `SELECT DISTINCT toString(day) AS day FROM calls
      WHERE project = {project:String} AND calls.day >= ${known('min(first_day)')} AND calls.day <= ${known('max(last_day)')}
        AND run = {run:String}
      ORDER BY day`,
    { project: project.id, run, base_generation: generations.base },
  );
  const days = found.map(({ day }) => day);
  const [dateFrom, dateTo] = [days[0], days.at(-1)];
  if (dateFrom === undefined || dateTo === undefined) return undefined;
  return all([
    callsOf(project.id, { dateFrom, dateTo }, generations),
    { sql: 'day IN (SELECT arrayJoin({run_days:Array(Date)}))', parameters: { run_days: days } },
    { sql: 'run = {run:String}', parameters: { run } },
  ]);
}

/** Refuses a run with calls on frozen days, because the remaining calls are not its whole cost. */
async function requireWholeRun(
  project: string,
  run: string,
  { store, generations }: { readonly store: AnswerSources['store']; readonly generations: Generations },
): Promise<void> {
  const { frozenBefore } = generations;
  if (frozenBefore === undefined) return;
  const [frozen] = await store.select(
    `SELECT 1 FROM runs WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
      AND run_hash = sipHash128({run:String}) AND first_day < {frozen_before:Date} LIMIT 1`,
    { project, run, base_generation: generations.base, frozen_before: frozenBefore },
  );
  if (frozen)
    throw beyondRetention(frozenBefore, 'This run has calls on those days, so it cannot be shown as a whole.');
}
