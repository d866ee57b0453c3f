import { ExpiringCache } from '../lib/expiring-cache.ts';
import { type Role, roles as roleNames } from '../lib/http/access.ts';
import { newId } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import {
  type ControlQueries,
  type ControlSources,
  changeRows,
  deleteRows,
  findRow,
  putRows,
  requireRow,
} from '../storage/control/control-store.ts';
import type { MemberRow } from '../storage/control/schema/member-rows.ts';

/** A person who signs in (D34.2). */
export interface Member {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string | null;
  /** Whether the member may do everything on the instance. */
  readonly isAdmin: boolean;
  /** By project. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Milliseconds since 1970, like the next two. */
  readonly createdAt: number;
  readonly lastSeenAt: number | null;
  /** When the open link ends; null without one. */
  readonly invitedUntil: number | null;
}

/** A role in a project to give, or null to take. */
export interface RoleChange {
  readonly projectId: string;
  readonly role: Role | null;
}

/** Undefined leaves a field as it is. */
export interface MemberChange {
  readonly name?: string | null | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly roles?: readonly RoleChange[] | undefined;
}

/** Who somebody is at an OpenID provider. */
export interface OpenIdSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** How long another instance may accept a removed member or an old role, in milliseconds: under the 10 s of D1.4. */
const cacheMs = 5_000;

const mostMembers = 10_000;

/** The members of the instance, and their roles in projects that are not deleted. */
export class Members {
  readonly #sources: ControlSources;
  readonly #byId = new ExpiringCache<Member>(cacheMs);

  constructor(sources: ControlSources) {
    this.#sources = sources;
  }

  /** The member, or undefined when there is none or it was removed. */
  async find(id: string): Promise<Member | undefined> {
    return await this.#byId.get(id, () => this.read(id));
  }

