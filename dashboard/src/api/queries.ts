import { keepPreviousData, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
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

/** The one row of a question about all days together; without a body, nothing is asked. */
export function useTotal<Row>(path: string, body: object | undefined) {
  const { data, error, refetch } = useApi<Page<Row>>(path, body && { ...body, aggregate: 'all' }, {
    enabled: body !== undefined,
  });
  return { row: data?.rows[0], error, retry: () => void refetch() };
}

interface AllRows {
  readonly signal?: AbortSignal;
  readonly onProgress?: (rows: number) => void;
}

/**
 * Asks for all rows of an answer that comes in pages.
 * @throws Error when there are more than can be shown, and never a part of them
 */
export function useAskAll(): <Row>(path: string, body: object, options?: AllRows) => Promise<Row[]> {
  const ask = useAsk();
  return async <Row>(path: string, body: object, { signal, onProgress }: AllRows = {}) => {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Row> = await ask(path, {
        method: 'POST',
        body: { ...body, limit: pageRows, ...(cursor !== null && { cursor }) },
        signal,
      });
      rows.push(...page.rows);
      onProgress?.(rows.length);
      cursor = page.has_more ? page.next_cursor : null;
      if (cursor !== null && rows.length >= maxRows) {
        throw new Error(
          `This has more than ${maxRows.toLocaleString('en')} rows, too many for one page. Choose fewer days or a filter, or read them from the API.`,
        );
      }
    } while (cursor !== null);
    return rows;
  };
}

/** How all rows of an answer are asked for; without a body, nothing is. */
export function useAllRowsOptions<Row>() {
  const { project } = useAccess();
  const askAll = useAskAll();
  return (path: string, body: object | undefined) =>
    queryOptions({
      queryKey: [project.id, path, 'all', body],
      enabled: body !== undefined,
      queryFn: ({ signal }): Promise<Row[]> => askAll<Row>(path, body ?? {}, { signal }),
    });
}

/** All rows of an answer that comes in pages. */
export function useAllRows<Row>(path: string, body: object | undefined) {
  return useQuery(useAllRowsOptions<Row>()(path, body));
}

/** Asks everything anew that the project's pages show. */
export function useRefresh(): () => Promise<void> {
  const queries: QueryClient = useQueryClient();
  const { project } = useAccess();
  return useCallback(() => queries.invalidateQueries({ queryKey: [project.id] }), [queries, project.id]);
}
