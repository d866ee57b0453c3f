import { sql } from 'kysely';
import { z } from 'zod';
import { tagText } from '../../calls/costing/call-tags.ts';
import { readGenerations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import type { Period } from '../../lib/days.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { AnswerSources } from '../asking/sources.ts';

/** The most keys, and the most values of one, that are listed. */
export const mostKeys = 200;
const mostValues = 50;

/** Values of a call's tag are counted exactly while a key has no more of them; else they are estimates. */
const countedValues = 10_000;

const count = z.number().int();

export const knownTag = z.object({
  key: z.string(),
  count: count.describe('How many calls, customers or users have the tag.'),
  values: z
    .array(z.object({ value: z.string(), count }))
    .describe(
      `The most frequent first, at most ${mostValues}. If calls have more than ${countedValues} values of a key, the counts are estimates, and never too large.`,
    ),
  has_more_values: z.boolean(),
});

export type KnownTag = z.output<typeof knownTag>;

interface CallTagRecord {
  readonly tag: string;
  readonly calls: string;
  readonly top: readonly { readonly item: string; readonly count: string; readonly error: string }[];
}

/** The tags of the calls of these days, as far as the calls are not deleted. Memory is bounded by `countedValues`. */
export async function readCallTags(
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
  projectId: string,
  days: Period,
): Promise<KnownTag[]> {
  const calls = callsOf(projectId, days, await readGenerations(control, projectId));
  const records = await store.select<CallTagRecord>(
    `SELECT tag, count() AS calls, approx_top_k(${mostValues + 1}, ${countedValues})(${tagText}) AS top
      FROM calls FINAL ARRAY JOIN mapKeys(tags) AS tag, mapValues(tags) AS value
      WHERE ${calls.sql}
      GROUP BY tag
      ORDER BY calls DESC, tag
      LIMIT ${mostKeys}`,
    calls.parameters,
  );
  return records.map(({ tag, calls: count, top }) => ({
    key: tag,
    count: Number(count),
    values: top
      .map(({ item, count: most, error }) => ({ value: item, count: Number(most) - Number(error) }))
      .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value))
      .slice(0, mostValues),
    has_more_values: top.length > mostValues,
  }));
}

/** The tags that customers or users carry now. */
export async function readNameTags(
  control: ControlQueries,
  projectId: string,
  dimension: TaggedDimension,
): Promise<KnownTag[]> {
  const keys = await control
    .selectFrom('dimension_tags')
    .select(['key', (row) => row.fn.countAll<number>().as('count')])
    .where('project_id', '=', projectId)
    .where('dimension', '=', dimension)
    .groupBy('key')
    .orderBy('count', 'desc')
    .orderBy('key')
    .limit(mostKeys)
    .execute();
  if (keys.length === 0) return [];
  const ranked = control
    .selectFrom('dimension_tags')
    .select([
      'key',
      'value',
      (row) => row.fn.countAll<number>().as('count'),
      sql<number>`row_number() over (partition by key order by count(*) desc, value)`.as('place'),
    ])
    .where('project_id', '=', projectId)
    .where('dimension', '=', dimension)
    .where(
      'key',
      'in',
      keys.map(({ key }) => key),
    )
    .groupBy(['key', 'value']);
  const values = await control
    .selectFrom(ranked.as('ranked'))
    .select(['key', 'value', 'count', 'place'])
    .where('place', '<=', mostValues + 1)
    .orderBy('place')
    .execute();
  const byKey = Map.groupBy(values, ({ key }) => key);
  return keys.map(({ key, count }) => {
    const ofKey = byKey.get(key) ?? [];
    return {
      key,
      count: Number(count),
      values: ofKey.slice(0, mostValues).map(({ value, count: carrying }) => ({ value, count: Number(carrying) })),
      has_more_values: ofKey.length > mostValues,
    };
  });
}
