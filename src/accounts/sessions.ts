import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Actor, actingAs } from '../lib/actor.ts';
import { ExpiringCache } from '../lib/expiring-cache.ts';
import { equalHashes, hashSecret } from '../lib/ids.ts';
import { parseJson } from '../lib/json.ts';
import type { ControlQueries, ControlSources } from '../storage/control/control-store.ts';
import type { SessionRow } from '../storage/control/schema/member-rows.ts';
import type { ApiKeys } from './api-keys.ts';
import { findInvited, redeemInvitation } from './invitations.ts';
import type { LastUsed } from './last-used.ts';
import { atMost, type Member, type Members } from './members.ts';
import type { Principal } from './principal.ts';

/** How long a sign-in with a key or token lasts at most, in milliseconds (D2). */
const lifetimeMs = 12 * 3_600_000;
/** How long that of a member lasts at most, and how long without a request, in milliseconds (D34.1). */
const memberLifetimeMs = 30 * 86_400_000;
const memberIdleMs = 7 * 86_400_000;

/** How long another instance may accept a session after sign-out, in milliseconds, as for revoked keys (D1.4). */
const cacheMs = 5_000;

/** The most sessions of one key, of the admin token or of a member: a further sign-in ends the oldest. */
const maxSessions = 100;

export interface Session {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface SignedIn {
  /** 256 random bits, available only here. */
  readonly id: string;
  readonly session: Session;
}

export type Credential = { readonly apiKey: string } | { readonly adminToken: string };

export interface SessionsOptions extends ControlSources {
  readonly apiKeys: ApiKeys;
  readonly adminTokenHash: string;
  readonly members: Members;
  readonly lastUsed: LastUsed;
}

/**
 * Sign-ins of the dashboard (D2, D34). A session stores the hash of its key or token, or its member. Each request checks that,
 * so the session ends as soon as the key, the token or the member is not valid any more. Whoever saw a link may have opened
 * it, so a session that began by it may at most what they may, as long as they may.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byHash = new ExpiringCache<SessionRow>(cacheMs);

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Makes a session for a key or token. Undefined when the credential is not valid. */
  async signIn(credential: Credential): Promise<SignedIn | undefined> {
    const { control, clock } = this.#options;
    const hash = hashSecret('apiKey' in credential ? credential.apiKey : credential.adminToken);
    const key = 'apiKey' in credential ? await this.#options.apiKeys.findByHash(hash) : undefined;
    const principal = key ? ({ kind: 'key', key } as const) : 'apiKey' in credential ? undefined : this.#adminOf(hash);
    if (!principal) return undefined;
    const expiresAt = Math.min(clock() + lifetimeMs, key?.expiresAt || Number.POSITIVE_INFINITY);
    const row = { credential_hash: hash, member_id: null, shown_to: null, expires_at: expiresAt };
    const id = await this.#store(row, control);
    return { id, session: { principal, expiresAt } };
  }

  /** Makes a session by a one-time link, which is used up. Undefined when the link is unknown, used or expired. */
  async signInByLink(secret: string, from: Pick<Actor, 'address' | 'request'> = {}): Promise<SignedIn | undefined> {
    const { control, clock, members } = this.#options;
    const invited = await findInvited(secret, control);
    const member = invited === undefined ? undefined : await members.read(invited);
    if (!member) return undefined;
    const id = await actingAs({ kind: 'member', id: member.id, name: member.name ?? member.email, ...from }, () =>
      control.transaction().execute(async (transaction) => {
        const link = await redeemInvitation(secret, { control: transaction, clock });
        return link && (await this.signInMember(link.member_id, transaction, link.shown_to));
      }),
    );
    return id === undefined ? undefined : await this.#opened(id, member.id);
  }

