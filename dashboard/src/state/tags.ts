import { useQuery } from '@tanstack/react-query';
import { type Dimension, dimensions } from '../../../src/lib/dimensions.ts';
import { keepAnswer, useApi, useAsk } from '../api/queries.ts';
import type { ListRow, Page, TagsAnswer } from '../api/types.ts';
import { isUserTag, type TagGroup } from './group.ts';
import { toDates, useQuestion } from './question.ts';
import { useAccess } from './session.tsx';

/** The most frequent tags of customers, of users, or of the calls of the days. */
export function useKnownTags(of: 'call' | 'customer' | 'user', isAsked = true) {
  const { days } = useQuestion();
  const ofDays = of === 'call' ? `&${new URLSearchParams(toDates(days))}` : '';
  return useApi<TagsAnswer>(`/api/tags/?kind=${of}${ofDays}`, undefined, { enabled: isAsked });
}

/** The tag by which the costs of an internal project are split by user; undefined where calls have none. The usual one until then. */
export function useUserTag(): TagGroup | undefined {
  const { project } = useAccess();
  const isInternal = project.type === 'internal';
  const { data } = useKnownTags('call', isInternal);
  if (!isInternal) return undefined;
  return data ? data.tags.map(({ key }): TagGroup => `tag:${key}`).find(isUserTag) : 'tag:user';
}

export type Tagged = 'customer' | 'user';

/** What a list of names says of one; null where it has no such name. A search matches parts of names, so its pages are read until the exact name is found. */
export function useListed(of: Exclude<Dimension, 'provider'>, name: string) {
  const { project } = useAccess();
  const ask = useAsk();
  return keepAnswer(
    useQuery({
      queryKey: [project.id, 'listed', of, name],
      queryFn: async ({ signal }): Promise<ListRow | null> => {
        const path = `/api/${dimensions[of].plural}/?limit=1000&search=${encodeURIComponent(name)}`;
        let cursor: string | null = null;
        do {
          const next: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
          const page: Page<ListRow> = await ask(next, { signal });
          const found = page.rows.find((row) => row.name === name);
          if (found) return found;
          cursor = page.next_cursor;
        } while (cursor !== null);
        return null;
      },
    }),
  );
}
