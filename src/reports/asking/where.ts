import { callTag, tagText } from '../../calls/costing/call-tags.ts';
import type { Generations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { earliestDay, latestDay } from '../../lib/day-field.ts';
import type { Period } from '../../lib/days.ts';
import type { Dimension, TaggedDimension } from '../../lib/dimensions.ts';
import type { CellDimension } from '../../rollups/rollups/grains.ts';
import { type Clause, joinParameters, setOf } from '../../storage/analytic/clause.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import type { Facts } from '../facts/facts.ts';
import type { TagFilter } from './body.ts';

export const all = (clauses: readonly Clause[]): Clause => ({
  sql: clauses.length === 0 ? '1' : clauses.map(({ sql }) => `(${sql})`).join(' AND '),
  parameters: joinParameters(...clauses.map(({ parameters }) => parameters)),
});

/** Every day that a request can ask for (D6.5). */
export const anyDay: Period = { dateFrom: earliestDay, dateTo: latestDay };

/** All calls of a project, on any day. */
export const onAnyDay = (projectId: string, generations: Generations): Clause =>
  callsOf(projectId, anyDay, generations);

/** A filter that keeps `count` values of a dimension, of the tag of cells, or of runs, which cells do not have. */
export interface ValuesFilter<Of extends CellDimension | 'run' = Dimension> extends Clause {
  readonly dimension: Of;
  readonly count: number;
}

/** Only calls with one of these values. `name`, of the parameter, must be unique in a statement. */
export function oneOf<Of extends CellDimension | 'run'>(
  dimension: Of,
  values: readonly string[],
  name: string = dimension,
): ValuesFilter<Of> {
  const of = { dimension, count: values.length };
  if (values.length === 0) return { ...of, sql: '0', parameters: {} };
  const set = setOf(name, 'String', values);
  return { ...of, sql: `${dimension} IN ${set}`, parameters: { [name]: values } };
}

/** Only calls with none of these values. */
const noneOf = (dimension: Dimension, values: readonly string[], name: string): ValuesFilter => ({
  dimension,
  count: values.length,
  ...(values.length === 0
    ? { sql: '1', parameters: {} }
    : { sql: `${dimension} NOT IN ${setOf(name, 'String', values)}`, parameters: { [name]: values } }),
});

/** The names that a tag filter selects: one of `among` where that is defined, and none of `except`. */
export interface TaggedNames {
  readonly among: readonly string[] | undefined;
  readonly except: readonly string[];
}

/** Reads whom a filter selects. A key with the value `''` also selects who lacks it, as the group of this name does. */
export async function readTaggedNames(
  facts: Pick<Facts, 'findTagged' | 'findTaggedOtherwise'>,
  dimension: TaggedDimension,
  tags: TagFilter,
): Promise<TaggedNames> {
  const [lacking, carrying] = [new Map<string, readonly string[]>(), new Map<string, readonly string[]>()];
  for (const [key, values] of tags) (values.includes('') ? lacking : carrying).set(key, values);
  return {
    among: carrying.size > 0 ? await facts.findTagged(dimension, carrying) : undefined,
    except: lacking.size > 0 ? await facts.findTaggedOtherwise(dimension, lacking) : [],
  };
}

/** Only calls or events of the customers or users that a tag filter selects. */
export async function ofTagged(
  facts: Pick<Facts, 'findTagged' | 'findTaggedOtherwise'>,
  dimension: TaggedDimension,
  tags: TagFilter,
): Promise<ValuesFilter[]> {
  const { among, except } = await readTaggedNames(facts, dimension, tags);
  return [
    ...(among ? [oneOf(dimension, among, `tagged_${dimension}s`)] : []),
    ...(except.length > 0 ? [noneOf(dimension, except, `otherwise_tagged_${dimension}s`)] : []),
  ];
}

/** Only calls that have a value of a dimension. */
export const anyName = (dimension: Dimension): ValuesFilter => ({
  dimension,
  count: 0,
  sql: `${dimension} != ''`,
  parameters: {},
});

/** Only calls that name a run: one that names none is its own (D4.4). */
export const namedRun: ValuesFilter<'run'> = {
  dimension: 'run',
  count: 0,
  sql: `run != toString(event_id) AND NOT startsWith(run, concat(toString(event_id), '#'))`,
  parameters: {},
};

/** Filters with more keys are bound as two arrays: then the statement does not grow with the filter. */
const maxSpeltKeys = 16;

/**
 * Only calls of runs that have these tags. A run's tags are those of all its calls in the requested dates, before any
 * other filter. All calls of a matching run are selected (D6.6).
 */
export const ofTaggedRuns = (calls: Clause, tags: TagFilter): Clause =>
  tags.size > maxSpeltKeys ? ofManyTags(calls, tags) : ofFewTags(calls, tags);

/** Compares each call with each key, which takes two thirds of the time of `ofManyTags` for a single key. */
function ofFewTags(calls: Clause, tags: TagFilter): Clause {
  const conditions = [...tags].map(([key, values], at) => carriesTag(key, values, `tag_${at}`));
  const each = conditions.map(({ sql }) => `countIf(${sql}) > 0`).join(' AND ');
  // Calls without any of the tags add nothing to a run. Without them, fewer runs are grouped.
  const any = conditions.map(({ sql }) => `(${sql})`).join(' OR ');
  return {
    sql: `run IN (SELECT run FROM calls FINAL WHERE ${calls.sql} AND (${any}) GROUP BY run HAVING ${each})`,
    parameters: joinParameters(calls.parameters, ...conditions.map(({ parameters }) => parameters)),
  };
}

function carriesTag(key: string, values: readonly string[], name: string): Clause {
  return {
    sql: `mapContains(tags, {${name}:String}) AND ${callTag(key, `{${name}:String}`)} IN ${setOf(`${name}_values`, 'String', values)}`,
    parameters: { [name]: key, [`${name}_values`]: values },
  };
}

/** Only calls that themselves carry all of these tags. `name`, of the parameters, must be unique in a statement. */
export const ofTaggedCalls = (tags: TagFilter, name: string): Clause =>
  tags.size > maxSpeltKeys
    ? {
        sql: `arrayCount((tag, value) -> (tag, ${tagText}) IN ${pairsOf(name)}, mapKeys(tags), mapValues(tags)) = {${name}_count:UInt32}`,
        parameters: pairParameters(tags, name),
      }
    : all([...tags].map(([key, values], at) => carriesTag(key, values, `${name}_${at}`)));

/** Looks each tag of a call up in a set. A run matches when its calls have a tag of every key. */
const ofManyTags = (calls: Clause, tags: TagFilter): Clause => ({
  sql: `run IN (
    SELECT run FROM calls FINAL ARRAY JOIN mapKeys(tags) AS tag, mapValues(tags) AS value
    WHERE ${calls.sql} AND (tag, ${tagText}) IN ${pairsOf('tag')}
    GROUP BY run HAVING uniqExact(tag) = {tag_count:UInt32})`,
  parameters: joinParameters(calls.parameters, pairParameters(tags, 'tag')),
});

/** The keys with their values, as a set. */
const pairsOf = (name: string): string =>
  `(SELECT arrayJoin(arrayZip({${name}_keys:Array(String)}, {${name}_values:Array(String)})))`;

function pairParameters(tags: TagFilter, name: string): Parameters {
  const pairs = [...tags].flatMap(([key, values]) => values.map((value) => [key, value] as const));
  return {
    [`${name}_keys`]: pairs.map(([key]) => key),
    [`${name}_values`]: pairs.map(([, value]) => value),
    [`${name}_count`]: tags.size,
  };
}