  /** The same, as it is stored now. */
  async read(id: string, queries: ControlQueries = this.#sources.control): Promise<Member | undefined> {
    const rows = await queries.selectFrom('members').selectAll().where('id', '=', id).execute();
    return (await this.#complete(rows, queries))[0];
  }

  /** All members, or those with a role in a project, by e-mail. */
  async list(projectId?: string): Promise<Member[]> {
    const { control } = this.#sources;
    const rows = await control
      .selectFrom('members')
      .selectAll()
      .$if(projectId !== undefined, (query) =>
        query.where('id', 'in', (inner) =>
          inner
            .selectFrom('member_roles')
            .select('member_id')
            .where('project_id', '=', projectId ?? ''),
        ),
      )
      .orderBy('email')
      .execute();
    return await this.#complete(rows, control);
  }

  /** Makes a member, or gives the one with this e-mail further rights, and takes none. Runs in the caller's transaction. */
  async add(
    { email, name, isAdmin, roles }: Required<Pick<MemberChange, 'roles'>> & Pick<Member, 'email' | 'name' | 'isAdmin'>,
    transaction: ControlQueries,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const now = this.#sources.clock();
    const row: MemberRow = {
      ...{ id: newId('mem'), email, name, is_admin: Number(isAdmin) },
      ...{ oidc_issuer: null, oidc_subject: null, created_at: now, last_seen_at: null },
    };
    const made = await transaction
      .insertInto('members')
      .values(row)
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made) {
      const { count } = await transaction
        .selectFrom('members')
        .select((select) => select.fn.countAll<number | string | bigint>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) > mostMembers)
        throw new Problem('conflict', `An instance has at most ${mostMembers} members: remove some.`);
      await this.#setRoles(row.id, roles ?? [], transaction);
      return { id: row.id, isNew: true };
    }
    const { id } = await requireRow(transaction, 'members', { email });
    await lockMember(transaction, id);
    const before = await this.read(id, transaction);
    const higher = (roles ?? []).filter(({ projectId, role }) => rankOf(role) > rankOf(before?.roles.get(projectId)));
    await this.change(id, { roles: higher, ...(isAdmin && { isAdmin }) }, transaction);
    return { id, isNew: false };
  }

  /** Changes a member, in the caller's transaction. False when there is no such member. */
  async change(id: string, { name, isAdmin, roles = [] }: MemberChange, transaction: ControlQueries): Promise<boolean> {
    // An UPDATE needs at least one column, even for an empty change. Kysely leaves out what is undefined.
    const set = { id, name, is_admin: isAdmin === undefined ? undefined : Number(isAdmin) };
    const changed = await transaction.updateTable('members').set(set).where('id', '=', id).executeTakeFirst();
    if (changed.numUpdatedRows === 0n) return false;
    await this.#setRoles(id, roles, transaction);
    return true;
  }

  /**
   * The member who is this at the OpenID provider, in the caller's transaction: known by the subject, or from now on by the
   * e-mail address. `stranger`: there is none; `taken`: the address is that of a member with another subject.
   */
  async bind(
    { email, name, issuer, subject }: OpenIdSubject & Pick<Member, 'email' | 'name'>,
    { takesStrangers }: { readonly takesStrangers: boolean },
    transaction: ControlQueries,
  ): Promise<{ readonly id: string } | 'stranger' | 'taken'> {
    const known = await findRow(transaction, 'members', { oidc_issuer: issuer, oidc_subject: subject });
    if (known) {
      await lockMember(transaction, known.id);
      return known;
    }
    if (takesStrangers) await this.add({ email, name, isAdmin: false, roles: [] }, transaction);
    const invited = await findRow(transaction, 'members', { email });
    if (!invited) return 'stranger';
    await lockMember(transaction, invited.id);
    // The operator may have changed the provider, but there is only one at a time.
    if (invited.oidc_issuer === issuer) return 'taken';
    await changeRows(
      transaction,
      'members',
      { id: invited.id },
      { oidc_issuer: issuer, oidc_subject: subject, name: invited.name ?? name },
    );
    return { id: invited.id };
  }

  /** Removes a member with roles, links and sessions, in the caller's transaction. */
  async remove(id: string, transaction: ControlQueries): Promise<boolean> {
    await lockMember(transaction, id);
    for (const table of ['invitations', 'member_roles', 'sessions'] as const)
      await transaction.deleteFrom(table).where('member_id', '=', id).execute();
    return await deleteRows(transaction, 'members', { id });
  }

  /** Has this instance read a member again: after a change is committed. */
  forget(id: string): void {
    this.#byId.forget(id);
  }

  async #setRoles(id: string, roles: readonly RoleChange[], transaction: ControlQueries): Promise<void> {
    for (const { projectId, role } of roles) {
      if (role === null) {
        await deleteRows(transaction, 'member_roles', { member_id: id, project_id: projectId });
      } else {
        const row = { member_id: id, project_id: projectId, role };
        await putRows(transaction, 'member_roles', ['member_id', 'project_id'], [row]);
      }
    }
  }

  async #complete(rows: readonly MemberRow[], queries: ControlQueries): Promise<Member[]> {
    if (rows.length === 0) return [];
    const [only] = rows;
    const isOne = rows.length === 1;
    const given = await queries
      .selectFrom('member_roles')
      .innerJoin('projects', 'projects.id', 'member_roles.project_id')
      .select(['member_id', 'project_id', 'role'])
      .where('projects.deleted_at', 'is', null)
      .$if(isOne, (query) => query.where('member_id', '=', only?.id ?? ''))
      .orderBy('project_id')
      .execute();
    const links = await queries
      .selectFrom('invitations')
      .select(['member_id', 'expires_at'])
      .where('expires_at', '>', this.#sources.clock())
      .$if(isOne, (query) => query.where('member_id', '=', only?.id ?? ''))
      .execute();
    const rolesOf = Map.groupBy(given, (row) => row.member_id);
    const until = new Map(links.map((row) => [row.member_id, row.expires_at]));
    return rows.map((row) => ({
      id: row.id,
      email: row.email,
      name: row.name,
      isAdmin: row.is_admin === 1,
      roles: new Map((rolesOf.get(row.id) ?? []).map(({ project_id: project, role }) => [project, role])),
      createdAt: row.created_at,
      lastSeenAt: row.last_seen_at,
      invitedUntil: until.get(row.id) ?? null,
    }));
  }
}

/** What both may. */
export function atMost(member: Member, other: Member): Member {
  if (other.isAdmin) return member;
  if (member.isAdmin) return { ...member, isAdmin: false, roles: other.roles };
  const roles = [...member.roles].flatMap(([projectId, role]) => {
    const theirs = other.roles.get(projectId);
    return theirs ? [[projectId, rankOf(role) < rankOf(theirs) ? role : theirs] as const] : [];
  });
  return { ...member, roles: new Map(roles) };
}

/** Higher for more rights; 0 without a role. */
const rankOf = (role: Role | null | undefined): number => (role == null ? 0 : roleNames.indexOf(role) + 1);

/** Locks a member's row until the end of the transaction, so that a sign-in and a change run one after another. */
export async function lockMember(transaction: ControlQueries, id: string): Promise<void> {
  await transaction
    .updateTable('members')
    .set((row) => ({ id: row.ref('id') }))
    .where('id', '=', id)
    .execute();
}
