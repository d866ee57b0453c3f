import { readRetryAfter } from '../../lib/retry-after.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * How long after each failed attempt the next one follows, in milliseconds: 24 hours in all. The delays begin like the
 * example of Standard Webhooks, and are shorter in the first hours, because an alert matters today.
 */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  8 * hour + 8 * minute + 55 * second,
];

/** This share of a delay is left out at random, so that endpoints that failed together are retried apart. */
export const jitter = 0.1;

/** The longest wait that an endpoint can ask for by `Retry-After`, in milliseconds. */
export const longestAskedMs = hour;

export interface Failed {
  /** How many attempts have failed, with this one. */
  readonly failures: number;
  readonly at: number;
  readonly retryAfter: string | undefined;
  /** From 0 up to 1. */
  readonly random: number;
}

/** When to try again after a failed attempt, in milliseconds since 1970; undefined when the delivery is given up. */
export function calcNextAttempt({ failures, at, retryAfter, random }: Failed): number | undefined {
  const delayMs = retryDelaysMs[failures - 1];
  if (delayMs === undefined) return undefined;
  const ownMs = Math.round(delayMs * (1 - jitter * random));
  return at + Math.max(ownMs, Math.min(readRetryAfter(retryAfter, at), longestAskedMs));
}
