// What budgets by the hour and by window count, by brute force over all calls (D32.1).

export interface TimedCost {
  /** The call's time, and when it was told, in milliseconds since 1970. */
  readonly at: number;
  readonly toldAt: number;
  readonly picos: bigint;
  readonly customer: string;
  /** '' for a call that names none. */
  readonly run: string;
}

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** The seconds of a window and of the steps in which it moves. */
function measures(window: string): { length: number; step: number } {
  const [, count = '', unit = ''] = /^(\d+)(\w)$/.exec(window) ?? [];
  const length = Number(count) * (units[unit] ?? 0);
  return { length, step: length > 86_400 ? 3_600 : 60 };
}

/** Calls that a window holds at an instant: of its last whole steps, of the step of now, and dated later. */
export function inWindow(calls: readonly TimedCost[], window: string, now: number): TimedCost[] {
  const { length, step } = measures(window);
  const stepOf = (ms: number) => Math.floor(ms / 1_000 / step);
  return calls.filter(({ at, toldAt }) => toldAt <= now && stepOf(now) - stepOf(at) <= length / step);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a wall clock shows, without its minutes; an hour that it shows twice differs by the offset. */
function hourName(timezone: string, ms: number): string {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', hourCycle: 'h23' },
      timeZoneName: 'longOffset',
    });
  formats.set(timezone, format);
  return format.format(ms);
}

export function inHour(calls: readonly TimedCost[], timezone: string, now: number): TimedCost[] {
  const name = hourName(timezone, now);
  const near = calls.filter(({ at, toldAt }) => toldAt <= now && Math.abs(at - now) < 2 * 3_600_000);
  return near.filter(({ at }) => hourName(timezone, at) === name);
}

export const sumOf = (calls: readonly TimedCost[]): bigint => calls.reduce((sum, { picos }) => sum + picos, 0n);

/**
 * When a window that holds too much may be spent from again: goes through its steps until less than the amount is left.
 */
export function freeAgainAt(
  calls: readonly TimedCost[],
  { window, amount, now }: { window: string; amount: bigint; now: number },
): number | undefined {
  if (sumOf(inWindow(calls, window, now)) < amount) return undefined;
  const known = calls.filter(({ toldAt }) => toldAt <= now);
  const stepMs = measures(window).step * 1_000;
  let at = Math.floor(now / stepMs) * stepMs;
  do at += stepMs;
  while (sumOf(inWindow(known, window, at)) >= amount);
  return at;
}
