/** The events of the first attempt, and the most of any. A project may be apart because few of its events take long. */
export const firstEvents = 500;
const mostEvents = 20_000;
/** How long an attempt should take at most, in milliseconds. */
export const longestMs = 2_000;
/** Beside others an attempt has that long more than their batches take: statements take their time for few events, too. */
const moreThanBatchMs = 60;
/**
 * In milliseconds: where its own answers wait, an attempt gets a quarter of what the project is behind, at most this
 * much. Otherwise a project with more events than short attempts take would never be answered.
 */
const mostMoreMs = 800;

export interface Pace {
  /** How long batches of the other projects take, in milliseconds. They wait for the attempt. */
  readonly batchMs: number;
  /** How far the project is behind, in milliseconds; 0 where no answer about it waits. */
  readonly behindMs: number;
}

/** How long an attempt to assemble a project that is apart should take beside others, in milliseconds. */
export const attemptMs = ({ batchMs, behindMs }: Pace): number =>
  Math.min(batchMs + moreThanBatchMs + Math.min(behindMs / 4, mostMoreMs), longestMs);

/** The most events of the next attempt, after one with `maxEvents` that took `elapsedMs` of `mostMs` milliseconds. */
export const nextSize = (maxEvents: number, elapsedMs: number, mostMs: number): number =>
  Math.min(Math.ceil(maxEvents * Math.min(Math.max(mostMs / elapsedMs, 0.1), 4)), mostEvents);
