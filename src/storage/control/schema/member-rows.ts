import type { Role } from '../../../lib/http/access.ts';
import { audited, column, type RowsOf } from './audited.ts';

export const memberTables = {
  /** A person who signs in (D34.2). */
  members: audited('member', {
    id: column<string>('member'),
    /** In lower case. */
    email: column<string>('text'),
    name: column<string | null>('text'),
    /** 1 if the member may do everything of the instance. */
    is_admin: column<number>('flag'),
    /** Who the member is at the OpenID provider, from the first sign-in there on. */
    oidc_issuer: column<string | null>('text'),
    oidc_subject: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    /** May lag by a minute. */
    last_seen_at: column<number | null>('hidden'),
  }),

  member_roles: audited('member_role', {
    member_id: column<string>('member'),
    project_id: column<string>('project'),
    role: column<Role>('text'),
  }),

  /** A link that signs a member in, once. */
  invitations: audited('invitation', {
    /** SHA-256 of its secret. */
    hash: column<string>('hidden'),
    member_id: column<string>('member'),
    /** The ids of the members who may have opened the link, as JSON; null for none. */
    shown_to: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    expires_at: column<number>('time'),
  }),
};

type Rows = RowsOf<typeof memberTables>;

export type MemberRow = Rows['members'];
export type InvitationRow = Rows['invitations'];

/** A sign-in of the dashboard: a random id, stored as its SHA-256, that stands for an API key, the admin token (D2) or a member. */
export interface SessionRow {
  id_hash: string;
  /** SHA-256 of the key or token used to sign in. The session ends when that key or token is no longer valid. Empty for a member. */
  credential_hash: string;
  /** Null for a key or token, like `last_seen_at`. */
  member_id: string | null;
  /** That of the link that it began by. */
  shown_to: string | null;
  /** May lag by a minute. */
  last_seen_at: number | null;
  created_at: number;
  expires_at: number;
}
