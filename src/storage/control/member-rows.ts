import type { Role } from '../../lib/http/access.ts';

/** A person who signs in (D34.2). */
export interface MemberRow {
  id: string;
  /** In lower case. */
  email: string;
  name: string | null;
  /** 1 if the member may do everything of the instance. */
  is_admin: number;
  /** Who the member is at the OpenID provider, from the first sign-in there on. */
  oidc_issuer: string | null;
  oidc_subject: string | null;
  created_at: number;
  /** May lag by a minute. */
  last_seen_at: number | null;
}

export interface MemberRoleRow {
  member_id: string;
  project_id: string;
  role: Role;
}

/** A link that signs a member in, once. */
export interface InvitationRow {
  /** SHA-256 of its secret. */
  hash: string;
  member_id: string;
  /** The ids of the members who may have opened the link, as JSON; null for none. */
  shown_to: string | null;
  created_at: number;
  expires_at: number;
}

/** A sign-in of the page: a random id, stored as its SHA-256, that stands for an API key, the admin token (D2) or a member. */
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
