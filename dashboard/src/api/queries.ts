import {
  notifyManager,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useIsReached } from '../state/connection.ts';
import { type Access, readAccess, useAccess } from '../state/session.tsx';
import { type Asked, askApi, isPassing } from './client.ts';
import type { ListRow, Page } from './types.ts';

/** The most rows fetched for one table. */
const maxRows = 100_000;
const pageRows = 1_000;

type Ask = <T>(path: string, asked?: Asked) => Promise<T>;

const toAsk =
  ({ isNamed, project }: Access): Ask =>
  (path, asked = {}) =>
    askApi(path, { ...asked, ...(isNamed && { project: project.id }) });

/** Sends requests with the session, for the project that is shown. */
export const useAsk = (): Ask => toAsk(useAccess());

interface Options<T = unknown> {
  readonly enabled?: boolean | undefined;
  /** Polling interval in milliseconds, which may depend on the answer; false for no polling. */
  readonly every?: number | false | ((answer: T | undefined) => number | false);
  /** Shows the previous answer by the same group until the new one arrives. */
  readonly keep?: boolean;
}

/** The query options for an answer of the API: to a GET, or to a POST that only reads. */
const toApiOptions =
  <T>(access: Access) =>
  (path: string, body?: unknown, { enabled = true, every }: Options<T> = {}) =>
    queryOptions({
      queryKey: [access.project.id, path, body],
      queryFn: ({ signal }): Promise<T> =>
        toAsk(access)<T>(path, { signal, ...(body !== undefined && { method: 'POST', body }) }),
      enabled,
      refetchInterval: ({ state }) => (typeof every === 'function' ? every(state.data) : (every ?? false)),
    });

export const useApiOptions = <T>() => toApiOptions<T>(useAccess());

const providersPath = '/api/providers/?limit=1000';

/** Who made the project's calls: every call has a provider. */
export const useProviders = () => useApi<Page<ListRow>>(providersPath);

/** Asks what nearly every page asks first, and what it needs for its next questions, before the page is there. */
export async function askFirst(queries: QueryClient, project: string | undefined): Promise<void> {
  const access = await readAccess(queries, project);
  if (access) await queries.prefetchQuery(toApiOptions(access)(providersPath));
}

/** Without the failure of asking again where there is an answer: the page keeps it, and says that it may be old. */
export const keepAnswer = <Query extends { readonly data: unknown; readonly error: Error | null }>(
  query: Query,
): Query => (query.data === undefined || !isPassing(query.error) ? query : { ...query, error: null });

/** Asks while the page is made, not only once it is there. */
function useAsked<Data, Key extends QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>) {
  const queries = useQueryClient();
  if (options.enabled !== false && !queries.getQueryState(options.queryKey)) void queries.prefetchQuery(options);
  return keepAnswer(useQuery(options));
}

/** What an answer is by: the rows of another group have other names. */
const groupOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'group_by' in body ? body.group_by : undefined;

const keepSameGroup =
  (body: unknown) =>
  <Data>(before: Data | undefined, query: { readonly queryKey: QueryKey } | undefined): Data | undefined =>
    groupOf(query?.queryKey[2]) === groupOf(body) ? before : undefined;

/** An answer of the API. */
export function useApi<T>(path: string, body?: unknown, options: Options<T> = {}) {
  return useAsked({
    ...useApiOptions<T>()(path, body, options),
    ...(options.keep && { placeholderData: keepSameGroup(body) }),
  });
}

/** Whether the page has had all that it asked for first: what is below that is asked then, and holds nothing up. */
export function useHasAnswers(): boolean {
  const queries = useQueryClient();
  const isIdle = useSyncExternalStore(
    useCallback((notify) => queries.getQueryCache().subscribe(notifyManager.batchCalls(notify)), [queries]),
    () => queries.isFetching() === 0,
  );
  const [hasAnswers, setHasAnswers] = useState(false);
  // Effects of the parts of the page run before: an answer may lead to the next question, and is drawn first.
  useEffect(() => {
    if (!isIdle || queries.isFetching() > 0) return;
    const drawn = setTimeout(() => setHasAnswers(queries.isFetching() === 0));
    return () => clearTimeout(drawn);
  }, [isIdle, queries]);
  // Without the service nothing holds up anything: what was answered before is shown.
  return !useIsReached() || hasAnswers;
}

/** The single row for all days together. Without a body, no request is sent. */
export function useTotal<Row>(path: string, body: object | undefined) {
  const { data, error, isPending, refetch } = useApi<Page<Row>>(path, body && { ...body, aggregate: 'all' }, {
    enabled: body !== undefined,
  });
  return { row: data?.rows[0], error, isPending, refetch };
}

interface AllRows {
  readonly signal?: AbortSignal;
  readonly onProgress?: (rows: number) => void;
}

/**
 * Fetches all pages of an answer.
 * @throws Error when there are more than `maxRows`; never returns only some rows
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
          `There are more than ${maxRows.toLocaleString('en')} rows, too many for this page. Choose fewer days or a filter, or read them from the API.`,
        );
      }
    } while (cursor !== null);
    return rows;
  };
}

/** The query options for all rows of an answer. Without a body, no request is sent. */
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

/** All rows of an answer, from all its pages. */
export function useAllRows<Row>(path: string, body: object | undefined) {
  return useAsked(useAllRowsOptions<Row>()(path, body));
}

/** Refetches everything that the project's pages show. */
export function useRefresh(): () => Promise<void> {
  const queries: QueryClient = useQueryClient();
  const { project } = useAccess();
  return useCallback(() => queries.invalidateQueries({ queryKey: [project.id] }), [queries, project.id]);
}

/** Sends a change, and refetches what the project's pages show. */
export function useSend(): Ask {
  const ask = useAsk();
  const refresh = useRefresh();
  return async <T>(path: string, asked?: Asked) => {
    const answer = await ask<T>(path, asked);
    void refresh();
    return answer;
  };
}

/** Refetches everything except the answers below a path, whose record is deleted. */
export function useRefreshWithout(): (removed: string) => Promise<void> {
  const queries: QueryClient = useQueryClient();
  const { project } = useAccess();
  return (removed) =>
    queries.invalidateQueries({
      queryKey: [project.id],
      predicate: ({ queryKey: [, path] }) => !String(path).startsWith(removed),
    });
}
