/** How many events an attempt takes. */
export interface AttemptSize {
  readonly maxEvents: number;
  /** How long the last attempt with one event took, in milliseconds: more cannot be spared. 0 until there was one. */
  readonly oneEventMs: number;
}

/** A project may be apart because few of its events take long. */
export const firstSize: AttemptSize = { maxEvents: 500, oneEventMs: 0 };
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

export interface BatchPace {
  /** How long batches of the other projects take, in milliseconds. They wait for the attempt. */
  readonly batchMs: number;
  /** How far the project is behind, in milliseconds; 0 where no answer about it waits. */
  readonly behindMs: number;
}

/** How long an attempt to assemble a project that is apart should take beside others, in milliseconds. */
export const attemptMs = ({ batchMs, behindMs }: BatchPace): number =>
  Math.min(batchMs + moreThanBatchMs + Math.min(behindMs / 4, mostMoreMs), longestMs);

/**
 * An attempt may take that many times what it takes for one event: an event whose reports are looked for among thousands
 * takes as long as hundreds of them, and one at a time would never come to an end.
 */
const mostTimesOne = 1.5;

/** The size of the next attempt, after one that took `elapsedMs` of `mostMs` milliseconds. */
export function nextSize({ maxEvents, oneEventMs }: AttemptSize, elapsedMs: number, mostMs: number): AttemptSize {
  const leastMs = maxEvents === 1 ? elapsedMs : oneEventMs;
  const share = Math.min(Math.max(Math.max(mostMs, mostTimesOne * leastMs) / elapsedMs, 0.1), 4);
  const events = share < 1 ? Math.max(Math.floor(maxEvents * share), 1) : Math.ceil(maxEvents * share);
  return { maxEvents: Math.min(events, mostEvents), oneEventMs: leastMs };
}
