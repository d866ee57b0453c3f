import { type Generations, isFrozen } from '../../calls/generations.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import { sealedTag } from '../../rollups/rollups/grains.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
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
  if (sealed.length === 0) return undefined;
  const read = async (seals: readonly number[], table: string, grain: string, of: readonly Clause[]) => {
    const where = all([{ sql: `grain = '${grain}'`, parameters: {} }, onSealedDays(scope, seals, 'seals'), ...of]);
    const statement = {
      sql: `SELECT toFloat64(seal) AS seal FROM ${table} WHERE ${where.sql}`,
      parameters: where.parameters,
    };
    const rows = await answerCache.select<{ seal: number }>(statement, [{ rows: 'settled' }]);
    return new Set(rows.map(({ seal }) => seal));
  };
  const ofKey = { sql: 'tag_key = {sealed_tag:String}', parameters: { sealed_tag: key } };
  const having = await read(sealed, 'tag_cells', sealedTag, [ofKey]);
  if (having.size === 0) return undefined;
  const inScope = new Set(sealed);
  const lacking = [...generations.seals].filter(([, seal]) => inScope.has(seal) && !having.has(seal));
  const frozen = lacking.filter(([day]) => isFrozen(generations, day));
  if (frozen.length > 0) {
    // A frozen day that only has custom events has no cells at all.
    const withCalls = await read(
      frozen.map(([, seal]) => seal),
      'narrow_cells',
      'total',
      [],
    );
    const missing = new Map(frozen.filter(([, seal]) => withCalls.has(seal)));
    requireCalls({ ...generations, seals: missing }, scope.period);
  }
  const seals = new Map(generations.seals);
  for (const [day] of lacking) seals.delete(day);
  const reread = lacking.map(([day]) => day).filter((day) => !isFrozen(generations, day));
  return { ...generations, seals, openDays: [...generations.openDays, ...reread] };
}
