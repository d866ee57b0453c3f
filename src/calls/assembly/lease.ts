import type { ControlQueries, ControlStore } from '../../control/control-store.ts';
import type { Clock } from '../../lib/clock.ts';

export interface LeaseOptions {
  readonly control: ControlStore;
  readonly clock: Clock;
  /** Who asks: the writer id of this process. */
  readonly holder: string;
  /**
   * Whether nobody else can be using these stores (the embedded engine locks its folder): then a former holder is
   * dead for certain, and its lease need not run out.
   */
  readonly exclusive: boolean;
}

/** How long a lease lasts without being renewed, in milliseconds. */
const leaseMs = 5_000;

/** Thrown when another process has taken the lease: what was being done must be thrown away. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The one lease that covers whatever changes derived data: a row with an epoch, raised by each new holder. */
export class Lease {
  readonly #options: LeaseOptions;
  #epoch: number | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#epoch !== undefined;
  }

  /** Takes the lease if it is free or has run out. */
  async acquire(): Promise<boolean> {
    const { control, clock, holder, exclusive } = this.#options;
    const now = clock();
    const taken = await control
      .updateTable('lease')
      .set((row) => ({ holder, epoch: row('epoch', '+', 1), expires_at: now + leaseMs }))
      .where('id', '=', 1)
      .$if(!exclusive, (query) => query.where('expires_at', '<', now))
      .returning('epoch')
      .executeTakeFirst();
    this.#epoch = taken?.epoch;
    return this.isHeld;
  }

  /**
   * Renews the lease and gives out the next batch number: taken before the log is read, so that of two assemblers
   * the one that read less can never overwrite the other's rows.
   * @throws LeaseLost
   */
  async nextVersion(): Promise<number> {
    const { control, clock } = this.#options;
    const renewed = await control
      .updateTable('lease')
      .set((row) => ({ version: row('version', '+', 1), expires_at: clock() + leaseMs }))
      .where('id', '=', 1)
      .where('epoch', '=', this.#epoch ?? -1)
      .returning('version')
      .executeTakeFirst();
    if (!renewed) this.#lose();
    return renewed?.version ?? 0;
  }

  /** Says that its holder is at work: a batch may take longer than a lease lasts. */
  async renew(): Promise<void> {
    const { control, clock } = this.#options;
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    const renewed = await control
      .updateTable('lease')
      .set({ expires_at: clock() + leaseMs })
      .where('id', '=', 1)
      .where('epoch', '=', epoch)
      .returning('id')
      .executeTakeFirst();
    if (!renewed && this.#epoch === epoch) this.#epoch = undefined;
  }

  /** Makes sure, inside a transaction, that this process still holds the lease when it commits. @throws LeaseLost */
  async confirm(transaction: ControlQueries): Promise<void> {
    const { clock } = this.#options;
    const confirmed = await transaction
      .updateTable('lease')
      .set({ expires_at: clock() + leaseMs })
      .where('id', '=', 1)
      .where('epoch', '=', this.#epoch ?? -1)
      .returning('id')
      .executeTakeFirst();
    if (!confirmed) this.#lose();
  }

  /** Lets another process take over at once. */
  async release(): Promise<void> {
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    this.#epoch = undefined;
    await this.#options.control
      .updateTable('lease')
      .set({ expires_at: 0 })
      .where('id', '=', 1)
      .where('epoch', '=', epoch)
      .execute();
  }

  #lose(): never {
    this.#epoch = undefined;
    throw new LeaseLost('Another process has taken the lease');
  }
}
