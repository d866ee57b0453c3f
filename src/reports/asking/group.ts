import { z } from 'zod';
import { callTag } from '../../calls/costing/call-tags.ts';
import { byName } from '../../lib/by-name.ts';
import { type CallDimension, callDimensions, type Dimension, type TaggedDimension } from '../../lib/dimensions.ts';
import { askedField, askedWhere } from '../../lib/http/row-fields.ts';
import type { FaultCode } from '../../lib/problem.ts';
import type { CellTag } from '../../rollups/rollups/cells.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Facts } from '../facts/facts.ts';

/** The kinds of tags to group by, and whose they are: undefined for those of the calls themselves (D28.1). */
const tagOwners = { tag: undefined, customer_tag: 'customer', user_tag: 'user' } as const satisfies Readonly<
  Record<string, TaggedDimension | undefined>
>;

type TagKind = keyof typeof tagOwners;

const whose: Readonly<Record<TagKind, string>> = {
  tag: 'a tag of calls (`tag:env`)',
  customer_tag: 'a tag of customers (`customer_tag:plan`)',
  user_tag: 'a tag of users (`user_tag:team`)',
};

/** A tag to group by: of each call, or of the customer or user that it is for. */
export type TagGroup<Kind extends TagKind = TagKind> = `${Kind}:${string}`;

/** What rows of calls are grouped by. */
export type CallGroup = CallDimension | TagGroup<'tag' | 'customer_tag'>;

const tagPattern = /^(?<kind>tag|customer_tag|user_tag):(?<key>[\s\S]+)$/;

function splitTag(group: string): { readonly kind: TagKind; readonly key: string } | undefined {
  const { kind, key } = tagPattern.exec(group)?.groups ?? {};
  return kind === undefined || key === undefined ? undefined : { kind: kind as TagKind, key };
}

export const isTagGroup = (group: unknown): group is TagGroup =>
  typeof group === 'string' && splitTag(group) !== undefined;

/** Whether rows are grouped by a tag of the calls, which only cells of projects that name it as a dimension have. */
export const isOfCalls = (group: string | undefined): boolean => group?.startsWith('tag:') ?? false;

type OwnerOf<Group> = Group extends `${infer Kind extends TagKind}:${string}` ? (typeof tagOwners)[Kind] : Group;

/** The dimension that determines the values of a group; undefined for the tags of calls. */
export function dimensionOf<Group extends Dimension | TagGroup>(group: Group | undefined): OwnerOf<Group> | undefined {
  const tag = group && splitTag(group);
  // What is no tag is the dimension itself.
  return (tag ? tagOwners[tag.kind] : group) as OwnerOf<Group> | undefined;
}

/** As keys of tags are stored. */
const longestKey = 128;

interface Groups<D extends Dimension, Kind extends TagKind> {
  readonly dimensions: readonly D[];
  readonly tags: readonly [Kind, ...Kind[]];
}

/** The field of a body by which rows are grouped: by one of these dimensions, or by a tag of one of these kinds. */
export function groupField<D extends Dimension, Kind extends TagKind>({ dimensions, tags }: Groups<D, Kind>) {
  const isGroup = (input: string): input is D | TagGroup<Kind> => {
    if ((dimensions as readonly string[]).includes(input)) return true;
    const tag = splitTag(input);
    return tag !== undefined && (tags as readonly TagKind[]).includes(tag.kind);
  };
  const named = [...dimensions, ...tags.map((kind) => `${kind}:KEY`)].join(', ');
  const by = [...(dimensions.length > 0 ? ['a dimension'] : []), ...tags.map((kind) => whose[kind])];
  return z
    .unknown()
    .transform((input, context): D | TagGroup<Kind> => {
      if (typeof input === 'string' && isGroup(input)) {
        const { key = '' } = splitTag(input) ?? {};
        if (key.length <= longestKey) return input;
        const message = `must name a tag of at most ${longestKey} characters`;
        context.issues.push({ code: 'custom', input, message, params: { code: 'too_long' } });
        return z.NEVER;
      }
      const code: FaultCode = typeof input === 'string' ? 'invalid_value' : 'invalid_type';
      context.issues.push({ code: 'custom', input, message: `must be one of ${named}`, params: { code } });
      return z.NEVER;
    })
    .meta({
      anyOf: [
        ...(dimensions.length > 0 ? [{ type: 'string' as const, enum: [...dimensions] }] : []),
        { type: 'string', pattern: `^(?:${tags.map((kind) => `${kind}:`).join('|')})[\\s\\S]` },
      ],
      description: `Rows by ${by.join(', or ')}.`,
    });
}

export const callGroupField = groupField({ dimensions: callDimensions, tags: ['tag', 'customer_tag'] });

export const tagField = askedWhere(z.string().describe('Empty where there is no such tag.'), {
  field: 'group_by',
  isAmong: isTagGroup,
});

export const callGroupFields = {
  ...byName(callDimensions, (name) => askedField(z.string(), 'group_by', name)),
  tag: tagField,
};

/** The tag of the calls by which rows are grouped, with its value over calls; undefined for any other group. */
export function tagOfCalls(group: Dimension | TagGroup | undefined): CellTag | undefined {
  const tag = group && splitTag(group);
  if (tag?.kind !== 'tag') return undefined;
  const name = '{group_tag:String}';
  const sql = `if(mapContains(tags, ${name}), ${callTag(tag.key, name)}, '')`;
  return { key: tag.key, value: { sql, parameters: { group_tag: tag.key } } };
}

/** SQL for the value of a row by a tag of calls, over cells of it. */
export const valueOfCells: Clause = { sql: 'tag', parameters: {} };

/** The value of a row, by SQL over calls, or over cells that have the dimension of the group. */
export async function valueOfGroup(
  facts: Pick<Facts, 'readTagValues'>,
  group: Dimension | TagGroup | undefined,
): Promise<Clause | undefined> {
  if (group === undefined || !isTagGroup(group)) return group && { sql: group, parameters: {} };
  return tagOfCalls(group)?.value ?? (await readNamesOfGroup(facts, group)).value;
}

/** The values of the rows of customers or users: by SQL as `valueOfGroup`, and of a name. */
export interface NamesOfGroup {
  readonly value: Clause;
  readonly groupOf: (name: string) => string;
}

/** Reads the tags of customers or users once for both, so that they agree. */
export async function readNamesOfGroup(
  facts: Pick<Facts, 'readTagValues'>,
  group: TaggedDimension | TagGroup,
): Promise<NamesOfGroup> {
  const tag = splitTag(group);
  const owner = dimensionOf(group);
  if (owner === undefined) throw new RangeError(`${group} is of calls`);
  if (tag === undefined) return { value: { sql: owner, parameters: {} }, groupOf: (name) => name };
  const values = await facts.readTagValues(owner, tag.key);
  return { value: valueOfNames(owner, values), groupOf: (name) => values.get(name) ?? '' };
}

/** SQL for a value of the customer or user of a row: that of the map, or `''`. */
function valueOfNames(owner: TaggedDimension, values: ReadonlyMap<string, string>): Clause {
  if (values.size === 0) return { sql: "''", parameters: {} };
  return {
    sql: `transform(${owner}, {tagged_names:Array(String)}, {group_values:Array(String)}, '')`,
    parameters: { tagged_names: [...values.keys()], group_values: [...values.values()] },
  };
}
