import type { Clock } from '../lib/clock.ts';
import type { ControlStore } from '../storage/control/control-store.ts';
import { type ProjectDay, touchDays } from './days.ts';

/** How long a touch is remembered, in milliseconds. Must be less than the quiet time after which a day is sealed. */
const refreshMs = 20_000;

/** Touches the days that calls are written to, once until `forgetAll`, which must follow sealing. */
export class TouchedDays {
  readonly #control: ControlStore;
  readonly #clock: Clock;
  #touchedAt = new Map<string, number>();

  constructor(control: ControlStore, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
  }

  async touch(days: readonly ProjectDay[]): Promise<void> {
    const now = this.#clock();
    const due = new Map<string, ProjectDay>();
    for (const day of days) {
      const key = keyOf(day);
      if ((this.#touchedAt.get(key) ?? Number.NEGATIVE_INFINITY) <= now - refreshMs) due.set(key, day);
    }
    if (due.size === 0) return;
    await this.#control.transaction().execute((transaction) => touchDays(transaction, [...due.values()], now));
    for (const key of due.keys()) this.#touchedAt.set(key, now);
  }

  /** When days may have been sealed: each is touched again before calls are written to it. */
  forgetAll(): void {
    this.#touchedAt = new Map();
  }
}

const keyOf = ({ projectId, day }: ProjectDay): string => `${projectId} ${day}`;
