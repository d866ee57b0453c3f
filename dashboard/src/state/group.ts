import { dimensions } from '../../../src/lib/dimensions.ts';
import type { Dimension } from '../api/types.ts';
import type { Search } from './search.ts';

/** Whose tag it is. */
export type TagKind = 'tag' | 'customer_tag';
export type TagGroup = `${TagKind}:${string}`;

/** What rows are grouped by: a dimension, or a tag. */
export type Group = Dimension | TagGroup;

const kinds: Readonly<Record<TagKind, string>> = { tag: '', customer_tag: 'customer ' };

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

/** As in "cost by customer" and "cost by customer tag plan". */
export function nameGroup(group: Group): string {
  const tag = splitTag(group);
  return tag ? `${kinds[tag.kind]}tag ${tag.key}` : group;
}

type Grouped = Readonly<Partial<Record<Dimension | 'tag', string>>>;

/** The value of a row. */
export const valueOfGroup = (row: Grouped, group: Group): string => row[isTagGroup(group) ? 'tag' : group] ?? '';

/** The filters of a URL that leave the calls of a value; undefined where no filter does. */
export function filtersOf(group: Group, value: string): Partial<Search> | undefined {
  const tag = splitTag(group);
  if (!tag) return { [dimensions[group as Dimension].plural]: [value] };
  return tag.kind === 'customer_tag' && value !== '' ? { ctags: { [tag.key]: [value] } } : undefined;
}
