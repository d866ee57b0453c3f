import type { Logger } from '../../lib/logger.ts';
import { Problem } from '../../lib/problem.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import { changeRows } from '../../storage/control/control-store.ts';
import { LeaseLost } from '../../storage/control/lease.ts';
import type { ProviderAccountRow } from '../../storage/control/schema/billing-rows.ts';
import { countCalls, parseSwitched } from './accounts.ts';
import { ProviderFault } from './ask.ts';
import { beginRead, type ReadAccountOptions, type ReadProgress, readAccount } from './read-account.ts';
import { AccountChanged } from './store-span.ts';

export interface ProviderReaderOptions extends Omit<ReadAccountOptions, 'signal'> {
  readonly logger: Logger;
  /** How often an account is read, in milliseconds; default: hourly, and no more often. */
  readonly everyMs?: number;
}

const hourMs = 3_600_000;
/** The first wait after a fault; it doubles up to an hour. */
const retryMs = 30_000;
/** How often due accounts are looked for, in milliseconds. */
const lookMs = 500;
/** The most accounts read at once. */
const maxUnderWay = 4;

/**
 * The background job that reads provider accounts (D30). A step only begins reads, which go on beside assembly. What
 * they store confirms the lease, so of several instances one reads.
 */
export class ProviderReader implements BackgroundJob {
  readonly name = 'provider accounts';
  readonly restsDuringBackup = false;
  readonly #options: ProviderReaderOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Reads that a fault has broken off. */
  readonly #brokenOff = new Map<string, ReadProgress & Pick<ProviderAccountRow, 'revision' | 'next_at'>>();
  readonly #stop = new AbortController();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderReaderOptions) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#lookedAt < lookMs || this.#stop.signal.aborted) return false;
    this.#lookedAt = now;
    for (const account of await this.#findDue()) {
      if (this.#underWay.size >= maxUnderWay) break;
      if (this.#underWay.has(account.id)) continue;
      const ended = this.#read(account).finally(() => this.#underWay.delete(account.id));
      this.#underWay.set(account.id, ended);
    }
    return false;
  }

  /** Ends the reads under way: what they have stored stays, and the next process goes on from there. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#underWay.values());
  }

  async #findDue(): Promise<ProviderAccountRow[]> {
    const { control, clock } = this.#options;
    const now = clock();
    return await control
      .selectFrom('provider_accounts')
      .innerJoin('projects', 'projects.id', 'provider_accounts.project_id')
      .selectAll('provider_accounts')
      .where('next_at', '<=', now)
      // The provider's wait holds up requests alone, not what takes calls back.
      .where((row) =>
        row.or([
          row('not_before', '<=', now),
          row('provider_accounts.deleted_at', 'is not', null),
          row.and([
            row('mode', '=', 'reconcile'),
            row.exists(
              row
                .selectFrom('provider_calls')
                .select('provider_calls.event_id')
                .whereRef('provider_calls.account_id', '=', 'provider_accounts.id'),
            ),
          ]),
        ]),
      )
      .where('projects.deleted_at', 'is', null)
      .orderBy('next_at')
      .limit(2 * maxUnderWay)
      .execute();
  }

  async #read(account: ProviderAccountRow): Promise<void> {
    const { logger, clock } = this.#options;
    const about = { account: account.id, kind: account.kind };
    const before = this.#brokenOff.get(account.id);
    // After a change of the account, or a request for a read, all is read again.
    const goesOn = before?.revision === account.revision && before.next_at === account.next_at;
    const progress = before && goesOn ? before : beginRead(clock());
    const stored = spell(progress);
    try {
      try {
        const read = await readAccount(account, { ...this.#options, signal: this.#stop.signal }, progress);
        if (read !== 'waiting') this.#brokenOff.delete(account.id);
        if (typeof read !== 'string') await this.#noteSuccess(account, progress);
      } catch (error) {
        if (this.#stop.signal.aborted || error instanceof LeaseLost || error instanceof AccountChanged) return;
        const isExpected = error instanceof ProviderFault || error instanceof Problem;
        if (isExpected) logger.warn({ ...about, fault: error.message }, 'a provider account could not be read');
        else logger.error({ ...about, err: error }, 'a provider account could not be read');
        await this.#noteFault(account, error, progress, spell(progress) !== stored);
      }
    } catch (error) {
      // The control store fails; the account is still due.
      logger.error({ ...about, err: error }, 'the state of a provider account could not be stored');
    }
  }

  async #noteSuccess(account: ProviderAccountRow, { beganAt, read }: ReadProgress): Promise<void> {
    const { control, clock, everyMs = hourMs } = this.#options;
    const now = clock();
    const switched = parseSwitched(account.switched);
    const isDone = switched === null || switched.done;
    await control
      .updateTable('provider_accounts')
      .set({
        ...{ failures: 0, fault: null, fault_at: null, succeeded_at: now, next_at: Math.max(now, beganAt + everyMs) },
        last_read: JSON.stringify(read),
        ...(!isDone && {
          switched: JSON.stringify({
            ...switched,
            calls_made: (await countCalls(control, account.project_id)).get(account.id) ?? 0,
            done: true,
          }),
        }),
      })
      .where('id', '=', account.id)
      .where('revision', '=', account.revision)
      .execute();
  }

  async #noteFault(
    account: ProviderAccountRow,
    error: unknown,
    progress: ReadProgress,
    hasStored: boolean,
  ): Promise<void> {
    const { control, clock } = this.#options;
    const now = clock();
    const failures = hasStored ? 1 : account.failures + 1;
    const ownMs = Math.min(hourMs, retryMs * 2 ** Math.min(failures - 1, 10));
    const waitMs = error instanceof ProviderFault ? error.waitMs : 0;
    const next_at = now + Math.max(ownMs, waitMs);
    this.#brokenOff.set(account.id, { ...progress, revision: account.revision, next_at });
    const isKnown = error instanceof ProviderFault || error instanceof Problem;
    await changeRows(
      control,
      'provider_accounts',
      { id: account.id, revision: account.revision },
      {
        failures,
        fault: isKnown ? error.message : 'The read failed; the log says why.',
        fault_at: now,
        next_at,
        not_before: Math.max(account.not_before, now + waitMs),
      },
    );
  }
}

const spell = ({ soFar }: ReadProgress): string => JSON.stringify(soFar);
