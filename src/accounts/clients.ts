import type { Clock } from '../lib/clock.ts';
import { ExpiringCache } from '../lib/expiring-cache.ts';
import { equalHashes, hashSecret, newClientId, newId, newSecret } from '../lib/ids.ts';
import { type ControlQueries, type ControlStore, findRow } from '../storage/control/control-store.ts';
import type { ClientRow, ClientSecretRow } from '../storage/control/schema/schema.ts';
import type { LastUsed } from './last-used.ts';

export interface Client extends ClientRow {
  readonly secrets: readonly ClientSecretRow[];
}

/** A new secret. Its text is available only here. */
export type NewClientSecret = ClientSecretRow & { readonly secret: string };

/** A valid secret, with its client and project. */
type Credential = Pick<ClientSecretRow, 'id' | 'hash' | 'client_id' | 'expires_at'> & Pick<ClientRow, 'project_id'>;

const cacheMs = 5_000;

/** Creates, revokes and authenticates clients, and rotates their secrets (D1.3). */
export class Clients {
  readonly #control: ControlStore;
  readonly #clock: Clock;
  readonly #lastUsed: LastUsed;
  readonly #byHash = new ExpiringCache<Credential>(cacheMs);

  constructor(control: ControlStore, clock: Clock, lastUsed: LastUsed) {
    this.#control = control;
    this.#clock = clock;
    this.#lastUsed = lastUsed;
  }

  async create(projectId: string, name: string | null): Promise<{ readonly client: Client; readonly secret: string }> {
    return await this.#control
      .transaction()
      .execute(async (transaction) => await this.createWithin(transaction, projectId, name));
  }

  /** Like `create`, in the caller's transaction. */
  async createWithin(
    transaction: ControlQueries,
    projectId: string,
    name: string | null,
  ): Promise<{ readonly client: Client; readonly secret: string }> {
    const row: ClientRow = {
      id: newClientId(),
      project_id: projectId,
      name,
      created_at: this.#clock(),
      revoked_at: null,
    };
    await transaction.insertInto('clients').values(row).execute();
    const { secret, row: secretRow } = this.#newSecret(row.id, null);
    await transaction.insertInto('client_secrets').values(secretRow).execute();
    return { client: { ...row, secrets: [secretRow] }, secret };
  }

  async list(projectId: string): Promise<Client[]> {
    const clients = await this.#control
      .selectFrom('clients')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const secrets = await this.#control
      .selectFrom('client_secrets')
      .innerJoin('clients', 'clients.id', 'client_secrets.client_id')
      .selectAll('client_secrets')
      .where('clients.project_id', '=', projectId)
      .orderBy('client_secrets.id')
      .execute();
    const ofClient = Map.groupBy(secrets, (secret) => secret.client_id);
    return clients.map((row) => ({ ...row, secrets: ofClient.get(row.id) ?? [] }));
  }

  /** Revokes a client with all its secrets. False when the project has no such client. */
  async revoke(projectId: string, id: string): Promise<boolean> {
    const row = await this.#control
      .updateTable('clients')
      .set((client) => ({ revoked_at: client.fn.coalesce('revoked_at', client.val(this.#clock())) }))
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    this.#byHash.clear();
    return row !== undefined;
  }

  /** Adds a secret, so that clients can switch to it without an outage. Undefined when there is no such valid client. */
  async addSecret(projectId: string, clientId: string, expiresAt: number | null): Promise<NewClientSecret | undefined> {
    const client = await findRow(this.#control, 'clients', { project_id: projectId, id: clientId, revoked_at: null });
    if (!client) return undefined;
    const { secret, row } = this.#newSecret(clientId, expiresAt);
    await this.#control.insertInto('client_secrets').values(row).execute();
    return { ...row, secret };
  }

  async revokeSecret(projectId: string, clientId: string, secretId: string): Promise<boolean> {
    const row = await this.#control
      .updateTable('client_secrets')
      .set((secret) => ({ revoked_at: secret.fn.coalesce('revoked_at', secret.val(this.#clock())) }))
      .where('id', '=', secretId)
      .where('client_id', 'in', (query) =>
        query.selectFrom('clients').select('id').where('id', '=', clientId).where('project_id', '=', projectId),
      )
      .returning('id')
      .executeTakeFirst();
    this.#byHash.clear();
    return row !== undefined;
  }

  /**
   * Undefined unless valid. Looked up by the secret's hash alone, so the time of a refusal tells nothing of clients
   * (D3.6).
   */
  async authenticate(clientId: string, secret: string): Promise<string | undefined> {
    const hash = hashSecret(secret);
    const found = await this.#byHash.get(hash, () => this.#read(hash));
    const now = this.#clock();
    if (!found || !equalHashes(found.hash, hash) || found.client_id !== clientId) return undefined;
    if (found.expires_at !== null && found.expires_at <= now) return undefined;
    this.#lastUsed.note('client_secrets', found.id, now);
    return found.project_id;
  }

  /** A secret that is not valid is not found, so none is cached. */
  async #read(hash: string): Promise<Credential | undefined> {
    return await this.#control
      .selectFrom('client_secrets')
      .innerJoin('clients', 'clients.id', 'client_secrets.client_id')
      .innerJoin('projects', 'projects.id', 'clients.project_id')
      .select(['client_secrets.id', 'client_secrets.hash', 'client_secrets.client_id', 'client_secrets.expires_at'])
      .select('clients.project_id')
      .where('client_secrets.hash', '=', hash)
      .where('client_secrets.revoked_at', 'is', null)
      .where((row) =>
        row.or([row('client_secrets.expires_at', 'is', null), row('client_secrets.expires_at', '>', this.#clock())]),
      )
      .where('clients.revoked_at', 'is', null)
      .where('projects.deleted_at', 'is', null)
      .executeTakeFirst();
  }

  /** Clears the cache of all clients, after a project was deleted. */
  forgetAll(): void {
    this.#byHash.clear();
  }

  #newSecret(clientId: string, expiresAt: number | null): { secret: string; row: ClientSecretRow } {
    const secret = newSecret('fs');
    return {
      secret,
      row: {
        id: newId('sec'),
        client_id: clientId,
        hash: hashSecret(secret),
        created_at: this.#clock(),
        last_used_at: null,
        expires_at: expiresAt,
        revoked_at: null,
      },
    };
  }
}
