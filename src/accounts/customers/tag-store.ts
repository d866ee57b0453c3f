import type { CompiledQuery, SelectQueryBuilder } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { type ControlQueries, type ControlStore, withProjectLock } from '../../storage/control/control-store.ts';
import type { ControlSchema, DimensionTagRow } from '../../storage/control/schema/schema.ts';

/** The change of one customer's or user's tags: a string sets, null deletes, other tags stay. */
export interface TagChange {
  readonly name: string;
  readonly tags: ReadonlyMap<string, string | null>;
}

export interface TagConflict {
  readonly name: string;
  readonly key: string;
}

export type TagResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly conflicts: readonly TagConflict[] }
  | { readonly ok: false; readonly overfull: readonly string[] };

/** The most tags of one customer or user (D10.3). */
export const maxTags = 100;
/** Rows per statement: requests wait while SQLite runs one, and it takes at most 32,766 values. */
const chunkRows = 500;

/** Rolls the transaction back and carries the reason. */
class Refused extends Error {
  readonly result: TagResult;
  constructor(result: TagResult) {
    super('The tags were refused');
    this.result = result;
  }
}

/**
 * Applies all changes or none (D10.1). Without `upsert`, setting an existing tag is a conflict, even to the same value.
 */
export async function changeTags(
  control: ControlStore,
  projectId: string,
  dimension: TaggedDimension,
  changes: readonly TagChange[],
  { upsert }: { readonly upsert: boolean },
): Promise<TagResult> {
  const pairs = changes.flatMap(({ name, tags }) => [...tags].map(([key, value]) => ({ name, key, value })));
  const deleted = pairs.filter(({ value }) => value === null);
  const set = pairs.flatMap(({ name, key, value }) =>
    value === null ? [] : [{ project_id: projectId, dimension, name, key, value }],
  );
  try {
    await withProjectLock(control, projectId, async (transaction) => {
      for (const chunk of chunksOf(deleted, chunkRows)) {
        await transaction
          .deleteFrom('dimension_tags')
          .where('project_id', '=', projectId)
          .where('dimension', '=', dimension)
          .where((tag) => tag.or(chunk.map(({ name, key }) => tag.and({ name, key }))))
          .execute();
      }
      if (!upsert) {
        const conflicts = await findExisting(transaction, projectId, dimension, set);
        if (conflicts.length > 0) throw new Refused({ ok: false, conflicts });
      }
      for (const query of toUpserts(transaction, set)) await transaction.executeQuery(query);
      const overfull = await findOverfull(transaction, projectId, dimension, [...new Set(set.map(({ name }) => name))]);
      if (overfull.length > 0) throw new Refused({ ok: false, overfull });
    });
    return { ok: true };
  } catch (error) {
    if (error instanceof Refused) return error.result;
    throw error;
  }
}

const columns = ['project_id', 'dimension', 'name', 'key', 'value'] as const;

/** The statements that set tags. Those of the same length have the same text, which takes longer to make than to run. */
function* toUpserts(
  control: ControlQueries,
  rows: readonly Pick<DimensionTagRow, (typeof columns)[number]>[],
): Generator<CompiledQuery> {
  let last: CompiledQuery | undefined;
  for (const chunk of chunksOf(rows, chunkRows)) {
    const parameters = chunk.flatMap((row) => columns.map((column) => row[column]));
    last =
      last?.parameters.length === parameters.length
        ? { ...last, parameters }
        : control
            .insertInto('dimension_tags')
            .columns(columns)
            .values(chunk)
            .onConflict((conflict) =>
              conflict
                .columns(['project_id', 'dimension', 'name', 'key'])
                .doUpdateSet((row) => ({ value: row.ref('excluded.value') }))
                .whereRef('dimension_tags.value', '!=', 'excluded.value'),
            )
            .compile();
    yield last;
  }
}

async function findExisting(
  transaction: ControlQueries,
  projectId: string,
  dimension: TaggedDimension,
  set: readonly { readonly name: string; readonly key: string }[],
): Promise<TagConflict[]> {
  const wanted = new Map<string, Set<string>>();
  for (const { name, key } of set) wanted.set(name, (wanted.get(name) ?? new Set()).add(key));
  const conflicts: TagConflict[] = [];
  for (const names of chunksOf([...wanted.keys()], chunkRows)) {
    const rows = await transaction
      .selectFrom('dimension_tags')
      .select(['name', 'key'])
      .where('project_id', '=', projectId)
      .where('dimension', '=', dimension)
      .where('name', 'in', names)
      .orderBy('name')
      .orderBy('key')
      .execute();
    conflicts.push(...rows.filter(({ name, key }) => wanted.get(name)?.has(key)));
  }
  return conflicts;
}

