import { randomBytes } from 'node:crypto';
import { ExpiringCache } from '../lib/expiring-cache.ts';
import { equalHashes, hashSecret } from '../lib/ids.ts';
import type { ControlSources } from '../storage/control/control-store.ts';
import type { SessionRow } from '../storage/control/schema.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';

/** How long a sign-in lasts at most, in milliseconds (D2). */
const lifetimeMs = 12 * 3_600_000;

/** How long another instance may accept a session after sign-out, in milliseconds, as for revoked keys (D1.4). */
const cacheMs = 5_000;

/** The most sessions of one key or of the admin token: a further sign-in ends the oldest. */
const maxSessions = 100;

export interface Session {
  readonly caller: 'admin' | ApiKey;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export type Credential = { readonly apiKey: string } | { readonly adminToken: string };

export interface SessionsOptions extends ControlSources {
  readonly apiKeys: ApiKeys;
  readonly adminTokenHash: string;
}

/**
 * Sign-ins of the page (D2). A session stores the hash of its key or token. Each request checks that hash, so the
 * session ends as soon as the key or token is not valid any more.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byHash = new ExpiringCache<SessionRow>(cacheMs);

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Makes a session. Its id, 256 random bits, is available only here. Undefined when the credential is not valid. */
  async signIn(credential: Credential): Promise<{ readonly id: string; readonly session: Session } | undefined> {
    const { control, clock } = this.#options;
    const credentialHash = hashSecret('apiKey' in credential ? credential.apiKey : credential.adminToken);
    const caller =
      'apiKey' in credential ? await this.#options.apiKeys.findByHash(credentialHash) : this.#adminOf(credentialHash);
    if (!caller) return undefined;
    const now = clock();
    const id = randomBytes(32).toString('base64url');
    const expiresAt = Math.min(now + lifetimeMs, (caller !== 'admin' && caller.expiresAt) || Number.POSITIVE_INFINITY);
    await control.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    const newest = control
      .selectFrom('sessions')
      .select('created_at')
      .where('credential_hash', '=', credentialHash)
      .orderBy('created_at', 'desc')
      .limit(1)
      .offset(maxSessions - 1);
    await control
      .deleteFrom('sessions')
      .where('credential_hash', '=', credentialHash)
      .where('created_at', '<=', newest)
      .execute();
    await control
      .insertInto('sessions')
      .values({ id_hash: hashSecret(id), credential_hash: credentialHash, created_at: now, expires_at: expiresAt })
      .execute();
    return { id, session: { caller, expiresAt } };
  }

  /** The session with this id; undefined when it is unknown or has ended, or its key or token is no longer valid. */
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
    const caller = this.#adminOf(row.credential_hash) ?? (await apiKeys.findByHash(row.credential_hash));
    return caller && { caller, expiresAt: row.expires_at };
  }

  /** Ends a session, with immediate effect on this instance. Does nothing when there is none. */
  async signOut(id: string): Promise<void> {
    const hash = hashSecret(id);
    await this.#options.control.deleteFrom('sessions').where('id_hash', '=', hash).execute();
    this.#byHash.forget(hash);
  }

  #adminOf(credentialHash: string): 'admin' | undefined {
    return equalHashes(credentialHash, this.#options.adminTokenHash) ? 'admin' : undefined;
  }
}
