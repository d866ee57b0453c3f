import type { Logger } from '../../lib/logger.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { type Claimed, claimDue, clearOld, noteAttempt, releaseClaim } from './deliveries.ts';
import { calcNextAttempt } from './retry-schedule.ts';
import { type SendOptions, type SendResult, sendOnce } from './send.ts';

export interface NotifierOptions extends SendOptions, ControlSources {
  readonly logger: Logger;
  /** The writer id of this process, by which it claims deliveries. */
  readonly sender: string;
  /** Whether no other process can use the control store. */
  readonly exclusive: boolean;
  /** Whether this process may begin attempts: it holds the lease. */
  readonly isHolder: () => boolean;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** The most attempts under way, in all and to one endpoint, so that slow endpoints do not block the others. */
const maxUnderWay = 64;
const maxOfEndpoint = 2;
/** How often old rows are deleted, in milliseconds. */
const clearEveryMs = 10 * 60_000;
/** How long attempts under way may still take when the process stops, in milliseconds. */
const stopMs = 2_000;

/**
 * The background job that sends notifications (D20.5). A step only claims due deliveries and begins to send them, so
 * assembly never waits for an endpoint. When an attempt ends, the next delivery is claimed at once.
 */
export class Notifier implements BackgroundJob {
  readonly name = 'notify';
  readonly restsDuringBackup = false;
  readonly #options: NotifierOptions;
  readonly #underWay = new Map<string, { readonly endpointId: string; readonly ended: Promise<void> }>();
  readonly #stop = new AbortController();
  #claiming: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const { control, clock } = this.#options;
    const now = clock();
    if (now - this.#clearedAt >= clearEveryMs) {
      await clearOld(control, now);
      this.#clearedAt = now;
    }
    await this.#claim();
    return false;
  }

  /** Gives attempts under way a moment, then ends them; their deliveries are due again for the next process. */
  async close(): Promise<void> {
    this.#isStopped = true;
    const timer = setTimeout(() => this.#stop.abort(), stopMs);
    await this.#claiming;
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  /** Claims due deliveries, and begins to send them. One claim at a time. */
  async #claim(): Promise<void> {
    this.#isWanted = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
    });
    await this.#claiming;
  }

  async #claimAll(): Promise<void> {
    const { control, clock, sender, exclusive, isHolder } = this.#options;
    while (this.#isWanted && !this.#isStopped && isHolder()) {
      this.#isWanted = false;
      const atMost = maxUnderWay - this.#underWay.size;
      if (atMost <= 0) return;
      const busy = new Map<string, number>();
      for (const { endpointId } of this.#underWay.values()) busy.set(endpointId, (busy.get(endpointId) ?? 0) + 1);
      const claimed = await claimDue(control, {
        ...{ now: clock(), sender, exclusive, atMost, busy },
        perEndpoint: maxOfEndpoint,
      });
      for (const one of claimed) this.#begin(one);
      // More may be due, for endpoints that were further back in the queue.
      if (claimed.length > 0) this.#isWanted = true;
    }
  }

  #begin(claimed: Claimed): void {
    const { id } = claimed.delivery;
    const ended = this.#attempt(claimed).finally(() => {
      this.#underWay.delete(id);
      this.#claim().catch((error: unknown) => this.#warn(error));
    });
    this.#underWay.set(id, { endpointId: claimed.endpoint.id, ended });
  }

  /** Never rejects: if storing the outcome fails, the delivery is due again when its claim expires. */
  async #attempt(claimed: Claimed): Promise<void> {
    const { control, clock, sender, logger, random = Math.random } = this.#options;
    const { delivery, endpoint } = claimed;
    const at = clock();
    const startedAt = performance.now();
    try {
      const outcome = await this.#send(claimed, at);
      if (outcome === undefined) return await releaseClaim(control, delivery.id, sender);
      const durationMs = Math.round(performance.now() - startedAt);
      const failures = delivery.failures + 1;
      const nextAttemptAt =
        outcome.error === null || delivery.kind === 'test'
          ? undefined
          : calcNextAttempt({ failures, at: at + durationMs, retryAfter: outcome.retryAfter, random: random() });
      await noteAttempt(control, claimed, { ...outcome, at, durationMs, nextAttemptAt }, sender);
      if (outcome.error !== null) {
        const told = { endpoint: endpoint.id, delivery: delivery.id, status: outcome.status, failures };
        // The log of attempts shows how a test went.
        logger[delivery.kind === 'test' ? 'info' : 'warn'](
          told,
          `a notification was not delivered: the endpoint ${outcome.error}`,
        );
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  /** How the attempt ended; undefined when the process stops. An unexpected error counts as a failed attempt. */
  async #send(claimed: Claimed, now: number): Promise<SendResult | undefined> {
    const { signal } = this.#stop;
    try {
      return await sendOnce(claimed, { now, signal }, this.#options);
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#warn(error);
      const told = 'could not be sent to; the log of the service says why';
      return { status: null, error: told, retryAfter: undefined, isGone: false };
    }
  }

  #warn(error: unknown): void {
    this.#options.logger.error({ err: error }, 'a notification could not be sent or noted; it will be tried again');
  }
}
