import type { Actor } from '../lib/actor.ts';
import { type Access, type NeededRole, roles } from '../lib/http/access.ts';
import { noProject, Problem } from '../lib/problem.ts';
import type { ApiKey } from './api-keys.ts';
import type { Member } from './members.ts';

/** Who asks: the admin token, an API key, or a member. */
export type Principal =
  | { readonly kind: 'admin' }
  | { readonly kind: 'key'; readonly key: ApiKey }
  | {
      readonly kind: 'member';
      /** With the rights that count in this session. */
      readonly member: Member;
      /** The members who may be using the session, because they saw the link that it began by. */
      readonly shownTo: readonly string[];
    };

/** What is asked for, in the words of a route. */
export interface Operation {
  readonly access: Exclude<Access, 'public' | 'client'>;
  /** What a member needs to be. */
  readonly role: NeededRole;
  /** The project that it is about; undefined for the instance. */
  readonly project: string | undefined;
}

export const unauthenticated = (detail: string) =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });

export const adminNeeded = 'Send the admin token: Authorization: Bearer <admin token>.';
export const keyNotValid = 'The API key is unknown, expired or revoked; send a valid one.';

export const hasRole = (member: Member, role: NeededRole, project: string | undefined): boolean => {
  if (member.isAdmin) return true;
  const own = project === undefined ? undefined : member.roles.get(project);
  return role !== 'admin' && own !== undefined && roles.indexOf(own) >= roles.indexOf(role);
};

/**
 * The one place that decides whether somebody may do something.
 * @throws Problem that says what is needed: `unauthenticated`, `forbidden`, or `not_found` for a project that a member is not in
 */
export function requireMay(principal: Principal, { access, role, project }: Operation): void {
  if (principal.kind === 'admin') return;
  if (principal.kind === 'member') requireRole(principal.member, role, project);
  else requireScopes(principal.key, access, project);
}

function requireScopes({ projectId, scopes }: ApiKey, access: Operation['access'], project: string | undefined): void {
  if (access === 'admin') throw unauthenticated(adminNeeded);
  if (project !== projectId) throw new Problem('not_found', `${noProject}.`);
  if (access === 'project_admin') {
    throw new Problem(
      'forbidden',
      'This route needs the admin token, with the header Farthing-Project: prj_…; an API key may not do this.',
    );
  }
  if (access === 'read_or_write' ? scopes.length > 0 : scopes.includes(access)) return;
  throw new Problem(
    'forbidden',
    `This request needs a key with the scope ${access}; this key has ${scopes.join(', ')}.`,
  );
}

function requireRole(member: Member, role: NeededRole, project: string | undefined): void {
  if (hasRole(member, role, project)) return;
  const own = project === undefined ? undefined : member.roles.get(project);
  if (project !== undefined && own === undefined && role !== 'admin') throw new Problem('not_found', `${noProject}.`);
  throw new Problem(
    'forbidden',
    role === 'admin'
      ? 'This needs an admin of the instance: ask one, or sign in with the admin token.'
      : `This needs the role ${role} in the project${own === undefined ? '' : `; you are ${own}`}. An owner of the project can give it.`,
  );
}

/** The id by which logs name who asked: `admin` for the admin token. */
export function idOf(principal: Principal): string {
  if (principal.kind === 'admin') return 'admin';
  return principal.kind === 'key' ? principal.key.id : principal.member.id;
}

/** Who makes changes, for the audit log. */
export function toActor(principal: Principal): Pick<Actor, 'kind' | 'id' | 'name'> {
  if (principal.kind === 'admin') return { kind: 'admin_token' };
  if (principal.kind === 'key') return { kind: 'api_key', id: principal.key.id, name: principal.key.name ?? undefined };
  const { id, name, email } = principal.member;
  return { kind: 'member', id, name: name ?? email };
}