  /** Whom a link signs in, which stays unused. Undefined when the link is unknown, used or expired. */
  async findByLink(secret: string): Promise<Member | undefined> {
    const invited = await findInvited(secret, this.#options.control);
    const member = invited === undefined ? undefined : await this.#options.members.read(invited);
    return member !== undefined && member.invitedUntil !== null ? member : undefined;
  }

  /** Makes a session for a member whose row the transaction holds; returns its id. */
  async signInMember(
    memberId: string,
    transaction: ControlQueries,
    shownTo: SessionRow['shown_to'] = null,
  ): Promise<string> {
    const expiresAt = this.#options.clock() + memberLifetimeMs;
    const row = { credential_hash: '', member_id: memberId, shown_to: shownTo, expires_at: expiresAt };
    return await this.#store(row, transaction);
  }

  async #opened(id: string, memberId: string): Promise<SignedIn | undefined> {
    // The link that is used up is not in what is remembered of the member.
    this.#options.members.forget(memberId);
    const session = await this.find(id);
    return session && { id, session };
  }

  /** The session with this id; undefined when it is unknown or has ended, or what signed in is no longer valid. */
  async find(id: string): Promise<Session | undefined> {
    const { control, clock, apiKeys } = this.#options;
    const hash = hashSecret(id);
    const row = await this.#byHash.get(hash, () =>
      control
        .selectFrom('sessions')
        .selectAll()
        .where('id_hash', '=', hash)
        .where('expires_at', '>', clock())
        .executeTakeFirst(),
    );
    if (!row || !equalHashes(row.id_hash, hash) || row.expires_at <= clock()) return undefined;
    if (row.member_id !== null) return await this.#ofMember(row, row.member_id);
    const admin = this.#adminOf(row.credential_hash);
    if (admin) return { principal: admin, expiresAt: row.expires_at };
    const key = await apiKeys.findByHash(row.credential_hash);
    return key && { principal: { kind: 'key', key }, expiresAt: row.expires_at };
  }

  async #ofMember(row: SessionRow, memberId: string): Promise<Session | undefined> {
    const { clock, members, lastUsed } = this.#options;
    const now = clock();
    if (now - (row.last_seen_at ?? row.created_at) > memberIdleMs) return undefined;
    const found = await members.find(memberId);
    if (!found) return undefined;
    const shownTo = row.shown_to === null ? [] : z.array(z.string()).parse(parseJson(row.shown_to));
    let member = found;
    for (const id of shownTo) {
      const other = await members.find(id);
      if (!other) return undefined;
      member = atMost(member, other);
    }
    // Nothing is left of what the link gave.
    if (!member.isAdmin && member.roles.size === 0 && (found.isAdmin || found.roles.size > 0)) return undefined;
    lastUsed.note('sessions', row.id_hash, now);
    lastUsed.note('members', memberId, now);
    return { principal: { kind: 'member', member, shownTo }, expiresAt: row.expires_at };
  }

  /** Ends a session, with immediate effect on this instance. Does nothing when there is none. */
  async signOut(id: string): Promise<void> {
    const hash = hashSecret(id);
    await this.#options.control.deleteFrom('sessions').where('id_hash', '=', hash).execute();
    this.#byHash.forget(hash);
  }

  /** Stores a session, and drops what has ended and what is too many; returns its id. */
  async #store(
    row: Pick<SessionRow, 'credential_hash' | 'member_id' | 'shown_to' | 'expires_at'>,
    queries: ControlQueries,
  ): Promise<string> {
    const now = this.#options.clock();
    const id = randomBytes(32).toString('base64url');
    await queries.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    const [owner, value] =
      row.member_id === null
        ? (['credential_hash', row.credential_hash] as const)
        : (['member_id', row.member_id] as const);
    const newest = queries
      .selectFrom('sessions')
      .select('created_at')
      .where(owner, '=', value)
      .orderBy('created_at', 'desc')
      .limit(1)
      .offset(maxSessions - 1);
    await queries.deleteFrom('sessions').where(owner, '=', value).where('created_at', '<=', newest).execute();
    await queries
      .insertInto('sessions')
      .values({ ...row, id_hash: hashSecret(id), created_at: now, last_seen_at: null })
      .execute();
    return id;
  }

  #adminOf(credentialHash: string): Principal | undefined {
    return equalHashes(credentialHash, this.#options.adminTokenHash) ? { kind: 'admin' } : undefined;
  }
}
