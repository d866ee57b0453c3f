import { Temporal } from 'temporal-polyfill';
import { addDays, type Day } from '../../lib/days.ts';

/** How a number is written in the title or text of a firing. */

const usd = { style: 'currency', currency: 'USD', minimumFractionDigits: 2 } as const;
const large = new Intl.NumberFormat('en-US', usd);
const small = new Intl.NumberFormat('en-US', { ...usd, maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat('en-US');
const percents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** USD: `$1,234.50`; amounts below 10 cents with four significant digits, as on the dashboard, or to the cent beside a larger one. */
export const spellUsd = (amount: number, beside = amount): string =>
  (amount !== 0 && Math.abs(amount) < (Math.abs(beside) < 0.1 ? 0.1 : 0.005) ? small : large).format(amount);

/** What a customer paid: `paid $12.00`; less than nothing is `was refunded $12.00`. */
export const spellPaid = (revenue: number, beside: number): string =>
  revenue < 0 ? `was refunded ${spellUsd(-revenue, beside)}` : `paid ${spellUsd(revenue, beside)}`;

/** A percentage with one digit, as on the dashboard: `12.5%`. */
export const spellPct = (percent: number): string => `${percents.format(percent)}%`;

/** `1 call`, `1,200 calls`. */
export const spellCount = (count: number, noun: string): string =>
  `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A duration of minutes, hours or days, whichever is the largest whole unit: `90 minutes`, `2 hours`. */
export function spellDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return spellCount(minutes, 'minute');
  if (minutes < 48 * 60) return spellCount(Math.round(minutes / 60), 'hour');
  return spellCount(Math.round(minutes / (24 * 60)), 'day');
}

/** A time in the timezone of a project, with its name: `2026-11-29 18:14:03 Europe/Berlin`. */
export function spellTime(ms: number, timezone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDateTime();
  return `${local.toString({ smallestUnit: 'second' }).replace('T', ' ')} ${timezone}`;
}

/** The name of a customer, model or other value; usage without one has the empty name. */
export const spellName = (dimension: string, name: string): string =>
  name === '' ? `usage without a ${dimension}` : name;

/** The search of a page for the days up to and including `to`. */
export const lastDays = (to: Day, count: number) => ({ from: addDays(to, 1 - count), to });
