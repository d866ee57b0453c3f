import { type ControlQueries, type ControlSources, changeRows, findRow } from './control-store.ts';

export interface LeaseOptions extends ControlSources {
  /** The writer id of this process. */
  readonly holder: string;
  /** An embedded engine locks its folder: a former holder is dead, and its lease need not expire. */
  readonly exclusive: boolean;
}

/** How long a lease lasts without renewal, in milliseconds. */
const leaseMs = 5_000;
/** The shortest time that a lease still lasts after `requireHeld`, in milliseconds. */
const leastLeftMs = leaseMs / 2;

/** Another process has taken the lease, so the work under way must be discarded. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The one lease for all changes of derived data. It is a row with an epoch, which each new holder raises. */
export class Lease {
  readonly #options: LeaseOptions;
  #epoch: number | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#epoch !== undefined;
  }

  /** Each time the lease is taken, it gets a higher number; undefined while this process does not hold it. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  /** Takes the lease if it is free or has expired; true when this process holds it. */
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
   * Renews the lease and returns the next version. Assemblers take a version before they read the log. So an assembler
   * that has read fewer events can never overwrite the rows of one that has read more.
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

  /** Renews the lease during long work, because a batch may take longer than a lease lasts. */
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

  /**
   * Ensures that this process holds the lease for at least another 2.5 seconds. It renews the lease only if less time
   * is left, because a commit to SQLite blocks the event loop until it is on disk.
   * @throws LeaseLost
   */
  async requireHeld(): Promise<void> {
    const { control, clock } = this.#options;
    const held = await findRow(control, 'lease', { id: 1, epoch: this.#epoch ?? -1 });
    if (!held) this.#lose();
    else if (held.expires_at < clock() + leastLeftMs) await this.confirm(control);
  }

  /** Ensures, inside a transaction, that this process still holds the lease at commit. @throws LeaseLost */
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

  /** Releases the lease, so that another process can take it at once. */
  async release(): Promise<void> {
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    this.#epoch = undefined;
    await changeRows(this.#options.control, 'lease', { id: 1, epoch }, { expires_at: 0 });
  }

  #lose(): never {
    this.#epoch = undefined;
    throw new LeaseLost('Another process has taken the lease');
  }
}