async function findOverfull(
  transaction: ControlQueries,
  projectId: string,
  dimension: TaggedDimension,
  names: readonly string[],
): Promise<string[]> {
  const overfull: string[] = [];
  for (const chunk of chunksOf(names, chunkRows)) {
    const rows = await transaction
      .selectFrom('dimension_tags')
      .select('name')
      .where('project_id', '=', projectId)
      .where('dimension', '=', dimension)
      .where('name', 'in', chunk)
      .groupBy('name')
      .having((tag) => tag(tag.fn.countAll(), '>', maxTags))
      .execute();
    overfull.push(...rows.map(({ name }) => name));
  }
  return overfull;
}

/** Rows of tags to select from, under the name `tagged`. */
export type TaggedRows = SelectQueryBuilder<
  ControlSchema & { tagged: Pick<DimensionTagRow, 'dimension' | 'name' | 'key' | 'value'> },
  'tagged',
  object
>;

/** The current tags of a project's customers and users. */
export const taggedNow = (control: ControlQueries, projectId: string): TaggedRows =>
  control.selectFrom((from) =>
    from
      .selectFrom('dimension_tags')
      .where('project_id', '=', projectId)
      .select(['dimension', 'name', 'key', 'value'])
      .as('tagged'),
  );

/** The customers or users with these tags: AND across keys, OR within the values of one key. */
export async function findTagged(
  tagged: TaggedRows,
  dimension: TaggedDimension,
  tags: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  if (tags.size > maxTags) return [];
  let found: Set<string> | undefined;
  for (const [key, asked] of tags) {
    if (found?.size === 0) return [];
    // No tag holds a NUL, which PostgreSQL rejects in a query.
    const values = key.includes('\0') ? [] : asked.filter((value) => !value.includes('\0'));
    if (values.length === 0) return [];
    const carrying = tagged.where('dimension', '=', dimension).where('key', '=', key).where('value', 'in', values);
    const names = new Set((await carrying.select('name').execute()).map(({ name }) => name));
    found = found ? found.intersection(names) : names;
  }
  return [...(found ?? [])];
}

/** The customers or users that carry one of the keys with another value than those asked for. */
export async function findTaggedOtherwise(
  tagged: TaggedRows,
  dimension: TaggedDimension,
  tags: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  const found = new Set<string>();
  // No tag holds a NUL, which PostgreSQL rejects in a query.
  const keys = [...tags.keys()].filter((key) => !key.includes('\0'));
  const asked = new Map([...tags].map(([key, values]) => [key, new Set(values)]));
  for (const some of chunksOf(keys, chunkRows)) {
    const rows = await tagged
      .select(['name', 'key', 'value'])
      .where('dimension', '=', dimension)
      .where('key', 'in', some)
      .execute();
    for (const { name, key, value } of rows) if (!asked.get(key)?.has(value)) found.add(name);
  }
  return [...found];
}

/** By name, without names that have no tags. Without a prototype: a tag can be called `__proto__`. */
export async function readTags(
  tagged: TaggedRows,
  dimension: TaggedDimension,
  names: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const storable = names.filter((name) => !name.includes('\0'));
  const tags = new Map<string, Record<string, string>>();
  if (storable.length === 0) return tags;
  const rows = await tagged
    .select(['name', 'key', 'value'])
    .where('dimension', '=', dimension)
    .where('name', 'in', storable)
    .orderBy('name')
    .orderBy('key')
    .execute();
  for (const { name, key, value } of rows) {
    const ofName = tags.get(name) ?? (Object.create(null) as Record<string, string>);
    ofName[key] = value;
    tags.set(name, ofName);
  }
  return tags;
}

/** The customers or users that carry a tag, with its values. */
export async function readTagValues(
  tagged: TaggedRows,
  dimension: TaggedDimension,
  key: string,
): Promise<Map<string, string>> {
  // No tag holds a NUL, which PostgreSQL rejects in a query.
  if (key.includes('\0')) return new Map();
  const rows = await tagged
    .select(['name', 'value'])
    .where('dimension', '=', dimension)
    .where('key', '=', key)
    .orderBy('name')
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
