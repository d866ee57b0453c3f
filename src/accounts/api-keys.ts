import type { Clock } from '../lib/clock.ts';
import { ExpiringCache } from '../lib/expiring-cache.ts';
import { equalHashes, hashSecret, newId, newSecret } from '../lib/ids.ts';
import { parseJson } from '../lib/json.ts';
import type { ControlQueries, ControlStore } from '../storage/control/control-store.ts';
import type { ApiKeyRow } from '../storage/control/schema/schema.ts';
import type { LastUsed } from './last-used.ts';

export const scopes = ['read', 'write'] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970, like the next three. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** How long another instance may accept a revoked key, in milliseconds: under the 10 s of D1.4. */
const cacheMs = 5_000;

/** Creates, lists, revokes and checks API keys (D1.2). */
export class ApiKeys {
  readonly #control: ControlStore;
  readonly #clock: Clock;
  readonly #lastUsed: LastUsed;
  readonly #byHash = new ExpiringCache<ApiKeyRow>(cacheMs);

  constructor(control: ControlStore, clock: Clock, lastUsed: LastUsed) {
    this.#control = control;
    this.#clock = clock;
    this.#lastUsed = lastUsed;
  }

  /** Makes a key, in the caller's transaction if given. */
  async create(
    key: Pick<ApiKey, 'projectId' | 'name' | 'scopes' | 'expiresAt'>,
    queries: ControlQueries = this.#control,
  ): Promise<ApiKey & { readonly apiKey: string }> {
    const apiKey = newSecret('fk');
    const row: ApiKeyRow = {
      id: newId('key'),
      project_id: key.projectId,
      name: key.name,
      scopes: JSON.stringify(key.scopes),
      hash: hashSecret(apiKey),
      created_at: this.#clock(),
      last_used_at: null,
      expires_at: key.expiresAt,
      revoked_at: null,
    };
    await queries.insertInto('api_keys').values(row).execute();
    return { ...toApiKey(row), apiKey };
  }

  async list(projectId: string): Promise<ApiKey[]> {
    const rows = await this.#control
      .selectFrom('api_keys')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('id')
      .execute();
    return rows.map(toApiKey);
  }

  /** Revokes a key, with immediate effect on this instance (D1.4). False when the project has no such key. */
  async revoke(projectId: string, id: string): Promise<boolean> {
    const row = await this.#control
      .updateTable('api_keys')
      .set((key) => ({ revoked_at: key.fn.coalesce('revoked_at', key.val(this.#clock())) }))
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .returning('hash')
      .executeTakeFirst();
    if (row) this.#byHash.forget(row.hash);
    return row !== undefined;
  }

  /** The key whose secret has this hash, unless it is unknown, expired or revoked. */
  async findByHash(hash: string): Promise<ApiKey | undefined> {
    // A key that is not valid is not found, so none is cached: every refusal looks one up, and takes as long.
    const row = await this.#byHash.get(hash, () =>
      this.#control
        .selectFrom('api_keys')
        .selectAll()
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', this.#clock())]))
        .executeTakeFirst(),
    );
    const now = this.#clock();
    if (!row || !equalHashes(row.hash, hash) || row.revoked_at !== null) return undefined;
    if (row.expires_at !== null && row.expires_at <= now) return undefined;
    this.#lastUsed.note('api_keys', row.id, now);
    return toApiKey(row);
  }
}

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  scopes: parseJson(row.scopes) as Scope[],
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});
