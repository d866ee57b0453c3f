import { type Generations, isFrozen } from '../../calls/generations.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import type { Day } from '../../lib/days.ts';
import { type Grain, sealedTag } from '../../rollups/rollups/grains.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { CellTable } from '../../storage/analytic/tables/rollups.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CellScope, onSealedDays, splitDays } from './cells.ts';
import { all } from './where.ts';

/**
 * The generations for a question by a tag of calls: days whose seal has no cells of it are open, so that their calls are
 * read. Undefined when no seal has any: then only calls can answer. @throws Problem `beyond_retention` for a frozen day
 */
export async function readGenerationsOfTag(
  answerCache: AnswerCache,
  scope: CellScope,
  key: string,
): Promise<Generations | undefined> {
  const { generations } = scope;
  const { sealed } = splitDays(scope);
  const having = await readSealsOfTag(answerCache, scope, key);
  if (having.size === 0) return undefined;
  requireCalls({ ...generations, seals: await findFrozenWithoutTag(answerCache, scope, key) }, scope.period);
  return openDaysOf(generations, new Set(sealed).difference(having));
}

/** The generations for a question by a tag that rows of runs answer: days with rows that keep no tags are open. */
export async function readGenerationsOfRuns(answerCache: AnswerCache, scope: CellScope): Promise<Generations> {
  const { sealed } = splitDays(scope);
  if (sealed.length === 0) return scope.generations;
  const where = all([onSealedDays(scope, sealed, 'seals'), { sql: 'NOT has_tags', parameters: {} }]);
  return openDaysOf(scope.generations, await selectSeals(answerCache, 'run_cells', where));
}

/** The generations without some seals, whose days are open. */
function openDaysOf(generations: Generations, lacking: ReadonlySet<number>): Generations {
  const days = [...generations.seals].flatMap(([day, seal]) => (lacking.has(seal) ? day : []));
  const seals = new Map(generations.seals);
  for (const day of days) seals.delete(day);
  const reread = days.filter((day) => !isFrozen(generations, day));
  return { ...generations, seals, openDays: [...generations.openDays, ...reread] };
}

/** The frozen days with calls whose seal has no cells of a tag, with their seals; all of them without a key. */
export async function findFrozenWithoutTag(
  answerCache: AnswerCache,
  scope: CellScope,
  key: string | undefined,
): Promise<ReadonlyMap<Day, number>> {
  const frozen = new Set(splitDays(scope).frozen);
  const having = key === undefined ? new Set() : await readSealsOfTag(answerCache, scope, key);
  const lacking = [...scope.generations.seals].filter(([, seal]) => frozen.has(seal) && !having.has(seal));
  // A frozen day that only has custom events has no cells at all.
  const withCalls = await readSeals(answerCache, scope, {
    ...{ table: 'narrow_cells', grain: 'total', of: [] },
    seals: lacking.map(([, seal]) => seal),
  });
  return new Map(lacking.filter(([, seal]) => withCalls.has(seal)));
}

/** The seals of a scope that have the cells of a tag. */
const readSealsOfTag = async (answerCache: AnswerCache, scope: CellScope, key: string): Promise<ReadonlySet<number>> =>
  await readSeals(answerCache, scope, {
    ...{ table: 'tag_cells', grain: sealedTag, seals: splitDays(scope).sealed },
    of: [{ sql: 'tag_key = {sealed_tag:String}', parameters: { sealed_tag: key } }],
  });

interface SealsWanted {
  readonly seals: readonly number[];
  readonly table: CellTable;
  readonly grain: Grain | typeof sealedTag;
  readonly of: readonly Clause[];
}

/** Those of some seals that have a row of a grain. */
async function readSeals(
  answerCache: AnswerCache,
  scope: CellScope,
  { seals, table, grain, of }: SealsWanted,
): Promise<ReadonlySet<number>> {
  if (seals.length === 0) return new Set();
  const where = all([{ sql: `grain = '${grain}'`, parameters: {} }, onSealedDays(scope, seals, 'seals'), ...of]);
  return await selectSeals(answerCache, table, where);
}

async function selectSeals(
  answerCache: AnswerCache,
  table: CellTable | 'run_cells',
  where: Clause,
): Promise<ReadonlySet<number>> {
  const statement = {
    sql: `SELECT DISTINCT toFloat64(seal) AS seal FROM ${table} WHERE ${where.sql}`,
    parameters: where.parameters,
  };
  const rows = await answerCache.select<{ seal: number }>(statement, [{ rows: 'settled' }]);
  return new Set(rows.map(({ seal }) => seal));
}
