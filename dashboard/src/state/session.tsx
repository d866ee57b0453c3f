import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext } from 'react';
import { ApiProblem, askApi } from '../api/client.ts';
import type { Project, Session } from '../api/types.ts';

/** The project of the session and what the session may do. */
export interface Access {
  readonly project: Project;
  /** All projects of the instance, for the admin token. */
  readonly projects: readonly Project[];
  readonly isAdmin: boolean;
  readonly canWrite: boolean;
}

const AccessContext = createContext<Access | undefined>(undefined);

export function useAccess(): Access {
  const access = useContext(AccessContext);
  if (!access) throw new Error('There is no session here');
  return access;
}

/** Set after a sign-in with this browser. Without it, the page does not ask for a session. */
const hintKey = 'farthing-session';
export const noteSignIn = (): void => localStorage.setItem(hintKey, 'signed in');
export const noteSignOut = (): void => localStorage.removeItem(hintKey);

export const sessionKey = ['session'];
export const projectsKey = ['projects'];

export type SessionState =
  | { readonly state: 'loading' }
  | { readonly state: 'signed-out' /** Whether there was a session before. */; readonly hasEnded: boolean }
  | { readonly state: 'failed'; readonly problem: unknown; readonly retry: () => void }
  | { readonly state: 'no-project' }
  | { readonly state: 'signed-in'; readonly access: Access };

/** Asks for the session of the cookie. */
export const sessionOptions = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }) => {
    if (localStorage.getItem(hintKey) === null) return null;
    try {
      return await askApi<Session>('/session/', { signal });
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The session of the cookie; for the admin token, with the project of the URL. */
export function useSessionState(): SessionState {
  const { project: named } = useSearch({ from: '__root__' });
  const session = useQuery(sessionOptions);
  const isAdmin = session.data?.kind === 'admin';
  const projects = useQuery({
    queryKey: projectsKey,
    queryFn: ({ signal }) => askApi<{ projects: readonly Project[] }>('/admin/projects/', { signal }),
    enabled: isAdmin,
  });
  if (session.data === null) return { state: 'signed-out', hasEnded: localStorage.getItem(hintKey) !== null };
  if (session.error && !session.data)
    return { state: 'failed', problem: session.error, retry: () => void session.refetch() };
  if (session.data === undefined) return { state: 'loading' };
  if (!isAdmin) {
    const { project, scopes = [] } = session.data;
    if (!project) return { state: 'no-project' };
    return {
      state: 'signed-in',
      access: { project, projects: [project], isAdmin: false, canWrite: scopes.includes('write') },
    };
  }
  if (projects.error && !projects.data)
    return { state: 'failed', problem: projects.error, retry: () => void projects.refetch() };
  if (!projects.data) return { state: 'loading' };
  const all = projects.data.projects;
  const project = all.find(({ id }) => id === named) ?? all[0];
  if (!project) return { state: 'no-project' };
  return { state: 'signed-in', access: { project, projects: all, isAdmin: true, canWrite: true } };
}

export const AccessProvider = ({ access, children }: { readonly access: Access; readonly children: ReactNode }) => (
  <AccessContext value={access}>{children}</AccessContext>
);

/** Removes cached answers, which another session may not be allowed to see. */
export function forgetAnswers(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
