import { filtersOf, type Group, isTagGroup, splitTag, type TagGroup } from '../state/group.ts';
import type { Search } from '../state/search.ts';

/** The calls behind a row by a tag of calls. */
export interface TagOfCalls {
  readonly group: TagGroup;
  readonly value: string;
}

/** As `filtersOf`, for the page of calls: those with a tag, which no filter leaves alone, are `of` it. */
export const filtersOfCalls = (group: Group, value: string): Partial<Search> | undefined =>
  filtersOf(group, value) ?? (splitTag(group)?.kind === 'tag' ? { of: JSON.stringify([group, value]) } : undefined);

/** The tag whose calls a URL asks for; undefined for an `of` of other pages. */
export function readTagOfCalls({ of }: Pick<Search, 'of'>): TagOfCalls | undefined {
  try {
    const read: unknown = JSON.parse(of ?? '');
    const [group, value] = Array.isArray(read) ? (read as unknown[]) : [];
    return isTagGroup(group) && typeof value === 'string' ? { group, value } : undefined;
  } catch {
    return undefined;
  }
}
