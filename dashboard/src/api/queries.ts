import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccess } from '../state/session.tsx';
import { type Asked, askApi } from './client.ts';
import type { Page } from './types.ts';

/** The most rows that are fetched for one question, to be sorted and added up here. */
const maxRows = 100_000;
const pageRows = 1_000;

/** Asks as the session, for the project that is shown. */
export function useAsk(): <T>(path: string, asked?: Asked) => Promise<T> {
  const { isAdmin, project } = useAccess();
  return (path, asked = {}) => askApi(path, { ...asked, ...(isAdmin && { project: project.id }) });
}

interface Options<T = unknown> {
  readonly enabled?: boolean | undefined;
  /** Asks again after so many milliseconds, which may depend on the answer; false never does. */
  readonly every?: number | false | ((answer: T | undefined) => number | false);
  /** Shows the last answer to another question until this one is answered. */
  readonly keep?: boolean;
}

/** An answer of the API: a GET, or a POST with a body that only asks. */
export function useApi<T>(path: string, body?: unknown, { enabled = true, every, keep }: Options<T> = {}) {
  const { project } = useAccess();
  const ask = useAsk();
  return useQuery({
    queryKey: [project.id, path, body],
    queryFn: ({ signal }): Promise<T> => ask<T>(path, { signal, ...(body !== undefined && { method: 'POST', body }) }),
    enabled,
    refetchInterval: ({ state }) => (typeof every === 'function' ? every(state.data) : (every ?? false)),
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

/** The one row of a question about all days together. */
export function useTotal<Row>(path: string, body: object, options?: Options<Page<Row>>) {
  const { data, error, refetch } = useApi<Page<Row>>(path, { ...body, aggregate: 'all' }, options);
  return { row: data?.rows[0], error, retry: () => void refetch() };
}

/** All rows of an answer that comes in pages; an error when there are more than can be shown, and never a part of them. */
export function useAllRows<Row>(path: string, body: object, { enabled = true }: Options = {}) {
  const { project } = useAccess();
  const ask = useAsk();
  return useQuery({
    queryKey: [project.id, path, 'all', body],
    enabled,
    queryFn: async ({ signal }) => {
      const rows: Row[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<Row> = await ask(path, {
          method: 'POST',
          body: { ...body, limit: pageRows, ...(cursor !== null && { cursor }) },
          signal,
        });
        rows.push(...page.rows);
        cursor = page.has_more ? page.next_cursor : null;
        if (cursor !== null && rows.length >= maxRows) {
          throw new Error(
            `This has more than ${maxRows.toLocaleString('en')} rows, too many to sort here. Choose fewer days or a filter, or read them from the API.`,
          );
        }
      } while (cursor !== null);
      return rows;
    },
  });
}

/** Asks everything anew that the project's pages show. */
export function useRefresh(): () => Promise<void> {
  const queries: QueryClient = useQueryClient();
  const { project } = useAccess();
  return () => queries.invalidateQueries({ queryKey: [project.id] });
}
