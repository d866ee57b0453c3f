import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext } from 'react';
import { ApiProblem, askApi } from '../api/client.ts';
import type { Project, Session } from '../api/types.ts';

/** The project of the session and what the session may do. */
export interface Access {
  readonly project: Project;
  /** All projects that the session may see. */
  readonly projects: readonly Project[];
  /** Whether it may do everything of the instance. */
  readonly isAdmin: boolean;
  /** Whether it manages the project: members, keys, settings. */
  readonly isOwner: boolean;
  readonly canWrite: boolean;
  /** Whether requests and links name the project: only a key has one of its own. */
  readonly isNamed: boolean;
  readonly session: Session;
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
  | { readonly state: 'no-project' /** Whether the URL names one. */; readonly isNamed: boolean }
  | { readonly state: 'signed-in'; readonly access: Access };

/** Asks for the session of the cookie. */
const sessionOptions = queryOptions({
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

const projectsOptions = queryOptions({
  queryKey: projectsKey,
  queryFn: ({ signal }) => askApi<{ projects: readonly Project[] }>('/admin/projects/', { signal }),
});

const isOfAdmin = ({ kind, member }: Session): boolean => kind === 'admin' || member?.is_admin === true;

/** What a session may do in the project of this id, or in its first without one; undefined where it has none such. */
function toAccess(session: Session, ofAdmin: readonly Project[] | undefined, named: string | undefined) {
  const { kind, scopes = [], roles = [], project: own } = session;
  const isAdmin = isOfAdmin(session);
  const projects = isAdmin ? (ofAdmin ?? []) : own ? [own] : roles.map(({ project }) => project);
  const project = named === undefined ? projects[0] : projects.find(({ id }) => id === named);
  if (!project) return undefined;
  const role = roles.find((one) => one.project.id === project.id)?.role;
  return {
    project,
    projects,
    isAdmin,
    isOwner: isAdmin || role === 'owner',
    canWrite: isAdmin || scopes.includes('write') || (role !== undefined && role !== 'viewer'),
    isNamed: kind !== 'key',
    session,
  };
}

/** What the session of the cookie may do, asked for before the page is there; undefined where nobody is signed in. */
export async function readAccess(queries: QueryClient, named: string | undefined): Promise<Access | undefined> {
  const session = await queries.query(sessionOptions);
  if (session === null) return undefined;
  const ofAdmin = isOfAdmin(session) ? await queries.query(projectsOptions) : undefined;
  return toAccess(session, ofAdmin?.projects, named);
}

/** The session of the cookie, with the project of the URL where it has several. */
export function useSessionState(): SessionState {
  const { project: named } = useSearch({ from: '__root__' });
  const session = useQuery(sessionOptions);
  const isAdmin = session.data ? isOfAdmin(session.data) : false;
  const projects = useQuery({ ...projectsOptions, enabled: isAdmin });
  if (session.data === null) return { state: 'signed-out', hasEnded: localStorage.getItem(hintKey) !== null };
  if (session.error && !session.data)
    return { state: 'failed', problem: session.error, retry: () => void session.refetch() };
  if (session.data === undefined) return { state: 'loading' };
  if (isAdmin && !projects.data)
    return projects.error
      ? { state: 'failed', problem: projects.error, retry: () => void projects.refetch() }
      : { state: 'loading' };
  const access = toAccess(session.data, projects.data?.projects, named);
  return access ? { state: 'signed-in', access } : { state: 'no-project', isNamed: named !== undefined };
}

export const AccessProvider = ({ access, children }: { readonly access: Access; readonly children: ReactNode }) => (
  <AccessContext value={access}>{children}</AccessContext>
);

/** Removes cached answers, which another session may not be allowed to see. */
export function forgetAnswers(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
