import { setTimeout as pause } from 'node:timers/promises';
import { dayMs } from '../../lib/days.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { Cause } from '../rule/cause.ts';
import type { Look } from '../rule/look.ts';
import { deleteEndedFirings } from './firings.ts';
import { Schedule, type ScheduleOptions } from './schedule.ts';
import { type FoundCauses, settleFound } from './settle.ts';
import type { Watch } from './watches.ts';

export interface AlerterOptions extends ScheduleOptions {
  readonly logger: Logger;
  readonly lease: Lease;
  readonly findCauses: (look: Look<Watch>) => Promise<Cause[]>;
  /** Called after each step, for tests that stop there. */
  readonly afterStep?: (step: AlertStep) => void | Promise<void>;
}

/** The steps of a look, in order. The process may die after any of them. */
export const alertSteps = ['read', 'settled'] as const;
export type AlertStep = (typeof alertSteps)[number];

/** The longest time that a step lasts, waits for statements included, in milliseconds. Assembly waits meanwhile. */
const stepMs = 150;
/** The highest age of findings that are stored, in milliseconds. When they are older, the look is repeated. */
const freshMs = 30_000;
/** Ended firings are kept for this long, in milliseconds. */
const keptMs = 400 * dayMs;

/**
 * The background job that looks at projects for alerts (D20.3). Looks read in parallel with assembly, one at a time.
 * Their findings are settled in transactions that confirm the lease. Firings begin and end there, together with their
 * notifications.
 */
export class Alerter implements BackgroundJob {
  readonly name = 'alert';
  readonly restsDuringBackup = false;
  readonly #options: AlerterOptions;
  readonly #schedule: Schedule;
  #underWay: { readonly ended: Promise<void>; found: FoundCauses | undefined; hasEnded: boolean } | undefined;
  #found: FoundCauses | undefined;
  #cleanedAt: number | undefined;

  constructor(options: AlerterOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options);
  }

  async step(): Promise<boolean> {
    const until = performance.now() + stepMs;
    try {
      do {
        if (!(await this.#advance(until))) return this.#underWay !== undefined;
      } while (performance.now() < until);
      return true;
    } catch (error) {
      // The lease may be lost: another instance then does the looks.
      this.#underWay = undefined;
      this.#found = undefined;
      throw error;
    }
  }

  /** Settles the findings of a look, or else continues with a look; false when there is nothing to do at the moment. */
  async #advance(until: number): Promise<boolean> {
    if (this.#found) {
      await this.#settle(this.#found);
      return true;
    }
    if (this.#underWay) {
      const { ended } = this.#underWay;
      await Promise.race([ended, pause(Math.max(0, until - performance.now()), undefined, { ref: false })]);
      if (!this.#underWay.hasEnded) return false;
      this.#found = this.#underWay.found;
      this.#underWay = undefined;
      await this.#options.afterStep?.('read');
      return true;
    }
    const look = await this.#schedule.next();
    if (!look) {
      await this.#clean();
      return false;
    }
    this.#begin(look);
    return true;
  }

  #begin(look: Look<Watch>): void {
    const { findCauses, logger } = this.#options;
    const { project, watch } = look;
    const startedAt = performance.now();
    const underWay = { found: undefined as FoundCauses | undefined, hasEnded: false, ended: Promise.resolve() };
    const read = async () => {
      try {
        underWay.found = { look, causes: await findCauses(look), startedAt };
      } catch (error) {
        logger.warn(
          { err: error, project: project.id, alert: watch.kind },
          'a project could not be looked at for alerts',
        );
      }
      underWay.hasEnded = true;
    };
    underWay.ended = read();
    this.#underWay = underWay;
  }

  async #settle(found: FoundCauses): Promise<void> {
    const { control, lease } = this.#options;
    const isFresh = performance.now() - found.startedAt < freshMs;
    const outcome = isFresh ? await settleFound({ control, lease }, found) : 'outdated';
    if (outcome === 'outdated') this.#schedule.lookAgain(found.look);
    if (outcome === 'done') this.#schedule.noteSettled(found.look);
    if (outcome !== 'more') this.#found = undefined;
    await this.#options.afterStep?.('settled');
  }

  async #clean(): Promise<void> {
    const { control, clock } = this.#options;
    const now = clock();
    if (this.#cleanedAt !== undefined && now - this.#cleanedAt < dayMs && now >= this.#cleanedAt) return;
    await deleteEndedFirings(control, now - keptMs);
    this.#cleanedAt = now;
  }
}
