import { dayOf } from '../../lib/days.ts';
import { type AlertKind, definitions } from './kinds/kinds.ts';

const hourMs = 3_600_000;
const hourOf = (timeMs: number): number => Math.floor(timeMs / hourMs);

export interface DueQuestion {
  readonly kind: AlertKind;
  /** The project's. In some timezones days do not begin on a full hour. */
  readonly timezone: string;
  readonly now: number;
  /** The clock at the last look; undefined before the first. */
  readonly lookedAt: number | undefined;
  /** Until when calls may have been written; undefined for a project without any. */
  readonly callsUntil: number | undefined;
  /** When settings of alerts, budgets, grants or prices last changed; undefined for never. */
  readonly changedAt: number | undefined;
  /** The shortest interval between two looks, in milliseconds. */
  readonly everyMs: number;
}

/**
 * Whether a look at a project for a kind is due: after a change of settings, and when there are new calls and the
 * interval has passed. Also once in every new hour and day, because causes begin and end with them.
 */
export function isDue({ kind, timezone, now, lookedAt, callsUntil, changedAt, everyMs }: DueQuestion): boolean {
  // The clock may have been set back.
  if (lookedAt === undefined || now < lookedAt) return true;
  if (changedAt !== undefined && changedAt >= lookedAt) return true;
  if (hourOf(now) !== hourOf(lookedAt) || dayOf(timezone, now) !== dayOf(timezone, lookedAt)) return true;
  const { every } = definitions[kind];
  if ('clockMs' in every) return now - lookedAt >= Math.max(everyMs, every.clockMs);
  return callsUntil !== undefined && callsUntil >= lookedAt && now - lookedAt >= everyMs * every.intervals;
}
