import { useQuery } from '@tanstack/react-query';
import { useAsk } from '../api/queries.ts';
import type { ListRow, Page } from '../api/types.ts';
import { useAccess } from './session.tsx';

export type Tagged = 'customer' | 'user';

/** The tags of a customer or a user. A search matches parts of names, so its pages are read until the exact name is found. */
export function useTags(of: Tagged, name: string) {
  const { project } = useAccess();
  const ask = useAsk();
  return useQuery({
    queryKey: [project.id, `tags of ${of}`, name],
    queryFn: async ({ signal }) => {
      const path = `/api/${of}s/?limit=1000&search=${encodeURIComponent(name)}`;
      let cursor: string | null = null;
      do {
        const next: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
        const page: Page<ListRow> = await ask(next, { signal });
        const found = page.rows.find((row) => row.name === name);
        if (found) return found.tags ?? {};
        cursor = page.next_cursor;
      } while (cursor !== null);
      return {};
    },
  });
}
