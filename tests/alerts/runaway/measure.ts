// Lets the rule of `runaway` judge made projects minute by minute, as the service does every few seconds.

import { resolveSettings } from '../../../src/alerting/alerts/settings.ts';
import { findRunaways, type Judged, type RecentTotal } from '../../../src/alerting/kinds/runaway/rule.ts';
import { calcLimit, calcUsual, type DayPeaks, type Peak, spenders } from '../../../src/alerting/kinds/runaway/usual.ts';
import { dayMinutes, judgedDays, type Loop, learnDays, type MadeProject, type Work } from './make-projects.ts';

const settings = resolveSettings('runaway', {});

export interface Measured {
  readonly project: MadeProject;
  readonly falseAlarms: number;
  /** The minutes from the beginning of each loop to its alarm; undefined for one that was missed. */
  readonly found: ReadonlyMap<Loop, number | undefined>;
}

interface Sum {
  readonly window: Omit<RecentTotal, 'spent' | 'calls' | 'firstMs'>;
  readonly lastMinutes: Float64Array;
  spent: number;
  /** Of the window of the day that is under way, which follow one another. */
  slot: number;
  slotSpent: number;
  dayPeak: number;
  /** The last minute with anything. */
  lastAt: number;
}

export function measure(project: MadeProject): Measured {
  const byMinute = Map.groupBy(project.work, ({ from }) => from);
  const sums = new Map<string, Sum>();
  const history: DayPeaks[] = [];
  let limits = new Map<string, number>();
  let active: Work[] = [];
  const open = new Set<string>();
  const found = new Map<Loop, number | undefined>(project.loops.map((loop) => [loop, undefined]));
  let falseAlarms = 0;
  const days = () => history.slice(-learnDays);
  for (let minute = 0; minute < (learnDays + judgedDays) * dayMinutes; minute += 1) {
    active = [...active.filter(({ from, spent }) => minute < from + spent.length), ...(byMinute.get(minute) ?? [])];
    for (const work of active) spend(sums, work, minute);
    if (minute >= learnDays * dayMinutes) {
      const windows = [...sums.values()]
        .filter(({ spent }) => spent >= settings.least_amount / 2)
        .map(({ window, spent }): RecentTotal => ({ ...window, spent, calls: 1, firstMs: 0 }));
      const mayBe = windows.some((window) => {
        const key = `${window.what} ${window.name}`;
        const limit = limits.get(key) ?? limitOf(window, days());
        limits.set(key, limit);
        return window.spent >= limit / 2;
      });
      const judged = !mayBe ? [] : findRunaways({ windows, days: days() }, settings);
      falseAlarms += follow(judged, { open, found, loops: project.loops, minute });
    }
    leave(sums, minute);
    if ((minute + 1) % dayMinutes === 0) {
      history.push(closeDay(sums));
      limits = new Map();
    }
  }
  return { project, falseAlarms, found };
}

function limitOf(window: Sum['window'], days: readonly DayPeaks[]): number {
  const names = Math.max(0, ...days.map((peaks) => peaks.filter(({ what }) => what === window.what).length));
  return calcLimit({ usual: calcUsual(window, days), what: window.what, names }, settings);
}

function spend(sums: Map<string, Sum>, work: Work, minute: number): void {
  const amount = work.spent[minute - work.from] ?? 0;
  for (const what of spenders) {
    const name = work[what];
    if (name === '') continue;
    const key = `${what} ${name}`;
    let sum = sums.get(key);
    if (!sum) {
      const { feature, customer, user } = work;
      sum = {
        window: { what, name, feature, customer, user },
        ...{ lastMinutes: new Float64Array(settings.minutes), spent: 0, slot: -1, slotSpent: 0, dayPeak: 0, lastAt: 0 },
      };
      sums.set(key, sum);
    }
    const slot = Math.floor(minute / settings.minutes);
    if (slot !== sum.slot) Object.assign(sum, { slot, slotSpent: 0 });
    sum.slotSpent += amount;
    sum.dayPeak = Math.max(sum.dayPeak, sum.slotSpent);
    const at = minute % settings.minutes;
    sum.lastMinutes[at] = (sum.lastMinutes[at] ?? 0) + amount;
    sum.spent += amount;
    sum.lastAt = minute;
  }
}

/** The oldest minute leaves the windows. */
function leave(sums: Map<string, Sum>, minute: number): void {
  const at = (minute + 1) % settings.minutes;
  for (const sum of sums.values()) {
    if (minute - sum.lastAt > settings.minutes) continue;
    sum.lastMinutes[at] = 0;
    sum.spent = sum.lastMinutes.reduce((total, amount) => total + amount, 0);
  }
}

function closeDay(sums: Map<string, Sum>): DayPeaks {
  const peaks: Peak[] = [];
  for (const [key, { window, dayPeak }] of sums) {
    const { what, name, feature } = window;
    if (dayPeak > settings.least_amount / 100)
      peaks.push({ what, name, feature: what === 'run' ? feature : '', spent: dayPeak });
    sums.delete(key);
  }
  return peaks.sort((a, b) => b.spent - a.spent);
}

interface Following {
  readonly open: Set<string>;
  readonly found: Map<Loop, number | undefined>;
  readonly loops: readonly Loop[];
  readonly minute: number;
}

/** Begins and ends firings; returns how many of those that begin no loop explains. */
function follow(judged: readonly Judged[], { open, found, loops, minute }: Following): number {
  const states = new Map(judged.map((one) => [`${one.what} ${one.name}`, one]));
  for (const key of open) if (!states.has(key)) open.delete(key);
  let unexplained = 0;
  for (const [key, { name, state, customer }] of states) {
    if (state !== 'holds' || open.has(key)) continue;
    open.add(key);
    const loop = loops.find(
      ({ from, minutes, names }) =>
        minute >= from && minute < from + minutes + settings.minutes && (names.has(name) || names.has(customer)),
    );
    if (!loop) unexplained += 1;
    else found.set(loop, found.get(loop) ?? minute + 1 - loop.from);
  }
  return unexplained;
}
