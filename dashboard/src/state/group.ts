import { dimensions } from '../../../src/lib/dimensions.ts';
import type { Dimension } from '../api/types.ts';
import type { Search } from './search.ts';

/** Whose tag it is. */
export type TagKind = 'tag' | 'customer_tag' | 'user_tag';
export type TagGroup = `${TagKind}:${string}`;

/** What rows are grouped by: a dimension, or a tag. */
export type Group = Dimension | TagGroup;

const kinds: Readonly<Record<TagKind, string>> = { tag: '', customer_tag: 'customer ', user_tag: 'user ' };

/** The kind and the key of a tag; undefined for a dimension. */
export function splitTag(group: string): { readonly kind: TagKind; readonly key: string } | undefined {
  const at = group.indexOf(':');
  const kind = group.slice(0, Math.max(at, 0));
  return Object.hasOwn(kinds, kind) && at + 1 < group.length
    ? { kind: kind as TagKind, key: group.slice(at + 1) }
    : undefined;
}

export const isTagGroup = (group: unknown): group is TagGroup =>
  typeof group === 'string' && splitTag(group) !== undefined;

/** The tags by which costs can be grouped. */
export const costTags = ['tag', 'customer_tag'] as const satisfies readonly TagKind[];

/** What a page groups by, unless it is a tag of another kind that its URL still has. */
export function keepGroup<By extends string>(by: By | undefined, tags: readonly TagKind[]): By | undefined {
  const tag = by === undefined ? undefined : splitTag(by);
  return tag && !tags.includes(tag.kind) ? undefined : by;
}

/** The tag that a page groups by, if it is of one of these kinds. */
export const keepTag = (by: string | undefined, tags: readonly TagKind[]): TagGroup | undefined => {
  const kept = keepGroup(by, tags);
  return isTagGroup(kept) ? kept : undefined;
};

/** Whether it is a tag that names the user of a call: costs are grouped by no other name of users. */
export function isUserTag(group: string): group is TagGroup {
  const tag = splitTag(group);
  return tag?.kind === 'tag' && dimensions.user.tags.some((key) => key === tag.key);
}

/** As in "cost by customer" and "cost by customer tag plan". */
export function nameGroup(group: Group): string {
  const tag = splitTag(group);
  return isUserTag(group) ? 'user' : tag ? `${kinds[tag.kind]}tag ${tag.key}` : group;
}

type Grouped = Readonly<Partial<Record<Dimension | 'tag', string>>>;

/** The value of a row. */
export const valueOfGroup = (row: Grouped, group: Group): string => row[isTagGroup(group) ? 'tag' : group] ?? '';

/** The filters of a URL that leave the calls of a value; undefined where no filter does. */
export function filtersOf(group: Group, value: string): Partial<Search> | undefined {
  const tag = splitTag(group);
  if (!tag) return { [dimensions[group as Dimension].plural]: [value] };
  return tag.kind === 'customer_tag' ? { ctags: { [tag.key]: [value] } } : undefined;
}
