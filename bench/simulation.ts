/*
 * Models for what can't be measured on one small machine: parts and merges over hours, the lag of assembly under bursts, and
 * the time that the lease is without a holder. They are simple, and start from rates that were measured.
 */

export interface PartsOptions {
  /** INSERTs into one partition of one shard, a second. */
  readonly insertsPerSecond: number;
  readonly rowsPerInsert: number;
  /** Threads that merge, and how many rows each merges a second. */
  readonly mergeThreads: number;
  readonly mergeRowsPerSecond: number;
  readonly seconds: number;
}

export interface PartsResult {
  readonly mostParts: number;
  readonly partsAtEnd: number;
  /** How often each row is written, by the INSERT and merges together. */
  readonly timesWritten: number;
  /** The share of the time that the threads merge. */
  readonly busy: number;
}

/** This many parts of about one size are merged into one. */
const fanIn = 10;
/** A part with more rows than this is not merged with others. */
const largestMergedRows = 150_000_000;

/**
 * Parts of one partition over time. As ClickHouse does, it merges neighbours of about one size, the smallest first, so
 * each row is written once for each power of the fan-in that its part has grown by.
 */
export function simulateParts(options: PartsOptions): PartsResult {
  const { insertsPerSecond, rowsPerInsert, mergeThreads, mergeRowsPerSecond, seconds } = options;
  const levels: number[] = [];
  const merges: { readonly level: number; readonly doneAt: number }[] = [];
  let [mostParts, written, busySeconds, inserted] = [0, 0, 0, 0];
  const stepSeconds = Math.min(0.25, 1 / insertsPerSecond);
  for (let now = 0; now < seconds; now += stepSeconds) {
    while (inserted < Math.floor(now * insertsPerSecond)) {
      levels[0] = (levels[0] ?? 0) + 1;
      inserted += 1;
      written += rowsPerInsert;
    }
    for (let index = merges.length - 1; index >= 0; index -= 1) {
      const merge = merges[index];
      if (!merge || merge.doneAt > now) continue;
      levels[merge.level] = (levels[merge.level] ?? 0) - fanIn;
      levels[merge.level + 1] = (levels[merge.level + 1] ?? 0) + 1;
      merges.splice(index, 1);
    }
    for (let level = 0; level < levels.length && merges.length < mergeThreads; level += 1) {
      const rows = rowsPerInsert * fanIn ** (level + 1);
      const free = () => (levels[level] ?? 0) - fanIn * merges.filter((merge) => merge.level === level).length;
      while (rows <= largestMergedRows && free() >= fanIn && merges.length < mergeThreads) {
        merges.push({ level, doneAt: now + rows / mergeRowsPerSecond });
        written += rows;
        busySeconds += rows / mergeRowsPerSecond;
      }
    }
    mostParts = Math.max(mostParts, countParts(levels));
  }
  return {
    mostParts,
    partsAtEnd: countParts(levels),
    timesWritten: written / Math.max(1, inserted * rowsPerInsert),
    busy: busySeconds / (mergeThreads * seconds),
  };
}

const countParts = (levels: readonly number[]): number => levels.reduce((sum, count) => sum + count, 0);

export interface LagOptions {
  /** Incoming calls a second, at each second. */
  readonly callsPerSecond: (second: number) => number;
  /** Calls that assembly makes a second. */
  readonly assembledPerSecond: number;
  readonly seconds: number;
}

export interface LagResult {
  readonly worstLagSeconds: number;
  /** Seconds in which a strict answer is refused: those with a lag of more than ten seconds. */
  readonly refusingSeconds: number;
  /** The last second with a lag of more than one second. */
  readonly caughtUpAtSecond: number;
}

/** How far assembly falls behind the incoming calls. */
export function simulateLag({ callsPerSecond, assembledPerSecond, seconds }: LagOptions): LagResult {
  let [waiting, worst, refusing, caughtUpAt] = [0, 0, 0, 0];
  for (let second = 0; second < seconds; second += 1) {
    waiting = Math.max(0, waiting + callsPerSecond(second) - assembledPerSecond);
    const lag = waiting / assembledPerSecond;
    worst = Math.max(worst, lag);
    if (lag > 10) refusing += 1;
    if (lag > 1) caughtUpAt = second;
  }
  return { worstLagSeconds: worst, refusingSeconds: refusing, caughtUpAtSecond: caughtUpAt };
}

export interface FailOverOptions {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How often each other instance asks for the lease. */
  readonly acquireEveryMs: number;
  readonly others: number;
  /** The longest time of a statement; each takes a random share of it. */
  readonly statementMs: number;
  readonly trials: number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
}

/** How long the lease is without a holder after its holder died at a random moment: milliseconds of each trial, ascending. */
export function simulateFailOver(options: FailOverOptions): number[] {
  const { leaseMs, renewEveryMs, acquireEveryMs, others, statementMs, trials, random } = options;
  return Array.from({ length: trials }, () => {
    const expiresInMs = leaseMs - random() * renewEveryMs;
    // The first instance that asks after the lease has expired gets it.
    const asks = Array.from({ length: others }, () => expiresInMs + random() * acquireEveryMs + random() * statementMs);
    return Math.min(...asks);
  }).sort((a, b) => a - b);
}
